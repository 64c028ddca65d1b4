/** Loaded before each test file of the full run: properties that do not state a number of runs draw five times the usual 100. */
import fc from "fast-check";

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: 500 });

import { inProcess } from "./in-process-surface.ts";
import { contractSuite } from "./suite.ts";

contractSuite(inProcess);

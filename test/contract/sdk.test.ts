import { overSdk } from "./sdk-surface.ts";
import { contractSuite } from "./suite.ts";

contractSuite(overSdk);

import { overHttp } from "./http-surface.ts";
import { contractSuite } from "./suite.ts";

contractSuite(overHttp);

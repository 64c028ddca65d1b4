import { contractSuite } from "./suite.ts";
import { overWebSocket } from "./websocket-surface.ts";

contractSuite(overWebSocket);

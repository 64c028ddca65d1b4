/**
 * The server as a library, for programs that run it in their own process: `import { startServer } from "sens"`.
 * The SDK is a door of its own, `sens/client`, and needs none of this.
 */
export { type ErrorCode, SensError } from "./base/index.ts";
export type { KnowledgeService } from "./protocol/index.ts";
export {
  type Principal,
  type Role,
  type RunningServer,
  type ServeOptions,
  type ServerOptions,
  serve,
  startServer,
  type TokenGrant,
  type TokenVerifier,
} from "./server/index.ts";
export { QuadStore } from "./sparql/index.ts";

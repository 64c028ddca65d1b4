export { verifyFile } from "../storage/index.ts";
export type { TokenGrant, TokenVerifier } from "./auth.ts";
export { OPERATION_ROLES, type Principal, ROLES, type Role, type ServedOperation } from "./roles.ts";
export { type RunningServer, type ServeOptions, serve } from "./serve.ts";
export { VERSION } from "./version.ts";
export { type ServerOptions, startServer } from "./wiring.ts";

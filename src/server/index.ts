export { verifyFile } from "../storage/index.ts";
export { parseTokens, type TokenGrant, type TokenVerifier } from "./auth.ts";
export { OPERATION_ROLES, type Principal, ROLES, type Role, type ServedOperation } from "./roles.ts";
export { DEFAULT_HOST, DEFAULT_PORT, type RunningServer, type ServeOptions, serve } from "./serve.ts";
export { type ServerOptions, startServer } from "./wiring.ts";

export type * from "./operations.ts";

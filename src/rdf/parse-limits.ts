/** Bounds of one document; the defaults are those of base/limits.ts. */
import { LIMITS, type Limits } from "../base/index.ts";

export type ParseLimits = Pick<
  Limits,
  | "nestingDepthMax"
  | "iriBytesMax"
  | "literalBytesMax"
  | "prefixesMax"
  | "xmlEntitiesMax"
  | "xmlEntityExpansionBytesMax"
  | "xmlEntityNestingMax"
>;

export const PARSE_LIMITS: ParseLimits = LIMITS;

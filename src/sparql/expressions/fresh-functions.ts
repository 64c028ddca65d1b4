/** NOW, RAND, UUID, STRUUID and BNODE: functions of the query and the solution as well as of their arguments. */
import { createHash } from "node:crypto";
import type { EvaluationEnv, Frame } from "./compiled-expression.ts";
import { type Compilation, type Node, valueNode } from "./nodes.ts";
import { dateTimeFromMs } from "./temporal.ts";
import { blankValue, doubleValue, iriValue, stringValue, temporalValue, ValueKind } from "./value.ts";

/** The node of such a call, or `undefined` when the operator is none of them. */
export function freshNode(compilation: Compilation, operator: string, args: readonly Node[]): Node | undefined {
  switch (operator) {
    case "now":
      compilation.usesNow = true;
      return valueNode((_frame, env) => temporalValue(dateTimeFromMs(env.nowMs)));
    case "rand":
      compilation.usesRandom = true;
      return valueNode((_frame, env) => doubleValue(env.random()));
    case "uuid":
    case "struuid": {
      const key = nextSite(compilation);
      if (operator === "uuid") return valueNode((frame, env) => iriValue(`urn:uuid:${uuid(env, key, frame)}`));
      return valueNode((frame, env) => stringValue(uuid(env, key, frame)));
    }
    case "bnode":
      return bnodeNode(compilation, args[0]);
    default:
      return undefined;
  }
}

function bnodeNode(compilation: Compilation, argument: Node | undefined): Node {
  const site = nextSite(compilation);
  if (!argument) return valueNode((frame, env) => blankValue(env.fresh("bnode", site, frame)));
  return valueNode((frame, env) => {
    const text = argument.value(frame, env);
    // the same text in one solution is the same node, whichever call it stands in
    return text?.kind === ValueKind.STRING ? blankValue(env.fresh("bnode", `text:${text.text}`, frame)) : undefined;
  });
}

function nextSite(compilation: Compilation): string {
  compilation.usesFresh = true;
  return `site:${compilation.freshSites++}`;
}

/** Version 8 (RFC 9562): ours to fill, here with a digest of what the solution is. */
function uuid(env: EvaluationEnv, key: string, frame: Frame): string {
  const hex = createHash("sha256")
    .update(env.fresh("uuid", key, frame), "utf8")
    .digest("hex");
  const variant = ((Number.parseInt(hex[16], 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

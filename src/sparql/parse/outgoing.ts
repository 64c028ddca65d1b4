/** Refuses what would make the server call somebody else: SERVICE and LOAD. */
import { SensError } from "../../base/index.ts";
import type { ParsedQuery, ParsedUpdate } from "./algebra.ts";
import { walkAlgebra } from "./algebra-walk.ts";

/** Throws SENS_SERVICE_DISABLED or SENS_LOAD_DISABLED, SILENT or not: silence is about failures, not about permission. */
export function forbidOutgoing(parsed: ParsedQuery | ParsedUpdate): void {
  walkAlgebra(parsed.form === "update" ? [...parsed.updates] : parsed.algebra, (node) => {
    if (node.type === "service") {
      throw new SensError(
        "SENS_SERVICE_DISABLED",
        `SERVICE ${termText(node.name)} would send part of the query to another server, and federation is switched off. Leave the SERVICE pattern out.`,
      );
    }
    if (node.type === "load") {
      throw new SensError(
        "SENS_LOAD_DISABLED",
        `LOAD <${node.source.value}> would fetch a document, and LOAD is switched off. Send the document with publish instead.`,
      );
    }
  });
}

function termText(term: { readonly termType: string; readonly value: string }): string {
  return term.termType === "Variable" ? `?${term.value}` : `<${term.value}>`;
}

/** Our passes over a freshly translated algebra tree, in place; see parse.ts. */
import type * as RDF from "@rdfjs/types";
import { LIMITS, SensError } from "../../base/index.ts";
import type { Operation, StoredBlankNode, UpdateOperation } from "./algebra.ts";
import { type AlgebraNode, replaceTerms, walkAlgebra } from "./algebra-walk.ts";
import { isKnownFunction } from "./function-names.ts";
import { STORED_BLANK_SCHEME } from "./prescan.ts";
import { checkProjection } from "./variable-scope.ts";

export function normalizeAlgebra(root: Operation | UpdateOperation): void {
  const templates = new Set<unknown>();
  walkAlgebra(root, (node, depth) => {
    if (depth > LIMITS.expressionDepthMax) {
      throw new SensError(
        "SENS_TOO_DEEP",
        `The query chains more operators than the limit of ${LIMITS.expressionDepthMax}. Use IN or VALUES for long lists.`,
      );
    }
    collectTemplates(node, templates);
    checkNumbers(node);
    checkFunction(node);
    checkProjection(node);
    replaceTerms(node, replaceTerm, templates);
  });
}

/** A blank node that names one of the store, in patterns and templates alike. */
export function isStoredBlank(term: RDF.Term): term is StoredBlankNode {
  return term.termType === "BlankNode" && (term as Partial<StoredBlankNode>).stored === true;
}

function collectTemplates(node: AlgebraNode, templates: Set<unknown>): void {
  if (node.type === "construct") for (const pattern of node.template) templates.add(pattern);
  if (node.type !== "deleteinsert") return;
  for (const pattern of node.delete ?? []) templates.add(pattern);
  for (const pattern of node.insert ?? []) templates.add(pattern);
}

function checkNumbers(node: AlgebraNode): void {
  if (node.type !== "slice") return;
  for (const [name, value] of [
    ["LIMIT", node.length],
    ["OFFSET", node.start],
  ] as const) {
    if (value === undefined || Number.isSafeInteger(value)) continue;
    throw new SensError("SENS_LIMIT", `${name} ${value} is beyond 2^53 - 1. Use a smaller number, or leave it out.`);
  }
}

function checkFunction(node: AlgebraNode): void {
  if (node.type !== "expression" || node.subType !== "named" || isKnownFunction(node.name.value)) return;
  throw new SensError(
    "SENS_UNKNOWN_FUNCTION",
    `There is no function <${node.name.value}>. Functions by IRI are the casts of XML Schema, xsd:integer and so on.`,
  );
}

function replaceTerm(term: RDF.Term, inTemplate: boolean): RDF.Term {
  if (term.termType === "NamedNode" && term.value.startsWith(STORED_BLANK_SCHEME))
    return storedBlank(term.value.slice(STORED_BLANK_SCHEME.length));
  if (term.termType === "BlankNode" && !inTemplate && !isStoredBlank(term)) return hiddenVariable(term.value);
  return term;
}

function storedBlank(label: string): StoredBlankNode {
  return {
    termType: "BlankNode",
    value: label,
    stored: true,
    equals: (other) => other?.termType === "BlankNode" && other.value === label,
  };
}

function hiddenVariable(label: string): RDF.Variable {
  const value = `_:${label}`;
  return { termType: "Variable", value, equals: (other) => other?.termType === "Variable" && other.value === value };
}

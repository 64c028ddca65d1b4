/**
 * Resolves the relative IRIs of a syntax tree against the base in force where they stand, in place.
 * The translator could do it, but not as RFC 3986 says, and it does not tell which base remained for IRI().
 */
import { resolveReference } from "./iri-reference.ts";

/** The parts of Traqula's syntax tree that we look at. */
export interface SyntaxTree {
  readonly type: "query" | "update";
  readonly subType: "select" | "construct" | "ask" | "describe";
  readonly context: readonly ContextDefinition[];
  readonly updates: readonly { readonly context: readonly ContextDefinition[]; readonly operation?: unknown }[];
}
interface ContextDefinition {
  readonly subType: string;
  readonly value: NamedNodeTerm;
}
interface NamedNodeTerm {
  value: string;
  readonly prefix?: string;
}

/** Returns the last base in force. Throws an Error that names a relative IRI without base. */
export function resolveIris(tree: SyntaxTree, baseIri: string | undefined): string | undefined {
  let base = baseIri;
  if (tree.type === "query") {
    base = resolveContext(tree.context, base);
    resolveTerms({ ...tree, context: undefined }, base);
    return base;
  }
  for (const unit of tree.updates) {
    base = resolveContext(unit.context, base);
    resolveTerms(unit.operation, base);
  }
  return base;
}

function resolveContext(context: readonly ContextDefinition[], baseIri: string | undefined): string | undefined {
  let base = baseIri;
  for (const definition of context) {
    if (definition.subType !== "base" && definition.subType !== "prefix") continue;
    resolveTerm(definition.value, base);
    if (definition.subType === "base") base = definition.value.value;
  }
  return base;
}

function resolveTerms(root: unknown, base: string | undefined): void {
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const node = stack.pop();
    if (typeof node !== "object" || node === null) continue;
    if ((node as { subType?: unknown }).subType === "namedNode" && (node as { prefix?: unknown }).prefix === undefined)
      resolveTerm(node as NamedNodeTerm, base);
    else for (const child of Object.values(node)) if (typeof child === "object") stack.push(child);
  }
}

function resolveTerm(term: NamedNodeTerm, base: string | undefined): void {
  const resolved = resolveReference(term.value, base);
  if (resolved === undefined) throw new Error(`Cannot resolve relative IRI ${term.value} because no base IRI was set.`);
  term.value = resolved;
}

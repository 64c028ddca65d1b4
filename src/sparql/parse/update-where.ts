/**
 * The WHERE of an update, translated as that of a query.
 *
 * Templates need their graphs inside the quads; a pattern treated so loses what GRAPH means around subselects, OPTIONAL
 * and empty groups. So each WHERE is translated once more, as the pattern of a SELECT, and gets its dataset from USING,
 * or from WITH, which sets the default graph and leaves all named graphs visible.
 */
import type * as RDF from "@rdfjs/types";
import type { Operation, UpdateOperation } from "./algebra.ts";
import type { SyntaxTree } from "./resolve-iris.ts";

interface ModifySyntax {
  readonly subType: string;
  readonly where?: { readonly patterns: readonly unknown[] };
  readonly graph?: unknown;
  readonly from?: { readonly clauses: readonly unknown[] };
}

/** Replaces the WHERE of each modifying operation in place; `translate` turns a query's syntax tree into algebra. */
export function translateWheres(tree: SyntaxTree, algebra: Operation | UpdateOperation, translate: (query: unknown) => Operation): void {
  const composite = algebra as unknown as { type: string; updates?: UpdateOperation[] };
  const operations = composite.updates ?? [algebra as UpdateOperation];
  const context: unknown[] = [];
  let at = 0;
  for (const update of tree.updates) {
    context.push(...update.context);
    if (update.operation === undefined) continue;
    const syntax = update.operation as ModifySyntax;
    const operation = operations[at++];
    if (syntax.subType !== "modify" || operation?.type !== "deleteinsert" || !syntax.where || syntax.where.patterns.length === 0) continue;
    operation.where = whereOf(syntax, context, translate);
  }
}

function whereOf(syntax: ModifySyntax, context: readonly unknown[], translate: (query: unknown) => Operation): Operation {
  const clauses = syntax.from?.clauses ?? [];
  const datasets = {
    type: "datasetClauses",
    clauses: clauses.length > 0 || syntax.graph === undefined ? clauses : [{ clauseType: "default", value: syntax.graph }],
  };
  const query = {
    type: "query",
    subType: "select",
    context,
    variables: [{ type: "wildcard" }],
    where: syntax.where,
    solutionModifiers: {},
    datasets,
  };
  const selected = translate(query);
  const from = selected.type === "from" ? selected : undefined;
  const pattern = patternOf(from ? from.input : selected);
  if (!from) return pattern;
  const named: RDF.NamedNode[] | undefined = clauses.length > 0 ? (from.named ?? []) : undefined;
  return { type: "from", input: pattern, default: from.default ?? [], named };
}

function patternOf(selected: Operation): Operation {
  return selected.type === "project" ? selected.input : selected;
}

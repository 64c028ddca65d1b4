/** What goes between the server's thread and a thread that parses one large document. */
import type { PackedError } from "../base/index.ts";
import { BlankNodeScope } from "./blank-node-scope.ts";
import type { ParseLimits } from "./parse-limits.ts";

export interface DocumentTask {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly baseIri: string | undefined;
  readonly limits: Partial<ParseLimits> | undefined;
  readonly contexts: ReadonlyMap<string, unknown> | undefined;
  readonly unmapped: "refuse" | "ignore" | undefined;
  /** Begins the labels of nodes without one; random, so that it occurs in no document. */
  readonly labelPrefix: string;
}

export interface LargeDocument {
  /** Canonical N-Quads in UTF-8; statements without a graph have none. */
  readonly nquads: Uint8Array;
  /** Labels that the document wrote as `<_:label>`: it is refused when they name nothing that is stored. */
  readonly addressed: readonly string[];
}

export type DocumentAnswer = { readonly ok: true; readonly document: LargeDocument } | { readonly ok: false; readonly error: PackedError };

/** Labels in the parsing thread, which cannot know what is stored: kept as they are, addressed ones noted. */
export class KeptLabels extends BlankNodeScope {
  readonly addressed = new Set<string>();
  readonly #prefix: string;
  #anonymous = 0;

  constructor(prefix: string) {
    super({ fresh: () => "", isKnown: () => false });
    this.#prefix = prefix;
  }

  override resolve(label: string): string {
    return label;
  }

  override address(label: string): string {
    this.addressed.add(label);
    return label;
  }

  override anonymous(): string {
    return `${this.#prefix}${this.#anonymous++}`;
  }
}

/** Prefixes for writing: which prefixed name, if any, an IRI has. */

/** Prefix (without colon) to namespace IRI. */
export type PrefixMap = Readonly<Record<string, string>> | ReadonlyMap<string, string>;

/** A prefix that Turtle, SPARQL and XML can all write. */
const PREFIX = /^[A-Za-z](?:[\w-]*\w)?$/;
/** A local name that needs no escape in Turtle and is an XML name. */
const LOCAL = /^[A-Za-z_](?:[\w-]*\w)?$/;

export class PrefixNames {
  readonly #byNamespace = new Map<string, string>();

  constructor(prefixes: PrefixMap | undefined) {
    if (prefixes === undefined) return;
    const entries = prefixes instanceof Map ? prefixes.entries() : Object.entries(prefixes as Record<string, string>);
    for (const [prefix, namespace] of entries) if (prefix === "" || PREFIX.test(prefix)) this.#byNamespace.set(namespace, prefix);
  }

  get size(): number {
    return this.#byNamespace.size;
  }

  /** Namespace to prefix, in the order given. */
  entries(): IterableIterator<[string, string]> {
    return this.#byNamespace.entries();
  }

  /** `prefix:local`, or `undefined`. The namespace must end where the local name starts: after the last # or /. */
  shorten(iri: string): string | undefined {
    if (this.#byNamespace.size === 0) return undefined;
    const cut = Math.max(iri.lastIndexOf("#"), iri.lastIndexOf("/"), iri.lastIndexOf(":")) + 1;
    const prefix = this.#byNamespace.get(iri.slice(0, cut));
    const local = iri.slice(cut);
    return prefix !== undefined && LOCAL.test(local) ? `${prefix}:${local}` : undefined;
  }
}

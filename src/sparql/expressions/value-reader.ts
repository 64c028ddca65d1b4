/**
 * Term id -> value, with two direct-mapped caches: all values, and the plain doubles behind numbers, which comparisons
 * read without touching an object. State: `valueCacheMax` entries per table, about 1.5 MB when full; a miss parses the
 * term again. The scratch terms of one query share the reader of their dictionary and have a small cache beside it. Ids are
 * never given to another term while a table lives, so entries never become wrong.
 */
import { LIMITS } from "../../base/index.ts";
import { NO_TERM, ScratchTerms, type TermId, TermKind, type TermTable } from "../../rdf/index.ts";
import { literalValue } from "./literal.ts";
import { type Value, ValueKind } from "./value.ts";

/** A power of two, as `valueCacheMax` is: most queries are small and short. */
const SCRATCH_CACHE = 256;
/** Decimals of up to 15 digits map one to one to doubles, so doubles compare them as they should be. */
const EXACT_DECIMAL_MAX = 10n ** 15n;

export class ValueReader {
  readonly terms: TermTable;
  /** Of the dictionary, where `terms` are scratch terms over it. */
  readonly #shared: ValueReader | undefined;
  readonly #mask: number;
  readonly #keys: Int32Array;
  readonly #values: (Value | undefined)[];
  readonly #numberKeys: Int32Array;
  readonly #numbers: Float64Array;
  /** Datatype IRIs by id: few, and asked for with every typed literal. */
  readonly #datatypes = new Map<TermId, string>();

  constructor(terms: TermTable) {
    this.terms = terms;
    this.#shared = terms instanceof ScratchTerms ? valueReader(terms.base) : undefined;
    const entries = this.#shared ? SCRATCH_CACHE : LIMITS.valueCacheMax;
    this.#mask = entries - 1;
    this.#keys = new Int32Array(entries);
    this.#values = new Array<Value | undefined>(entries).fill(undefined);
    this.#numberKeys = new Int32Array(entries);
    this.#numbers = new Float64Array(entries);
    // empty entries carry key 0, which is "no term"
    this.#numbers.fill(Number.NaN);
  }

  /** The value, or `undefined` for no term. */
  value(id: TermId): Value | undefined {
    const slot = id & this.#mask;
    if (this.#keys[slot] === id) return this.#values[slot];
    if (id === NO_TERM) return undefined;
    const value = this.#shared && !ScratchTerms.owns(id) ? this.#shared.value(id) : this.#parse(id);
    this.#keys[slot] = id;
    this.#values[slot] = value;
    return value;
  }

  /**
   * The number behind an integer, decimal or double whose order and equality a double tells exactly; otherwise NaN.
   * Floats are NaN: against them, others are compared in single precision.
   */
  number(id: TermId): number {
    const slot = id & this.#mask;
    if (this.#numberKeys[slot] === id) return this.#numbers[slot];
    const value = this.value(id);
    const number = value === undefined ? Number.NaN : exactNumber(value);
    if (id === NO_TERM) return number;
    this.#numberKeys[slot] = id;
    this.#numbers[slot] = number;
    return number;
  }

  #parse(id: TermId): Value {
    const { terms } = this;
    const text = terms.value(id);
    switch (terms.kind(id)) {
      case TermKind.IRI:
        return { kind: ValueKind.IRI, id, text };
      case TermKind.BLANK:
        return { kind: ValueKind.BLANK, id, text };
      case TermKind.PLAIN:
        return { kind: ValueKind.STRING, id, text };
      case TermKind.LANGUAGE:
        return { kind: ValueKind.LANGUAGE, id, text, language: terms.language(id) };
      default:
        return literalValue(text, this.#datatypeIri(terms.datatype(id)), id);
    }
  }

  #datatypeIri(id: TermId): string {
    const known = this.#datatypes.get(id);
    if (known !== undefined) return known;
    const iri = this.terms.value(id);
    if (this.#datatypes.size < 1024) this.#datatypes.set(id, iri);
    return iri;
  }
}

function exactNumber(value: Value): number {
  switch (value.kind) {
    case ValueKind.INTEGER:
      return typeof value.integer === "number" ? value.integer : Number.NaN;
    case ValueKind.DOUBLE:
      return value.double;
    case ValueKind.DECIMAL: {
      const { unscaled, scale } = value.decimal;
      if (unscaled >= EXACT_DECIMAL_MAX || unscaled <= -EXACT_DECIMAL_MAX || scale > 22) return Number.NaN;
      return Number(unscaled) / 10 ** scale;
    }
    default:
      return Number.NaN;
  }
}

const readers = new WeakMap<TermTable, ValueReader>();

/** The one reader of a table: all expressions over it share its caches. */
export function valueReader(terms: TermTable): ValueReader {
  let reader = readers.get(terms);
  if (!reader) {
    reader = new ValueReader(terms);
    readers.set(terms, reader);
  }
  return reader;
}

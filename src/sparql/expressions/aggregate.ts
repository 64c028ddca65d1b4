/**
 * Aggregates over multisets of terms: add with a weight, take away with a negative one, ask at any time.
 *
 * State: COUNT, SUM and AVG without DISTINCT over integers and decimals keep one exact number; everything else keeps a weight
 * per term, O(distinct terms). Floats and doubles are summed when asked, in term order, so neither the order of arrival nor
 * a removal leaves a trace: after any history the result is that of the multiset alone.
 * Id 0 stands for an error. Errors spoil all but COUNT and SAMPLE, which pass over them. Source: SPARQL 1.1, section 18.5.1.
 */
import { assert } from "../../base/index.ts";
import { NO_TERM, type TermId, TermKind, type TermTable } from "../../rdf/index.ts";
import type { AggregateKind } from "../parse/index.ts";
import { calculateNumbers } from "./arithmetic.ts";
import { toDecimal } from "./comparison.ts";
import { addDecimals, type Decimal, decimal, powerOfTen } from "./decimal.ts";
import { checkTextLength } from "./string-functions.ts";
import { compareForOrder, compareTerms } from "./term-order.ts";
import { type DecimalValue, doubleValue, floatValue, integerValue, isNumeric, type NumericValue, stringValue, ValueKind } from "./value.ts";
import { type ValueReader, valueReader } from "./value-reader.ts";
import { writeValue } from "./value-writer.ts";

export interface Aggregate {
  /** Adds `weight` copies of a term; negative weights take copies away that were added before. 0 is an error value. */
  add(term: TermId, weight: number): void;
  /** The result as a term, 0 when it is an error or there is none. */
  result(): TermId;
  /** Whether a removal leaves exactly the state of never having added; true for every aggregate here. */
  readonly removalExact: boolean;
  /** Whether the state is one number, whatever the size of the group. */
  readonly constantState: boolean;
}

/** For COUNT(*), add any term once per solution. Throws SENS_RESULT_TOO_LARGE from `result` of GROUP_CONCAT. */
export function createAggregate(kind: AggregateKind, distinct: boolean, separator: string | undefined, terms: TermTable): Aggregate {
  if (kind === "count" && !distinct) return new Count(terms);
  if (kind === "sum" || kind === "avg")
    return distinct ? new Distinct(terms, new Sum(terms, kind === "avg")) : new Sum(terms, kind === "avg");
  return new Listed(terms, kind, distinct, separator ?? " ");
}

class Count implements Aggregate {
  readonly removalExact = true;
  readonly constantState = true;
  readonly #terms: TermTable;
  #count = 0;
  constructor(terms: TermTable) {
    this.#terms = terms;
  }
  add(term: TermId, weight: number): void {
    if (term !== NO_TERM) this.#count += weight;
  }
  result(): TermId {
    return writeValue(this.#terms, integerValue(this.#count));
  }
}

const ZERO: Decimal = { unscaled: 0n, scale: 0 };

class Sum implements Aggregate {
  readonly removalExact = true;
  readonly #terms: TermTable;
  readonly #reader: ValueReader;
  readonly #average: boolean;
  #total: Decimal = ZERO;
  #count = 0;
  #decimals = 0;
  #errors = 0;
  /** Floats and doubles, by term. */
  readonly #inexact: WeightedTerms;

  constructor(terms: TermTable, average: boolean) {
    this.#terms = terms;
    this.#reader = valueReader(terms);
    this.#average = average;
    this.#inexact = new WeightedTerms();
  }

  get constantState(): boolean {
    return this.#inexact.size === 0;
  }

  add(term: TermId, weight: number): void {
    const value = this.#reader.value(term);
    this.#count += weight;
    if (value === undefined || !isNumeric(value)) this.#errors += weight;
    else if (value.kind === ValueKind.FLOAT || value.kind === ValueKind.DOUBLE) this.#inexact.add(term, weight);
    else {
      if (value.kind === ValueKind.DECIMAL) this.#decimals += weight;
      const { unscaled, scale } = toDecimal(value);
      // a sum of numbers within the limit of digits is at most a few digits longer
      this.#total =
        addDecimals(this.#total, { unscaled: unscaled * BigInt(weight), scale }) ??
        normalize(this.#total, unscaled * BigInt(weight), scale);
    }
  }

  result(): TermId {
    if (this.#errors !== 0) return NO_TERM;
    if (this.#count === 0) return writeValue(this.#terms, integerValue(0));
    const sum = this.#sum();
    const value = this.#average && sum ? calculateNumbers("/", sum, integerValue(this.#count)) : sum;
    return value ? writeValue(this.#terms, value) : NO_TERM;
  }

  #sum(): NumericValue | undefined {
    const exact: NumericValue =
      this.#decimals === 0 && this.#total.scale === 0 ? integerValue(this.#total.unscaled) : decimalOf(this.#total);
    if (this.#inexact.size === 0) return exact;
    let sum: NumericValue | undefined = exact;
    for (const term of this.#inexact.sorted((a, b) => compareTerms(this.#terms, a, b))) {
      const value = this.#reader.value(term);
      if (!sum || !value || !isNumeric(value)) return undefined;
      const weight = this.#inexact.weight(term);
      const times = value.kind === ValueKind.FLOAT ? floatValue(weight) : doubleValue(weight);
      const product: NumericValue | undefined = weight === 1 ? value : calculateNumbers("*", value, times);
      sum = product && calculateNumbers("+", sum, product);
    }
    return sum;
  }
}

/** Passes each term on once. */
class Distinct implements Aggregate {
  readonly removalExact = true;
  readonly constantState = false;
  readonly #inner: Aggregate;
  readonly #weights = new WeightedTerms();
  constructor(_terms: TermTable, inner: Aggregate) {
    this.#inner = inner;
  }
  add(term: TermId, weight: number): void {
    const before = this.#weights.weight(term) > 0;
    this.#weights.add(term, weight);
    const after = this.#weights.weight(term) > 0;
    if (before !== after) this.#inner.add(term, after ? 1 : -1);
  }
  result(): TermId {
    return this.#inner.result();
  }
}

/** COUNT DISTINCT, MIN, MAX, SAMPLE and GROUP_CONCAT look at the terms themselves. */
class Listed implements Aggregate {
  readonly removalExact = true;
  readonly constantState = false;
  readonly #terms: TermTable;
  readonly #kind: "count" | "min" | "max" | "sample" | "group_concat";
  readonly #distinct: boolean;
  readonly #separator: string;
  readonly #weights = new WeightedTerms();

  constructor(terms: TermTable, kind: "count" | "min" | "max" | "sample" | "group_concat", distinct: boolean, separator: string) {
    this.#terms = terms;
    this.#kind = kind;
    this.#distinct = distinct;
    this.#separator = separator;
  }

  add(term: TermId, weight: number): void {
    this.#weights.add(term, weight);
  }

  result(): TermId {
    const errors = this.#weights.weight(NO_TERM);
    if (this.#kind === "count") return writeValue(this.#terms, integerValue(this.#weights.size - (errors > 0 ? 1 : 0)));
    if (this.#kind === "sample") return this.#least((a, b) => compareTerms(this.#terms, a, b));
    if (errors > 0) return NO_TERM;
    if (this.#kind === "min") return this.#least((a, b) => compareForOrder(this.#terms, a, b));
    if (this.#kind === "max") return this.#least((a, b) => compareForOrder(this.#terms, b, a));
    return this.#concatenated();
  }

  #least(compare: (a: TermId, b: TermId) => number): TermId {
    let least: TermId = NO_TERM;
    for (const term of this.#weights.terms()) if (term !== NO_TERM && (least === NO_TERM || compare(term, least) < 0)) least = term;
    return least;
  }

  #concatenated(): TermId {
    const texts: string[] = [];
    let length = 0;
    for (const term of this.#weights.sorted((a, b) => compareTerms(this.#terms, a, b))) {
      if (this.#terms.kind(term) === TermKind.BLANK) return NO_TERM;
      const text = this.#terms.value(term);
      for (let copies = this.#distinct ? 1 : this.#weights.weight(term); copies > 0; copies--) {
        length += text.length + (texts.length > 0 ? this.#separator.length : 0);
        checkTextLength(length);
        texts.push(text);
      }
    }
    return writeValue(this.#terms, stringValue(texts.join(this.#separator)));
  }
}

/** Terms with non-zero weights. */
class WeightedTerms {
  readonly #weights = new Map<TermId, number>();
  get size(): number {
    return this.#weights.size;
  }
  weight(term: TermId): number {
    return this.#weights.get(term) ?? 0;
  }
  add(term: TermId, weight: number): void {
    const sum = this.weight(term) + weight;
    assert(Number.isSafeInteger(sum), () => `weight ${sum} of term ${term}`);
    if (sum === 0) this.#weights.delete(term);
    else this.#weights.set(term, sum);
  }
  terms(): IterableIterator<TermId> {
    return this.#weights.keys();
  }
  sorted(compare: (a: TermId, b: TermId) => number): TermId[] {
    return [...this.#weights.keys()].sort(compare);
  }
}

function decimalOf(total: Decimal): DecimalValue {
  return { kind: ValueKind.DECIMAL, id: 0, decimal: total };
}

/** A total beyond the limit of digits is kept as it is: a removal may bring it back. */
function normalize(total: Decimal, unscaled: bigint, scale: number): Decimal {
  const common = Math.max(total.scale, scale);
  const sum = total.unscaled * powerOfTen(common - total.scale) + unscaled * powerOfTen(common - scale);
  return decimal(sum, common) ?? { unscaled: sum, scale: common };
}

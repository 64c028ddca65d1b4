/**
 * TanStack db-ivm, an incremental dataflow library, with joins wired by hand for exactly this ontology and these nine
 * queries. Subscriptions are rows that the data are joined with, the best case for such a library. Its loop operator is
 * not used: isAncestorOf is unrolled to the four steps the data have. It keeps only what the joins need; attributes that
 * no query reads are dropped. Documents are parsed by N3.js, as a user of the library would have to; or, as a lower bound,
 * only split at spaces with nothing checked.
 */
import type { ClosureRelation, Fingerprint } from "../workload/closure.ts";
import type { Publication, Target } from "../workload/subscriptions.ts";
import { iri, NAMESPACE, TYPE } from "../workload/vocabulary.ts";
import type { Contender, Told } from "./contender.ts";
import { type Dataflow, type DbIvm, type Input, type Keyed, loadDbIvm, type Stream, type Weighted } from "./db-ivm-library.ts";
import { distinctPairs, READ_PREDICATES, type ReadPredicate, swapped, type WiredData } from "./db-ivm-pairs.ts";
import { wireSubscriptions } from "./db-ivm-subscriptions.ts";
import { parse } from "./n3-reasoner.ts";
import { type PlainTriple, plainTriples } from "./plain-lines.ts";
import { ntriplesTerm } from "./rdfjs-lines.ts";

const GENERATIONS = 4;

export class DbIvmContender implements Contender {
  readonly #graph: Dataflow;
  readonly #inputs = new Map<string, Input<Keyed<string>>>();
  readonly #subscribed: Readonly<Record<string, Input<Keyed<readonly [subscription: number, second: string]>>>>;
  readonly #facts = new Map<ClosureRelation, Map<string, number>>();
  #told = new Map<number, Map<string, number>>();

  readonly #read: (document: Buffer) => Iterable<PlainTriple>;

  static async make(withSubscriptions: boolean, splitsLines: boolean): Promise<DbIvmContender> {
    return new DbIvmContender(await loadDbIvm(), withSubscriptions, splitsLines ? plainTriples : parsedTriples);
  }

  private constructor(library: DbIvm, withSubscriptions: boolean, read: (document: Buffer) => Iterable<PlainTriple>) {
    this.#read = read;
    this.#graph = new library.D2();
    const data = this.#wireReasoning(library);
    this.#keep(library, "Person", data.person);
    this.#keep(library, "isParentOf", data.parent);
    this.#keep(library, "isChildOf", swapped(library, data.parent));
    this.#keep(library, "isAncestorOf", data.ancestor);
    this.#subscribed = withSubscriptions
      ? wireSubscriptions(library, this.#graph, data, (subscription, line, weight) => {
          const lines = this.#told.get(subscription) ?? new Map<string, number>();
          this.#told.set(subscription, lines);
          lines.set(line, (lines.get(line) ?? 0) + weight);
        })
      : {};
    this.#graph.finalize();
  }

  #wireReasoning(library: DbIvm): WiredData {
    const of = {} as Record<ReadPredicate, Stream<Keyed<string>>>;
    for (const predicate of [...READ_PREDICATES, "type"] as const) {
      const input = this.#graph.newInput<Keyed<string>>();
      this.#inputs.set(predicate === "type" ? TYPE : iri(predicate), input);
      of[predicate] = input;
    }
    const { map, concat, join } = library;
    const parent = distinctPairs(library, of.isParentOf.pipe(concat(swapped(library, of.isChildOf))));
    let reached = parent;
    let all = parent;
    for (let step = 1; step < GENERATIONS; step++) {
      // (middle, start) joined with (middle, end) gives (start, end).
      reached = swapped(library, reached).pipe(
        join<string, string>(parent),
        map(([, [start, end]]: Keyed<[string, string]>): Keyed<string> => [start, end]),
      );
      all = all.pipe(concat(reached));
    }
    const sexes = of.type.pipe(library.map(([who]: Keyed<string>): Keyed<string> => [who, ""]));
    const ends = parent.pipe(map(([who]: Keyed<string>): Keyed<string> => [who, ""]));
    const children = parent.pipe(map(([, who]: Keyed<string>): Keyed<string> => [who, ""]));
    return {
      of,
      parent,
      ancestor: distinctPairs(library, all),
      person: distinctPairs(library, sexes.pipe(concat(ends), concat(children))),
    };
  }

  #keep({ output }: DbIvm, relation: ClosureRelation, stream: Stream<Keyed<string>>): void {
    const facts = new Map<string, number>();
    this.#facts.set(relation, facts);
    stream.pipe(
      output((rows) => {
        for (const [[subject, object], weight] of rows.getInner()) {
          const fact = `${subject} ${object}`;
          const now = (facts.get(fact) ?? 0) + weight;
          if (now === 0) facts.delete(fact);
          else facts.set(fact, now);
        }
      }),
    );
  }

  #change(document: Buffer, weight: 1 | -1): void {
    const rows = new Map<Input<Keyed<string>>, Weighted<Keyed<string>>[]>();
    for (const [subject, predicate, object] of this.#read(document)) {
      const input = this.#inputs.get(predicate);
      if (!input) continue;
      const list = rows.get(input);
      const row: Weighted<Keyed<string>> = [[subject, object], weight];
      if (list) list.push(row);
      else rows.set(input, [row]);
    }
    for (const [input, list] of rows) input.sendData(list);
    this.#graph.run();
  }

  load(document: Buffer): void {
    this.#change(document, 1);
    this.#told.clear();
  }

  withdraw(document: Buffer): void {
    this.#change(document, -1);
    this.#told.clear();
  }

  closure(facts: Fingerprint): void {
    const local = (term: string): string => term.slice(1 + NAMESPACE.length, -1);
    for (const [relation, held] of this.#facts) {
      for (const fact of held.keys()) {
        const [subject, object] = fact.split(" ");
        facts.add(relation, local(subject), object === "" ? "" : local(object));
      }
    }
  }

  factCount(): undefined {
    return undefined;
  }

  #register({ shape, constants: [first, second = ""], number }: Target, weight: 1 | -1): void {
    this.#subscribed[shape].sendData([[[first, [number, second]], weight]]);
    this.#graph.run();
    this.#told.clear();
  }

  subscribe(target: Target): void {
    this.#register(target, 1);
  }

  unsubscribe(target: Target): void {
    this.#register(target, -1);
  }

  publish({ document }: Publication): Told[] {
    this.#change(document, 1);
    const told: Told[] = [];
    for (const [subscription, lines] of this.#told) {
      const added = [...lines].filter(([, weight]) => weight > 0).map(([line]) => line);
      if (added.length > 0) told.push({ subscription, added });
    }
    this.#told = new Map();
    return told;
  }

  takeBack({ document }: Publication): boolean {
    this.withdraw(document);
    return true;
  }

  memory(): Record<string, number> {
    return {};
  }

  close(): void {}
}

function* parsedTriples(document: Buffer): Generator<PlainTriple> {
  for (const { subject, predicate, object } of parse(document.toString("latin1"))) {
    yield [ntriplesTerm(subject), ntriplesTerm(predicate), ntriplesTerm(object)];
  }
}

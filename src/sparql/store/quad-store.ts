/**
 * The engine's quad relation as an RDF/JS Store and DatasetCore that stands alone: what N3.js and Comunica take where
 * they take N3's own store, a tenth of its memory (docs/decisions/0004-quad-store.md).
 *
 * The same relation and dictionary carry the server's knowledge base; there it is changed by transactions only and read
 * through pinned readers. Matches are streams over the state when reading starts.
 */
import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import type * as RDF from "@rdfjs/types";
import { QuadRelation } from "../../engine/index.ts";
import { dataFactory, TermDictionary } from "../../rdf/index.ts";

type Pattern = RDF.Term | null | undefined;

export class QuadStore implements RDF.Store, RDF.DatasetCore {
  readonly #quads = new QuadRelation();
  readonly #terms: TermDictionary;

  /** Several stores may share a dictionary. */
  constructor(quads: Iterable<RDF.Quad> = [], terms: TermDictionary = new TermDictionary()) {
    this.#terms = terms;
    for (const quad of quads) this.addQuad(quad);
  }

  get size(): number {
    return this.#quads.size;
  }

  get memoryBytes(): number {
    return this.#quads.memoryBytes + this.#terms.memoryBytes;
  }

  /** Adds by ids of the shared dictionary; 0 is the default graph. Answers whether it is new. */
  addIds(s: number, p: number, o: number, g: number): boolean {
    return this.#quads.load(s, p, o, g);
  }

  addQuad(quad: RDF.Quad): boolean {
    const terms = this.#terms;
    return this.#quads.load(terms.encode(quad.subject), terms.encode(quad.predicate), terms.encode(quad.object), this.#graphId(quad.graph));
  }

  addQuads(quads: Iterable<RDF.Quad>): void {
    for (const quad of quads) this.addQuad(quad);
  }

  removeQuad(quad: RDF.Quad): boolean {
    const [s, p, o, g] = this.#find(quad.subject, quad.predicate, quad.object, quad.graph);
    return s > 0 && p > 0 && o > 0 && g !== undefined && g >= 0 && this.#quads.unload(s, p, o, g);
  }

  removeQuads(quads: Iterable<RDF.Quad>): void {
    for (const quad of [...quads]) this.removeQuad(quad);
  }

  add(quad: RDF.Quad): this {
    this.addQuad(quad);
    return this;
  }

  delete(quad: RDF.Quad): this {
    this.removeQuad(quad);
    return this;
  }

  has(quad: RDF.Quad): boolean {
    const [s, p, o, g] = this.#find(quad.subject, quad.predicate, quad.object, quad.graph);
    return s > 0 && p > 0 && o > 0 && g !== undefined && g >= 0 && this.#quads.isVisible(s, p, o, g);
  }

  getQuads(subject?: Pattern, predicate?: Pattern, object?: Pattern, graph?: Pattern): RDF.Quad[] {
    return [...this.#matching(subject, predicate, object, graph)];
  }

  countQuads(subject?: Pattern, predicate?: Pattern, object?: Pattern, graph?: Pattern): number {
    let count = 0;
    this.#rows(subject, predicate, object, graph, () => {
      count++;
    });
    return count;
  }

  forEach(callback: (quad: RDF.Quad) => void, subject?: Pattern, predicate?: Pattern, object?: Pattern, graph?: Pattern): void {
    for (const quad of this.#matching(subject, predicate, object, graph)) callback(quad);
  }

  [Symbol.iterator](): Iterator<RDF.Quad> {
    return this.#matching(null, null, null, null)[Symbol.iterator]();
  }

  /** A stream (RDF/JS Source) that is a dataset of the matches too (RDF/JS DatasetCore). */
  match(subject?: Pattern, predicate?: Pattern, object?: Pattern, graph?: Pattern): RDF.Stream<RDF.Quad> & RDF.DatasetCore {
    const stream = Readable.from(this.#matching(subject, predicate, object, graph), { objectMode: true, highWaterMark: 128 });
    let dataset: QuadStore | undefined;
    const matches = (): QuadStore => {
      dataset ??= new QuadStore(this.#matching(subject, predicate, object, graph), this.#terms);
      return dataset;
    };
    return Object.assign(stream, {
      add: (quad: RDF.Quad) => matches().add(quad),
      delete: (quad: RDF.Quad) => matches().delete(quad),
      has: (quad: RDF.Quad) => matches().has(quad),
      match: (s?: Pattern, p?: Pattern, o?: Pattern, g?: Pattern) => matches().match(s, p, o, g),
      get size() {
        return matches().size;
      },
      [Symbol.iterator]: () => matches()[Symbol.iterator](),
    }) as unknown as RDF.Stream<RDF.Quad> & RDF.DatasetCore;
  }

  import(stream: RDF.Stream<RDF.Quad>): EventEmitter {
    return this.#consume(stream, (quad) => this.addQuad(quad));
  }

  remove(stream: RDF.Stream<RDF.Quad>): EventEmitter {
    return this.#consume(stream, (quad) => this.removeQuad(quad));
  }

  removeMatches(subject?: Pattern, predicate?: Pattern, object?: Pattern, graph?: Pattern): EventEmitter {
    return this.#later(() => this.removeQuads(this.getQuads(subject, predicate, object, graph)));
  }

  deleteGraph(graph: RDF.Quad_Graph | string): EventEmitter {
    return this.removeMatches(null, null, null, typeof graph === "string" ? dataFactory.namedNode(graph) : graph);
  }

  // ---- ids --------------------------------------------------------------------------------------------------------

  #graphId(graph: RDF.Term): number {
    return graph.termType === "DefaultGraph" ? 0 : this.#terms.encode(graph);
  }

  /** Ids of a pattern: 0 or undefined (graph) = any, -1 = a term the store has never seen. */
  #find(subject: Pattern, predicate: Pattern, object: Pattern, graph: Pattern): [number, number, number, number | undefined] {
    const id = (term: Pattern): number => (isFree(term) ? 0 : this.#terms.find(term) || -1);
    const g = isFree(graph) ? undefined : graph.termType === "DefaultGraph" ? 0 : this.#terms.find(graph) || -1;
    return [id(subject), id(predicate), id(object), g];
  }

  #rows(subject: Pattern, predicate: Pattern, object: Pattern, graph: Pattern, visit: (row: number) => void): void {
    const [s, p, o, g] = this.#find(subject, predicate, object, graph);
    if (s < 0 || p < 0 || o < 0 || g === -1) return;
    this.#quads.rowsMatching(s, p, o, g, (row) => {
      visit(row);
      return true;
    });
  }

  *#matching(subject: Pattern, predicate: Pattern, object: Pattern, graph: Pattern): Iterable<RDF.Quad> {
    // The ids are copied first: the consumer may change the store while it reads.
    const ids: number[] = [];
    this.#rows(subject, predicate, object, graph, (row) =>
      ids.push(this.#quads.rows.subject(row), this.#quads.rows.predicate(row), this.#quads.rows.object(row), this.#quads.rows.graph(row)),
    );
    const terms = this.#terms;
    for (let i = 0; i < ids.length; i += 4) {
      yield dataFactory.quad(
        terms.decode(ids[i]) as RDF.Quad_Subject,
        terms.decode(ids[i + 1]) as RDF.Quad_Predicate,
        terms.decode(ids[i + 2]) as RDF.Quad_Object,
        ids[i + 3] === 0 ? dataFactory.defaultGraph() : (terms.decode(ids[i + 3]) as RDF.Quad_Graph),
      ) as RDF.Quad;
    }
  }

  #consume(stream: RDF.Stream<RDF.Quad>, each: (quad: RDF.Quad) => void): EventEmitter {
    const done = new EventEmitter();
    stream.on("data", each);
    stream.on("end", () => done.emit("end"));
    stream.on("error", (error) => done.emit("error", error));
    return done;
  }

  #later(work: () => void): EventEmitter {
    const done = new EventEmitter();
    queueMicrotask(() => {
      work();
      done.emit("end");
    });
    return done;
  }
}

function isFree(term: Pattern): term is null | undefined | RDF.Variable {
  return term === null || term === undefined || term.termType === "Variable";
}

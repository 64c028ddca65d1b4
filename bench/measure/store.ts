/**
 * The store alone: no rules, no subscriptions. Insert from N-Triples bytes and insert alone (terms read beforehand),
 * then match every predicate with everything else open, subjects, and objects. `bytes` is what the process holds more
 * than before after a full collection, terms included.
 */
import { DataFactory, type Quad, Store } from "n3";
import { BlankNodeScope, parseDocumentSync, ServerLabels } from "../../src/rdf/index.ts";
import { parse } from "../contenders/n3-reasoner.ts";
import { SensEngine } from "../contenders/sens-engine.ts";
import { Documents, TRIPLES_PER_PATIENT } from "../workload/documents.ts";
import { people } from "../workload/people.ts";
import { NAMESPACE } from "../workload/vocabulary.ts";
import { heldBytes, stopwatch } from "./clock.ts";
import type { CaseSettings, Outcome } from "./outcome.ts";

const PATIENTS_PER_INSERT = 1000;
const LOOKUPS = 20_000;

/** A store as this measurement sees it. */
interface BareStore {
  /** Reads terms of a document; answers what inserts it. */
  prepare(document: Buffer): () => void;
  matchPredicate(predicate: string): number;
  matchSubject(subject: string): number;
  matchObject(object: string): number;
  readonly size: number;
  figures(): Readonly<Record<string, number>>;
}

export function measureStore(settings: CaseSettings): Outcome {
  const patients = people(Math.round(settings.triples / TRIPLES_PER_PATIENT));
  const documents = new Documents(patients);
  const before = heldBytes();
  const store = settings.contender === "n3-store" ? n3Store() : sensStore();
  let insertUs = 0;
  let parseUs = 0;
  for (let at = 0; at < documents.count; at += PATIENTS_PER_INSERT) {
    const parsing = stopwatch();
    const insert = store.prepare(documents.span(at, Math.min(documents.count, at + PATIENTS_PER_INSERT)));
    parseUs += parsing().cpuUs;
    const inserting = stopwatch();
    insert();
    insertUs += inserting().cpuUs;
  }
  const triples = documents.count * TRIPLES_PER_PATIENT;
  const bytes = heldBytes() - before;
  const scans = matchPredicates(store);
  const subjects = lookUp(patients.length, (i) => store.matchSubject(patients[i].name));
  const objects = lookUp(500, (i) => store.matchObject(`ICD${i}`));
  const isRight = store.size === triples && scans.rows === triples && subjects.rowsEach === TRIPLES_PER_PATIENT && objects.rows > 0;
  return {
    result: isRight ? "ok" : `WRONG: size ${store.size}, scanned ${scans.rows}, per subject ${subjects.rowsEach}; expected ${triples}`,
    figures: {
      insertPerS: triples / (insertUs / 1e6),
      loadPerS: triples / ((insertUs + parseUs) / 1e6),
      bytesPerQuad: bytes / triples,
      scanPerS: scans.perS,
      subjectsPerS: subjects.callsPerS,
      objectRowsPerS: objects.perS,
      ...store.figures(),
    },
  };
}

/** Every predicate of the data, twice: the first time warms up. */
function matchPredicates(store: BareStore): { readonly rows: number; readonly perS: number } {
  const predicates = [
    ...["isParentOf", "isChildOf", "hasAge", "hasBloodType", "hasName", "hasFamilyName", "hasPatientNumber", "hasDateOfBirth", "livesIn"],
    ...["hasPractitioner", "registeredAt", "hasInsurance", "hasOccupation", "hasWeight", "hasHeight", "hasDiagnosis", "hasAllergy"],
    ...["takesMedication", ...Array.from({ length: TRIPLES_PER_PATIENT }, (_, i) => `lab${i + 1}`)],
  ];
  const scan = (): number =>
    predicates.reduce((sum, predicate) => sum + store.matchPredicate(NAMESPACE + predicate), store.matchPredicate(""));
  scan();
  const watch = stopwatch();
  const rows = scan();
  return { rows, perS: rows / (watch().cpuUs / 1e6) };
}

function lookUp(range: number, call: (index: number) => number): { rows: number; rowsEach: number; callsPerS: number; perS: number } {
  const calls = Math.min(LOOKUPS, range * 20);
  for (let i = 0; i < calls; i++) call(i % range);
  const watch = stopwatch();
  let rows = 0;
  for (let i = 0; i < calls; i++) rows += call((i * 7919) % range);
  const seconds = watch().cpuUs / 1e6;
  return { rows, rowsEach: rows / calls, callsPerS: calls / seconds, perS: rows / seconds };
}

const TYPE_IRI = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

function sensStore(): BareStore {
  const sens = new SensEngine("none");
  const { engine, terms } = sens;
  const labels = new ServerLabels("bench", () => false);
  const count = (s: number, p: number, o: number): number => {
    let rows = 0;
    engine.quads.match(s, p, o, 0, engine.tick, () => {
      rows++;
      return true;
    });
    return rows;
  };
  return {
    prepare: (document) => {
      const parsed = parseDocumentSync(document, {
        contentType: "application/n-triples",
        dictionary: terms,
        blankNodes: new BlankNodeScope(labels),
      });
      return () => {
        sens.transact((transaction) => {
          for (let i = 0; i < 4 * parsed.count; i += 4)
            transaction.assert(parsed.quads[i], parsed.quads[i + 1], parsed.quads[i + 2], parsed.quads[i + 3]);
        });
      };
    },
    matchPredicate: (predicate) => count(0, terms.iri(predicate === "" ? TYPE_IRI : predicate), 0),
    matchSubject: (subject) => count(terms.iri(NAMESPACE + subject), 0, 0),
    matchObject: (object) => count(0, terms.iri(`${NAMESPACE}hasDiagnosis`), terms.iri(NAMESPACE + object)),
    get size() {
      return engine.quads.size;
    },
    figures: () => ({ ownBytesPerQuad: engine.quads.memoryBytes / engine.quads.size }),
  };
}

function n3Store(): BareStore {
  const store = new Store();
  const { namedNode } = DataFactory;
  const count = (s: string | undefined, p: string | undefined, o: string | undefined): number => {
    let rows = 0;
    store.forEach(
      () => void rows++,
      s === undefined ? null : namedNode(s),
      p === undefined ? null : namedNode(p),
      o === undefined ? null : namedNode(o),
      null,
    );
    return rows;
  };
  return {
    prepare: (document) => {
      const quads: Quad[] = parse(document.toString("latin1"));
      return () => store.addQuads(quads);
    },
    matchPredicate: (predicate) => count(undefined, predicate === "" ? TYPE_IRI : predicate, undefined),
    matchSubject: (subject) => count(NAMESPACE + subject, undefined, undefined),
    matchObject: (object) => count(undefined, `${NAMESPACE}hasDiagnosis`, NAMESPACE + object),
    get size() {
      return store.size;
    },
    figures: () => ({}),
  };
}

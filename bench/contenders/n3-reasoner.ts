/**
 * The reasoner and store of N3.js. It derives from the whole store each time; it has no deletion of consequences, so what
 * was withdrawn is rebuilt from the statements. Subscriptions are statements that rules join, one rule per shape; only
 * shapes that are Horn rules can be had that way.
 */
import { DataFactory, Parser, type Quad, Reasoner, Store } from "n3";
import type { Fingerprint } from "../workload/closure.ts";
import type { Publication, Target } from "../workload/subscriptions.ts";
import { FAMILY_ONTOLOGY, NAMESPACE, RDF_TYPE } from "../workload/vocabulary.ts";
import type { Contender, Told } from "./contender.ts";

const { namedNode } = DataFactory;

export const FAMILY_RULES = `
@prefix : <${NAMESPACE}>.
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#>.
@prefix owl: <http://www.w3.org/2002/07/owl#>.
{ ?c rdfs:subClassOf ?d. ?x a ?c } => { ?x a ?d }.
{ ?p rdfs:domain ?c. ?s ?p ?o } => { ?s a ?c }.
{ ?p rdfs:range ?c. ?s ?p ?o } => { ?o a ?c }.
{ ?p rdfs:subPropertyOf ?q. ?s ?p ?o } => { ?s ?q ?o }.
{ ?p owl:inverseOf ?q. ?s ?p ?o } => { ?o ?q ?s }.
{ ?p owl:inverseOf ?q. ?s ?q ?o } => { ?o ?p ?s }.
{ ?p a owl:TransitiveProperty. ?x ?p ?y. ?y ?p ?z } => { ?x ?p ?z }.
`;

const SHAPE_RULES = `
@prefix : <${NAMESPACE}>.
{ ?s :watchesDonors ?x. ?s :watchesBlood ?t. ?p :isAncestorOf ?x. ?p :hasBloodType ?t } => { ?x :canReceiveBloodFrom ?p }.
{ ?s :watchesGrandparents ?x. ?p :isParentOf ?x. ?g :isParentOf ?p } => { ?x :hasGrandparent ?g }.
{ ?s :watchesDrug ?x. ?p :takesMedication ?x } => { ?x :concerns ?p }.
{ ?s :watchesDrug ?x. ?p :hasAllergy ?x } => { ?x :concerns ?p }.
{ ?s :watchesFamily ?n. ?p :hasFamilyName ?n. ?p a :Person } => { ?p :isOfFamily ?n }.
`;

/** Predicate of the result, and whether the watched constant is its subject. */
const RESULTS = [
  ["canReceiveBloodFrom", true],
  ["hasGrandparent", true],
  ["concerns", true],
  ["isOfFamily", false],
] as const;

const WATCHES: Readonly<Record<string, readonly string[]>> = {
  donor: ["watchesDonors", "watchesBlood"],
  grandparent: ["watchesGrandparents"],
  drug: ["watchesDrug"],
  family: ["watchesFamily"],
};

export class N3Reasoner implements Contender {
  readonly #stated = new Store();
  #store = new Store();
  readonly #rules = new Store(parse(FAMILY_RULES, "text/n3"));
  readonly #subscriptions = new Map<string, number>();
  readonly #seen = new Set<string>();
  #isNew = false;
  readonly #axioms = parse(FAMILY_ONTOLOGY);

  readonly #reasonsAtOnce: boolean;

  constructor(withSubscriptions: boolean) {
    this.#reasonsAtOnce = !withSubscriptions;
    if (withSubscriptions) this.#rules = new Store(parse(FAMILY_RULES + SHAPE_RULES.replace(/@prefix.*\n/, ""), "text/n3"));
    this.#stated.addQuads(this.#axioms);
    this.#store.addQuads(this.#axioms);
  }

  load(document: Buffer): void {
    const quads = parse(document.toString("latin1"));
    this.#stated.addQuads(quads);
    this.#store.addQuads(quads);
    if (this.#reasonsAtOnce) this.#reason();
  }

  /** Reasons once over all that was loaded, where loading is not what is measured. */
  async loaded(): Promise<void> {
    this.#reason();
  }

  #reason(): void {
    new Reasoner(this.#store).reason(this.#rules);
  }

  withdraw(document: Buffer): void {
    this.#stated.removeQuads(parse(document.toString("latin1")));
    this.#store = new Store(this.#stated.getQuads(null, null, null, null));
    this.#reason();
  }

  closure(facts: Fingerprint): void {
    const local = (text: string): string => text.slice(NAMESPACE.length);
    for (const { subject } of this.#store.getQuads(null, namedNode(RDF_TYPE), namedNode(`${NAMESPACE}Person`), null))
      facts.add("Person", local(subject.value), "");
    for (const relation of ["isParentOf", "isChildOf", "isAncestorOf"] as const)
      for (const { subject, object } of this.#store.getQuads(null, namedNode(NAMESPACE + relation), null, null))
        facts.add(relation, local(subject.value), local(object.value));
  }

  factCount(): number {
    return this.#store.size - this.#axioms.length;
  }

  subscribe({ shape, constants, number }: Target): void {
    const watches = WATCHES[shape];
    if (!watches) throw new Error(`${shape} is no Horn rule`);
    const subject = `<${NAMESPACE}subscription${number}>`;
    this.#store.addQuads(parse(watches.map((watch, i) => `${subject} <${NAMESPACE}${watch}> ${constants[i]} .\n`).join("")));
    this.#subscriptions.set(`${RESULTS[Object.keys(WATCHES).indexOf(shape)][0]} ${constants[0]}`, number);
    this.#isNew = true;
  }

  unsubscribe({ number, shape, constants }: Target): void {
    this.#store.removeQuads(this.#store.getQuads(namedNode(`${NAMESPACE}subscription${number}`), null, null, null));
    this.#subscriptions.delete(`${RESULTS[Object.keys(WATCHES).indexOf(shape)][0]} ${constants[0]}`);
  }

  publish({ document }: Publication): Told[] {
    if (this.#isNew) {
      // The first results of new subscriptions are not told.
      this.#reason();
      for (const _ of this.#news());
      this.#isNew = false;
    }
    this.#store.addQuads(parse(document.toString("latin1")));
    this.#reason();
    const told = new Map<number, string[]>();
    for (const [subscription, line] of this.#news()) told.set(subscription, [...(told.get(subscription) ?? []), line]);
    return [...told].map(([subscription, added]) => ({ subscription, added }));
  }

  /** Results that were not there before. */
  *#news(): Generator<[subscription: number, line: string]> {
    for (const [predicate, isSubject] of RESULTS) {
      for (const { subject, object } of this.#store.getQuads(null, namedNode(NAMESPACE + predicate), null, null)) {
        const s = `<${subject.value}>`;
        const o = object.termType === "Literal" ? `"${object.value}"` : `<${object.value}>`;
        const line = `${s} <${NAMESPACE}${predicate}> ${o} .`;
        if (this.#seen.has(line)) continue;
        this.#seen.add(line);
        yield [this.#subscriptions.get(`${predicate} ${isSubject ? s : o}`) ?? -1, line];
      }
    }
  }

  takeBack(): boolean {
    return false;
  }

  memory(): Record<string, number> {
    return {};
  }

  close(): void {}
}

export function parse(text: string, format = "application/n-quads"): Quad[] {
  return new Parser({ format }).parse(text);
}

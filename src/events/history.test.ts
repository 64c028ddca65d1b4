import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SensError } from "../base/index.ts";
import { E, Inbox, like, lines, open, outcomeOf, settled, triple, UnreliableLog } from "./knowledge-base.fixture.ts";

/**
 * Random histories on a log that runs full now and then: what is there is what was acknowledged, and what was told adds
 * up to what is there.
 */
const JOIN = `CONSTRUCT { ?a <${E}linked> ?c } WHERE { ?a <${E}p> ?b . ?b <${E}p> ?c FILTER NOT EXISTS { ?a <${E}q> ?c } }`;
const PATH = `CONSTRUCT { ?a <${E}reach> ?b } WHERE { ?a (<${E}p>|<${E}q>)+ ?b }`;
const LIMITED = `CONSTRUCT { ?a <${E}p> ?b } WHERE { ?a <${E}p> ?b } LIMIT 2`;
const QUERIES = [like("p"), JOIN, PATH, LIMITED];

const action = fc.record({
  act: fc.constantFrom(
    "publish",
    "publish",
    "retract",
    "update",
    "subscribe",
    "take",
    "receive",
    "lease",
    "insertion",
    "once",
    "uninsert",
    "ontology",
    "fail",
    "settle",
    "clock",
  ),
  s: fc.nat(3),
  p: fc.constantFrom("p", "q"),
  o: fc.nat(3),
  n: fc.nat(3),
});

describe("random histories with a disk that runs full", () => {
  it("sum of notifications == result == the query asked ad hoc, for every subscription", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
        const unreliable = new UnreliableLog();
        const { kb, session, clock } = await open({ log: unreliable.log });
        const told: { readonly query: string; readonly inbox: Inbox; readonly id: string }[] = [];
        const insertions: string[] = [];
        const running: Promise<unknown>[] = [];
        const ignore = (work: Promise<unknown>): void => void running.push(outcomeOf(work));
        for (const { act, s, p, o, n } of actions) {
          const data = triple(`n${s}`, p, `n${o}`);
          const query = QUERIES[n];
          switch (act) {
            case "publish":
              ignore(session.publish({ data }));
              break;
            case "retract":
              ignore(session.retract({ data }));
              break;
            case "update":
              ignore(
                session.update({
                  update: `DELETE { ?s <${E}p> ?o } INSERT { ?o <${E}q> ?s } WHERE { ?s <${E}p> ?o . ?s <${E}q> ?x } ; INSERT DATA { <${E}n${s}> <${E}p> <${E}n${o}> }`,
                }),
              );
              break;
            case "subscribe": {
              const inbox = new Inbox();
              ignore(
                session
                  .subscribe({ query, initial: true, removals: true }, inbox)
                  .then(({ subscription }) => told.push({ query, inbox, id: subscription })),
              );
              break;
            }
            case "take":
              ignore(session.remove({ query: LIMITED, timeoutMs: 1_000 }));
              break;
            case "receive":
              ignore(session.receive({ query, timeoutMs: 1_000 }));
              break;
            case "lease":
              ignore(session.remove({ query: LIMITED, timeoutMs: 1_000, leaseMs: 500 }));
              break;
            case "insertion":
              ignore(session.registerInsertion({ query: JOIN }).then(({ insertion }) => insertions.push(insertion)));
              break;
            case "once":
              ignore(
                session
                  .registerInsertion({ query: `CONSTRUCT { ?o <${E}q> ?s } WHERE { ?s <${E}p> ?o }`, mode: "once" })
                  .then(({ insertion }) => insertions.push(insertion)),
              );
              break;
            case "uninsert": {
              const insertion = insertions.pop();
              if (insertion) ignore(session.unregisterInsertion(insertion));
              break;
            }
            case "ontology":
              ignore(session.putOntology({ name: "o", contentType: "text/turtle", content: data }));
              break;
            case "fail":
              unreliable.failures.push(new SensError("SENS_STORAGE_FULL", "The disk is full."));
              break;
            case "settle":
              await outcomeOf(settled(session));
              break;
            case "clock":
              clock.advance(400 * (n + 1));
              break;
          }
        }
        unreliable.failures.length = 0;
        for (let round = 0; round < 8; round++) {
          await outcomeOf(settled(session));
          clock.advance(2_000);
        }
        await Promise.all(running);
        await settled(session);
        for (const { query, inbox, id } of told) {
          const adHoc = lines((await session.query({ query })).graph?.ntriples);
          const sum = new Set<string>();
          for (const { added, removed } of inbox.all) {
            for (const line of lines(removed)) if (!sum.delete(line)) throw new Error(`told of the loss of what was not there: ${line}`);
            for (const line of lines(added)) {
              if (sum.has(line)) throw new Error(`told twice: ${line}`);
              sum.add(line);
            }
          }
          expect([...sum].sort()).toEqual(adHoc);
          expect(lines(session.result(id).graph.ntriples)).toEqual(adHoc);
          expect(session.subscription(id).resultSize).toBe(adHoc.length);
        }
        const changes = await session.changes(kb.cursor().replace(/:.*/, ":0"));
        const replayed = new Set<string>();
        for (const { asserted, retracted } of changes) {
          for (const line of lines(retracted)) expect(replayed.delete(line)).toBe(true);
          for (const line of lines(asserted)) expect(replayed.has(line)).toBe(false);
          for (const line of lines(asserted)) replayed.add(line);
        }
        expect([...replayed].sort()).toEqual(lines((await session.getGraph({})).ntriples));
        expect(changes.map(({ revision }) => revision)).toEqual(changes.map((_, i) => i + 1));
        expect(kb.figures()).toMatchObject({ waits: 0, claims: 0 });
        await kb.close();
      }),
      { numRuns: 80 },
    );
  }, 100_000);
});

import { describe, expect, it } from "vitest";
import { Engine } from "../../engine/index.ts";
import { TermDictionary } from "../../rdf/index.ts";
import { prepareUpdate } from "./execute-update.ts";
import { planOperation } from "./plan-operation.ts";

const E = "http://example.org/";
const COUNT = 20_000;

describe("an operation on many quads", () => {
  const terms = new TermDictionary();
  const engine = new Engine({ typePredicate: terms.iri(`${E}type`) });
  const tx = engine.begin();
  for (let i = 0; i < COUNT; i++) tx.assert(terms.iri(`${E}s${i}`), terms.iri(`${E}p`), terms.iri(`${E}o`), terms.iri(`${E}g`));
  for (const _ of tx.settle());
  tx.commit();
  engine.machine.firstTryWork = 1_000;
  engine.machine.paceWork = 5_000;

  it.each([
    ["CLEAR ALL", COUNT, 0],
    [`COPY <${E}g> TO <${E}h>`, 0, COUNT],
    [`MOVE <${E}g> TO DEFAULT`, COUNT, COUNT],
    [`INSERT { ?s <${E}q> ?o } WHERE { GRAPH <${E}g> { ?s <${E}p> ?o } }`, 0, COUNT],
  ])("is planned with rests: %s", (text, deletes, inserts) => {
    const options = { at: engine.tick, timeoutMs: 60_000, labels: { fresh: () => "n" } };
    const planning = planOperation(prepareUpdate(text).updates[0], { engine, terms }, options);
    let rests = 0;
    for (;;) {
      const { done, value } = planning.next();
      if (done) {
        expect([value.deletes.length / 4, value.inserts.length / 4]).toEqual([deletes, inserts]);
        break;
      }
      rests++;
    }
    expect(rests).toBeGreaterThan(10);
  });
});

/** P43: with a large knowledge base, one changed literal is one change, whatever the schema. */
import { expect, it } from "vitest";
import { open, publish, subscribed, update } from "./knowledge.fixture.ts";

it("P43: replacing one literal among 76,000 triples is one removal and one addition in the feed, and nothing is derived anew", async () => {
  const { session, service } = await open({ reasoning: "owl" });
  await publish(session, Array.from({ length: 30 }, (_, n) => `e:C${n + 1} rdfs:subClassOf e:C${Math.floor(n / 2)} .`).join("\n"));
  const THINGS = 19_000;
  const part = (from: number): string =>
    Array.from({ length: 1_000 }, (_, k) => {
      const n = from + k;
      return `e:t${n} a e:C${n % 31} ; e:label "thing ${n}" ; e:size ${n} ; e:next e:t${(n + 1) % THINGS} .`;
    }).join("\n");
  for (let from = 0; from < THINGS; from += 1_000) await publish(session, part(from));
  expect(service.figures().quads_asserted).toBe(4 * THINGS + 30);
  const told = await subscribed(session, "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }");
  const before = service.cursor();
  const answer = await update(session, 'DELETE { e:t17 e:label ?l } INSERT { e:t17 e:label "changed" } WHERE { e:t17 e:label ?l }');
  expect(answer).toMatchObject({ added: 1, removed: 1, derivedAdded: 0, derivedRemoved: 0 });
  expect(await session.changes(before)).toEqual([
    {
      cursor: answer.cursor,
      revision: answer.revision,
      asserted: '<http://example.org/t17> <http://example.org/label> "changed" .\n',
      retracted: '<http://example.org/t17> <http://example.org/label> "thing 17" .\n',
      derivedAdded: "",
      derivedRemoved: "",
    },
  ]);
  expect(told.deltas).toEqual([{ added: ['e:t17 e:label "changed"'], removed: ['e:t17 e:label "thing 17"'] }]);
});

/** subscribe: what is new, silence, initial results, removals, solutions, names, resuming. Silence is seen by what comes next. */
import { expect } from "vitest";
import { type Check, E, like, refused, triple } from "./check.ts";

const PERSON = `CONSTRUCT { ?p <${E}type> <${E}Person> ; <${E}name> ?n } WHERE { ?p <${E}type> <${E}Person> ; <${E}name> ?n }`;

export const subscriptionChecks: readonly Check[] = [
  {
    claim: "a subscriber is told what is new, once, with the revision that made it so",
    async run({ client }) {
      const news = await client.subscribe({ query: like("p") });
      const { cursor } = await client.publish(triple("a", "p", "b") + triple("a", "other", "b"));
      expect(await news.next()).toMatchObject({ subscription: news.id, cursor, added: triple("a", "p", "b") });
    },
  },
  {
    claim: "what was there before is not told",
    async run({ client }) {
      await client.publish(triple("a", "p", "old"));
      const news = await client.subscribe({ query: like("p") });
      await client.publish(triple("a", "p", "new"));
      expect((await news.next()).added).toBe(triple("a", "p", "new"));
    },
  },
  {
    claim: "knowledge that is known already, refused or unrelated is met with silence",
    async run({ client }) {
      await client.publish(triple("a", "p", "b"));
      const news = await client.subscribe({ query: like("p"), removals: true });
      await client.publish(triple("a", "p", "b"));
      await refused(client.publish("nonsense"), "SENS_SYNTAX");
      await client.publish(triple("a", "q", "b"));
      await client.update(`DELETE DATA { <${E}a> <${E}p> <${E}b> } ; INSERT DATA { <${E}a> <${E}p> <${E}b> }`);
      const { cursor } = await client.publish(triple("a", "p", "c"));
      expect(await news.next()).toMatchObject({ cursor, added: triple("a", "p", "c"), removed: "" });
    },
  },
  {
    claim: "the initial result comes first, with its cursor",
    async run({ client }) {
      await client.publish(triple("a", "p", "b"));
      const news = await client.subscribe({ query: like("p"), initial: true });
      expect(await news.next()).toMatchObject({ initial: true, cursor: news.cursor, added: triple("a", "p", "b") });
      await client.publish(triple("a", "p", "c"));
      expect((await news.next()).added).toBe(triple("a", "p", "c"));
    },
  },
  {
    claim: "an empty initial result is sent too",
    async run({ client }) {
      const news = await client.subscribe({ query: like("p"), initial: true });
      expect(await news.next()).toMatchObject({ initial: true, added: "" });
    },
  },
  {
    claim: "there is neither gap nor overlap between the initial result and what follows, while others publish",
    async run({ client, another }) {
      const writer = await another();
      const writing = Promise.all(Array.from({ length: 30 }, (_, n) => writer.publish(triple("a", "p", `"${n}"`))));
      const news = await client.subscribe({ query: like("p"), initial: true });
      const seen: string[] = [];
      while (seen.length < 30) seen.push(...(await news.next()).added.split("\n").filter((line) => line !== ""));
      await writing;
      expect(new Set(seen).size).toBe(30);
      expect(seen).toHaveLength(30);
    },
  },
  {
    claim: "removals are told only when asked for",
    async run({ client }) {
      await client.publish(triple("a", "p", "b"));
      const both = await client.subscribe({ query: like("p"), removals: true });
      const newOnly = await client.subscribe({ query: `CONSTRUCT { ?s <${E}p> ?o } WHERE { ?s <${E}p> ?o . }` });
      await client.retract(triple("a", "p", "b"));
      expect(await both.next()).toMatchObject({ added: "", removed: triple("a", "p", "b") });
      await client.publish(triple("a", "p", "c"));
      expect(await newOnly.next()).toMatchObject({ added: triple("a", "p", "c") });
    },
  },
  {
    claim: "the result is a set: three reasons, told once, gone with the last",
    async run({ client }) {
      const news = await client.subscribe({ query: `CONSTRUCT { ?s <${E}active> true } WHERE { ?s <${E}reading> ?v }`, removals: true });
      for (const value of ["1", "2", "3"]) await client.publish(triple("s", "reading", `"${value}"`));
      expect((await news.next()).removed).toBe("");
      await client.retract(triple("s", "reading", '"1"') + triple("s", "reading", '"2"'));
      await client.retract(triple("s", "reading", '"3"'));
      expect(await news.next()).toMatchObject({ added: "" });
    },
  },
  {
    claim: "a template triple that stays is not repeated, unless whole solutions are asked for",
    async run({ client }) {
      const triples = await client.subscribe({ query: PERSON });
      const solutions = await client.subscribe({ query: PERSON.replaceAll("?n", "?name"), deliver: "solutions" });
      await client.publish(triple("a", "type", "Person") + triple("a", "name", '"Ann"'));
      const first = triple("a", "name", '"Ann"') + triple("a", "type", "Person");
      expect((await triples.next()).added).toBe(first);
      expect((await solutions.next()).added).toBe(first);
      await client.publish(triple("a", "name", '"Anne"'));
      expect((await triples.next()).added).toBe(triple("a", "name", '"Anne"'));
      expect((await solutions.next()).added).toBe(triple("a", "name", '"Anne"') + triple("a", "type", "Person"));
    },
  },
  {
    claim: "an optional part that comes later tells only what it adds",
    async run({ client }) {
      const query = `CONSTRUCT { ?p <${E}name> ?n ; <${E}at> ?e } WHERE { ?p <${E}name> ?n OPTIONAL { ?p <${E}at> ?e } }`;
      const news = await client.subscribe({ query, removals: true });
      await client.publish(triple("a", "name", '"Ann"'));
      expect((await news.next()).added).toBe(triple("a", "name", '"Ann"'));
      await client.publish(triple("a", "at", "event"));
      expect(await news.next()).toMatchObject({ added: triple("a", "at", "event"), removed: "" });
      await client.retract(triple("a", "at", "event"));
      expect(await news.next()).toMatchObject({ added: "", removed: triple("a", "at", "event") });
    },
  },
  {
    claim: "a nameless node of the template stays the same while its solution stays",
    async run({ client }) {
      const news = await client.subscribe({ query: `CONSTRUCT { [] <${E}of> ?s } WHERE { ?s <${E}p> ?o }` });
      await client.publish(triple("b", "p", "x"));
      await client.publish(triple("a", "p", "x"));
      const [first, second] = [(await news.next()).added, (await news.next()).added];
      expect(first).toContain(`<${E}of> <${E}b>`);
      expect(second).toContain(`<${E}of> <${E}a>`);
      expect(first.split(" ")[0]).not.toBe(second.split(" ")[0]);
    },
  },
  {
    claim: "notifications come in the order of revisions, one per transaction",
    async run({ client }) {
      const news = await client.subscribe({ query: like("p") });
      const answers = await Promise.all(Array.from({ length: 25 }, (_, n) => client.publish(triple("a", "p", `"${n}"`))));
      const cursors: string[] = [];
      for (const _ of answers) cursors.push((await news.next()).cursor);
      const inOrder = answers.sort((a, b) => a.revision - b.revision).map((answer) => answer.cursor);
      expect(cursors).toEqual(inOrder);
    },
  },
  {
    claim: "several clients attach to one name, and each is told everything",
    async run({ client, another }) {
      const other = await another();
      const mine = await client.subscribe({ query: like("p"), name: "shared" });
      const theirs = await other.subscribe({ query: like("p"), name: "shared" });
      expect(theirs.id).toBe(mine.id);
      await client.publish(triple("a", "p", "b"));
      expect((await mine.next()).added).toBe(triple("a", "p", "b"));
      expect((await theirs.next()).added).toBe(triple("a", "p", "b"));
      await mine.close();
      await client.publish(triple("a", "p", "c"));
      expect((await theirs.next()).added).toBe(triple("a", "p", "c"));
    },
  },
  {
    claim: "a name with another query is refused",
    async run({ client }) {
      await client.subscribe({ query: like("p"), name: "taken" });
      await refused(client.subscribe({ query: like("q"), name: "taken" }), "SENS_SUBSCRIPTION_CONFLICT");
    },
  },
  {
    claim: "resuming by cursor replays what was missed, one notification per revision",
    async run({ client, another }) {
      const first = await client.subscribe({ query: like("p"), name: "durable" });
      await client.publish(triple("a", "p", "1"));
      const { cursor } = await first.next();
      await first.close();
      const missed = [await client.publish(triple("a", "p", "2")), await client.publish(triple("a", "p", "3"))];
      const again = await (await another()).subscribe({ query: like("p"), name: "durable", from: cursor });
      expect(await again.next()).toMatchObject({ cursor: missed[0].cursor, added: triple("a", "p", "2") });
      expect(await again.next()).toMatchObject({ cursor: missed[1].cursor, added: triple("a", "p", "3") });
      await client.publish(triple("a", "p", "4"));
      expect((await again.next()).added).toBe(triple("a", "p", "4"));
    },
  },
  {
    claim: "cursors of another database, of the future and of no form at all are refused",
    async run({ client }) {
      const { cursor } = await client.publish(triple("a", "p", "b"));
      await (await client.subscribe({ query: like("p"), name: "n" })).close();
      const future = `${cursor.slice(0, cursor.lastIndexOf(":"))}:999`;
      await refused(client.subscribe({ query: like("p"), name: "n", from: "f00d:1" }), "SENS_CURSOR_FOREIGN");
      await refused(client.subscribe({ query: like("p"), name: "n", from: future }), "SENS_CURSOR_FUTURE");
      await refused(client.subscribe({ query: like("p"), name: "n", from: "-1" }), "SENS_CURSOR_INVALID");
    },
  },
  {
    claim: "anything but CONSTRUCT and SELECT is refused, and leaves nothing behind",
    async run({ client }) {
      await refused(client.subscribe({ query: "ASK { ?s ?p ?o }" }), "SENS_QUERY_FORM");
      await refused(client.subscribe({ query: "DESCRIBE <urn:x>" }), "SENS_QUERY_FORM");
      await refused(client.subscribe({ query: "DROP ALL" }), "SENS_QUERY_FORM");
      await refused(client.subscribe({ query: "CONSTRUCT {" }), "SENS_SYNTAX");
      expect(await client.subscriptions()).toEqual([]);
    },
  },
  {
    claim: "NOW in a standing query is refused",
    async run({ client }) {
      await refused(
        client.subscribe({ query: `CONSTRUCT { ?s <${E}t> ?t } WHERE { ?s <${E}p> ?o BIND(NOW() AS ?t) }` }),
        "SENS_NON_DETERMINISTIC",
      );
    },
  },
  {
    claim: "unsubscribing ends it for everyone and takes it off the list",
    needs: ["unsubscribe"],
    async run({ client }) {
      const news = await client.subscribe({ query: like("p"), name: "n" });
      expect(await client.subscriptions()).toEqual([news.id]);
      await client.unsubscribe(news.id);
      expect(await client.subscriptions()).toEqual([]);
      await refused(client.unsubscribe(news.id), "SENS_NOT_FOUND");
    },
  },
  {
    claim: "the current result can be asked for",
    needs: ["result"],
    async run({ client }) {
      const news = await client.subscribe({ query: like("p") });
      await client.publish(triple("a", "p", "b") + triple("a", "q", "b"));
      expect(await client.result(news.id)).toBe(triple("a", "p", "b"));
      await refused(client.result("nobody"), "SENS_NOT_FOUND");
    },
  },
  {
    claim: "every way of changing reaches subscribers alike",
    async run({ client }) {
      const news = await client.subscribe({ query: like("p"), removals: true });
      await client.update(`INSERT DATA { <${E}a> <${E}p> <${E}b> }`);
      expect((await news.next()).added).toBe(triple("a", "p", "b"));
      await client.remove(like("p"), { timeoutMs: 0 });
      expect((await news.next()).removed).toBe(triple("a", "p", "b"));
      await client.publish(`<${E}a> <${E}p> <${E}c> .`, { contentType: "text/turtle" });
      expect((await news.next()).added).toBe(triple("a", "p", "c"));
    },
  },
];

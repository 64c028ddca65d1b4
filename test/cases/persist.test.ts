/** Cases of area persist: files, restarts and large numbers. README.md beside this file lists all cases. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { createKnowledgeBase } from "../../src/events/index.ts";
import type { Session } from "../../src/protocol/index.ts";
import { atEnd, RawSocket } from "../surfaces/served.ts";
import { ask, E, graph, lines, listen, open, PREFIXES, publish, rows, settled, subscribed, Told, update } from "./knowledge.fixture.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "sens-cases-"));
  atEnd(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

it("P109: backup, export, metrics and queries beside twenty publishers: no lock error anywhere", async () => {
  const data = join(folder(), "kb.db");
  const { url, session } = await listen({ data });
  const PUBLISHERS = 20;
  const EACH = 10;
  let published = 0;
  const publishing = Array.from({ length: PUBLISHERS }, async (_, n) => {
    const socket = await RawSocket.open(url);
    for (let k = 0; k < EACH; k++) {
      expect(await socket.ask({ id: `${k}`, op: "publish", data: `<${E}s${n}> <${E}n> "${k}" .` })).toMatchObject({ ok: true });
      published++;
    }
  });
  const reading = (async (): Promise<number> => {
    let rounds = 0;
    while (published < PUBLISHERS * EACH) {
      const copy = new Database(data, { readonly: true });
      await copy.backup(join(folder(), "copy.db"));
      copy.close();
      for (const path of ["/graphs?default", "/metrics", `/sparql?query=${encodeURIComponent("SELECT * { ?s ?p ?o }")}`])
        expect((await fetch(url + path)).status, path).toBe(200);
      rounds++;
    }
    return rounds;
  })();
  await Promise.all(publishing);
  expect(await reading).toBeGreaterThan(0);
  expect(await rows(session, "SELECT (COUNT(*) AS ?n) { ?s e:n ?o }")).toEqual([[String(PUBLISHERS * EACH)]]);
});

it("P110: numbers beyond 2^53 have the same digits in answers, filters and sums, before and after a restart", async () => {
  const data = join(folder(), "kb.db");
  const check = async (session: Session): Promise<void> => {
    expect(await rows(session, "SELECT ?s { ?s e:n ?n FILTER(?n = 9007199254740993) } ORDER BY ?s")).toEqual([["e:i"], ["e:l"]]);
    expect(await rows(session, "SELECT ?n { e:l e:n ?n }")).toEqual([["9007199254740993"]]);
    expect(await rows(session, "SELECT (SUM(?n) AS ?t) (MAX(?n) AS ?m) { ?s e:n ?n }")).toEqual([
      ["27021597764222978", "9007199254740993"],
    ]);
    const told = await subscribed(session, "CONSTRUCT { ?s e:more ?m } WHERE { ?s e:k ?k BIND(?k + 1 AS ?m) }");
    await publish(session, "e:i e:k 9007199254740993 .");
    await update(session, "DELETE DATA { e:i e:k 9007199254740993 }");
    expect(told.added[0]).toContain('"9007199254740994"');
    expect(told.removed).toEqual(told.added);
  };
  const first = await open({ data });
  await publish(first.session, 'e:i e:n 9007199254740993 . e:l e:n "9007199254740993"^^xsd:long . e:m e:n 9007199254740992 .');
  await check(first.session);
  await first.service.close();
  await check((await open({ data })).session);
});

it("P112: one of each kind that stands is there exactly once after two restarts from other working directories, and works", async () => {
  const base = folder();
  const data = join(base, "kb.db");
  const first = await startAt(base, data);
  const put = async (path: string, type: string, body: string): Promise<void> => {
    const response = await fetch(first.url + path, {
      method: path.endsWith("s") ? "POST" : "PUT",
      headers: { "content-type": type },
      body,
    });
    expect(response.ok, path).toBe(true);
  };
  const fromX = (p: string): string => `${PREFIXES}CONSTRUCT { ?s e:${p} ?o } WHERE { ?s e:x ?o }`;
  await put("/rules/r", "text/n3", `${PREFIXES}{ ?s e:x ?o } => { ?s e:byRule ?o } .`);
  await put("/ontologies/o", "text/turtle", `${PREFIXES}e:x rdfs:subPropertyOf e:byOntology .`);
  await put("/insertions", "application/json", JSON.stringify({ query: fromX("byWhile"), name: "w" }));
  await put("/insertions", "application/json", JSON.stringify({ query: fromX("byOnce"), name: "o", mode: "once" }));
  await put("/subscriptions", "application/json", JSON.stringify({ query: "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", name: "n" }));
  await first.stop();
  const elsewhere = join(base, "elsewhere");
  mkdirSync(elsewhere);
  await (await startAt(elsewhere, data)).stop();
  const third = await startAt(tmpdir(), data);
  const list = async (path: string): Promise<unknown[]> =>
    Object.values((await (await fetch(third.url + path)).json()) as object)[0] as unknown[];
  expect(await list("/rules")).toEqual(["r"]);
  expect(await list("/ontologies")).toEqual(expect.arrayContaining(["o"]));
  expect((await list("/insertions")) as object[]).toMatchObject([{ name: "w" }, { name: "o" }]);
  expect(await list("/subscriptions")).toMatchObject([{ name: "n" }]);
  const socket = await RawSocket.open(third.url);
  await socket.ask({ id: "s", op: "subscribe", query: "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", name: "n" });
  socket.send({ id: "p", op: "publish", data: `<${E}a> <${E}x> <${E}b> .` });
  const told: string[] = [];
  while (told.length < 5) {
    const message = await socket.next();
    // The answer to the publish counts what it added, and may come before the last notification.
    if (message.type === "notification") told.push(...lines(String(message.added ?? "")));
  }
  expect(told.sort()).toEqual(["byOnce", "byOntology", "byRule", "byWhile", "x"].map((p) => `e:a e:${p} e:b`));
  expect(await list("/subscriptions")).toHaveLength(1);
  await third.stop();
});

it("P113: after a restart what follows is there before the first answer, and nobody is told old results as new", async () => {
  const THINGS = process.env.SENS_FULL === "1" ? 200_000 : 3_000;
  const data = join(folder(), "kb.db");
  const options = { data, reasoning: "owl" } as const;
  const first = await createKnowledgeBase(options);
  atEnd(() => first.close());
  const session = first.openSession();
  await publish(session, "e:Item rdfs:subClassOf e:Thing .");
  const query = `${PREFIXES}CONSTRUCT { ?s a e:Thing } WHERE { ?s a e:Thing }`;
  const { cursor } = await session.subscribe({ query, name: "things" });
  const item = (n: number): string => `<${E}i${n}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${E}Item> .\n`;
  await session.publish({ data: Array.from({ length: THINGS }, (_, n) => item(n)).join("") });
  const told = new Told();
  await session.subscribe({ query, name: "things", from: cursor }, told);
  await told.until(() => told.notifications.length === 1);
  const last = told.notifications[0].cursor;
  const before = first.figures();
  await first.close();
  const second = await createKnowledgeBase(options);
  atEnd(() => second.close());
  // Opened means ready: surfaces listen only afterwards.
  expect(second.ready()).toBe(true);
  const again = second.openSession();
  expect(second.figures()).toMatchObject({
    quads: before.quads,
    quads_asserted: before.quads_asserted,
    quads_derived: before.quads_derived,
  });
  expect(second.figures().quads_derived).toBeGreaterThanOrEqual(THINGS);
  const resumed = new Told();
  await again.subscribe({ query, name: "things", from: last }, resumed);
  await settled(again);
  expect(resumed.notifications).toEqual([]);
  await again.publish({ data: item(THINGS) });
  expect(resumed.added).toEqual([expect.stringContaining(`e:i${THINGS} `)]);
  expect(await ask(again, `e:i${THINGS} a e:Thing`)).toBe(true);
  expect(await graph(again, `CONSTRUCT { e:i1 a ?c } WHERE { e:i1 a ?c }`)).toHaveLength(2);
});

/** `sens serve` in a process of its own, started in that directory. */
async function startAt(cwd: string, data: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const main = join(import.meta.dirname, "../../src/cli/main.ts");
  const child = spawn(process.execPath, [main, "serve", "--port", "0", "--data", data], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const gone = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  atEnd(() => void child.kill("SIGKILL"));
  let output = "";
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const found = /listening on (http:\/\/\S+)/.exec(output);
      if (found) resolve(found[1]);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    void gone.then((code) => reject(new Error(`the server ended with ${code}:\n${output}`)));
  });
  return {
    url,
    stop: async () => {
      child.kill("SIGTERM");
      expect(await gone).toBe(0);
    },
  };
}

/** Cases of area subscribe. README.md beside this file lists all cases. */
import { describe, expect, it } from "vitest";
import { LIMITS, ManualClock, seededRandom } from "../../src/base/index.ts";
import { connect } from "../../src/client/index.ts";
import type { Session } from "../../src/protocol/index.ts";
import { atEnd, problemOf, RawSocket } from "../surfaces/served.ts";
import {
  all,
  E,
  graph,
  lines,
  listen,
  open,
  PREFIXES,
  publish,
  retract,
  type Server,
  settled,
  short,
  subscribed,
  Told,
  turn,
  until,
  update,
  XSD,
} from "./knowledge.fixture.ts";

describe("what is new", () => {
  it("P28: three readings of a sensor are told once, two gone are silence, the last is the loss", async () => {
    const { session } = await open();
    const told = await subscribed(session, "CONSTRUCT { ?s a e:Seen } WHERE { ?s e:reading ?v }");
    for (const value of [1, 2, 3]) await publish(session, `e:s e:reading ${value} .`);
    expect(told.deltas).toEqual([{ added: [expect.stringContaining("e:Seen")], removed: [] }]);
    for (const value of [2, 1]) await retract(session, `e:s e:reading ${value} .`);
    expect(told.notifications).toHaveLength(1);
    await retract(session, "e:s e:reading 3 .");
    expect(told.deltas[1]).toEqual({ added: [], removed: told.added });
  });

  it("P29: each solution has its own anonymous node, which is told once and stays the same", async () => {
    const { session } = await open();
    const query = "CONSTRUCT { _:n e:of ?s ; e:val ?v } WHERE { ?s e:x ?v }";
    const told = await subscribed(session, query);
    await publish(session, "e:b e:x 2 .");
    await publish(session, "e:a e:x 1 .");
    expect(told.removed).toEqual([]);
    const labels = told.deltas.map(({ added }) => [...new Set(added.map((line) => line.split(" ")[0]))]);
    expect(told.deltas.map(({ added }) => added.map((line) => line.replace(/^\S+ /, "").split("^^")[0]).sort())).toEqual([
      ["e:of e:b", 'e:val "2"'],
      ["e:of e:a", 'e:val "1"'],
    ]);
    expect(labels.map((one) => one.length)).toEqual([1, 1]);
    expect(labels[0]).not.toEqual(labels[1]);
    expect(lines(session.result(told.answer.subscription).graph.ntriples)).toEqual(told.added.sort());
    await retract(session, "e:b e:x 2 .");
    expect(told.removed).toEqual(told.deltas[0].added);
  });

  it("P55: an optional part that comes later is told alone, and its loss to those who track losses", async () => {
    const { session } = await open();
    const told = await subscribed(
      session,
      "CONSTRUCT { ?t e:shows ?n . ?t e:hasEv ?en } WHERE { ?t a e:Lamp ; e:name ?n OPTIONAL { ?t e:event ?ev . ?ev e:name ?en } }",
    );
    await publish(session, 'e:t a e:Lamp ; e:name "desk" .');
    const event = 'e:t e:event e:ev1 . e:ev1 e:name "on" .';
    await publish(session, event);
    await retract(session, event);
    expect(told.deltas).toEqual([
      { added: ['e:t e:shows "desk"'], removed: [] },
      { added: ['e:t e:hasEv "on"'], removed: [] },
      { added: [], removed: ['e:t e:hasEv "on"'] },
    ]);
  });

  for (const defaultGraph of ["own", "union"] as const)
    it(`P56: with the default graph ${defaultGraph}, told exactly when the same query asked right after shows a difference`, async () => {
      const queries = ["CONSTRUCT { ?s e:p ?o } WHERE { ?s e:p ?o }", "CONSTRUCT { ?s e:p ?o } WHERE { GRAPH ?g { ?s e:p ?o } }"];
      for (const query of queries)
        for (const into of [undefined, `${E}g`]) {
          const { session } = await open({ defaultGraph });
          const told = await subscribed(session, query);
          await publish(session, "e:a e:p e:b .", into);
          expect(told.added, `${query} ${into}`).toEqual(await graph(session, query));
          await session.retract({ data: `<${E}a> <${E}p> <${E}b> .`, graph: into });
          expect(told.removed, `${query} ${into}`).toEqual(told.added);
        }
    });

  it("P61: what is already there, what is refused, and what is undone in the same request is met with silence", async () => {
    const { session, service } = await open({ reasoning: "owl" });
    await publish(session, "e:a e:p e:b . e:q rdfs:domain e:D .");
    const told = await subscribed(session, "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }");
    const cursor = service.cursor();
    expect(await publish(session, "e:a e:p e:b .")).toMatchObject({ added: 0, cursor });
    await expect(session.publish({ data: `<${E}a> <${E}p> <${E}c> .\n<broken` })).rejects.toMatchObject({ code: "SENS_SYNTAX" });
    expect(await update(session, "INSERT DATA { e:n e:q e:m } ; DELETE DATA { e:n e:q e:m }")).toMatchObject({ cursor });
    await settled(session);
    expect(told.notifications).toEqual([]);
  });

  it("P65: nobody is told of the loss of what it never had; a new subscription starts clean", async () => {
    const { session } = await open();
    const query = "CONSTRUCT { ?s e:v ?v } WHERE { ?s e:v ?v FILTER(?v > 10) }";
    const told = await subscribed(session, query);
    await publish(session, "e:a e:v 5 .");
    await retract(session, "e:a e:v 5 .");
    expect(told.notifications).toEqual([]);
    await publish(session, "e:a e:v 15 .");
    await session.unsubscribe(told.answer.subscription);
    const again = await subscribed(session, query);
    await update(session, "DELETE { ?s e:v ?v } INSERT { ?s e:v 5 } WHERE { ?s e:v ?v }");
    const value = `e:a e:v "15"^^<${XSD}integer>`;
    expect(told.deltas).toEqual([{ added: [value], removed: [] }]);
    expect(again.deltas).toEqual([{ added: [], removed: [value] }]);
    await retract(session, "e:a e:v 5 .");
    expect(again.notifications).toHaveLength(1);
  });
});

describe("nothing lost, nothing twice", () => {
  it("P58: five updates each of a hundred things over ten connections: every change is told, to each once", async () => {
    const { url, session } = await listen();
    const THINGS = 100;
    const everything = await subscribed(session, "CONSTRUCT { ?s e:v ?v } WHERE { ?s e:v ?v }");
    const single = await Promise.all(
      Array.from({ length: THINGS }, (_, n) => subscribed(session, `CONSTRUCT { e:t${n} e:v ?v } WHERE { e:t${n} e:v ?v }`)),
    );
    const sockets = await Promise.all(Array.from({ length: 10 }, () => RawSocket.open(url)));
    const answers = sockets.flatMap((socket, s) =>
      Array.from({ length: (THINGS * 5) / 10 }, (_, k) => {
        const [thing, value] = [s * 10 + (k % 10), Math.floor(k / 10)];
        const text = `DELETE { e:t${thing} e:v ?v } INSERT { e:t${thing} e:v ${value} } WHERE { OPTIONAL { e:t${thing} e:v ?v } }`;
        socket.send({ id: `${k}`, op: "update", update: PREFIXES + text });
        return socket.next();
      }),
    );
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ ok: true });
    expect(everything.notifications).toHaveLength(THINGS * 5);
    const held = new Set<string>();
    for (const { added, removed } of everything.deltas) {
      for (const line of removed) expect(held.delete(line)).toBe(true);
      for (const line of added) held.add(line);
    }
    expect([...held].sort()).toEqual(await graph(session, "CONSTRUCT { ?s e:v ?v } WHERE { ?s e:v ?v }"));
    for (const one of single) expect([one.added.length, one.removed.length]).toEqual([5, 4]);
  });

  it("P59: initial result and pushes have every number exactly once, whenever one subscribes", async () => {
    const { url, session } = await listen();
    const NUMBERS = 1000;
    const READERS = 50;
    const random = seededRandom(59);
    const starts = Array.from({ length: READERS }, () => Math.floor(random.next() * NUMBERS)).sort((a, b) => a - b);
    const publisher = await RawSocket.open(url);
    const reading: Promise<{ readonly cursors: number[]; readonly values: string[] }>[] = [];
    const read = async () => {
      const socket = await RawSocket.open(url);
      const answer = await socket.ask({ id: "s", op: "subscribe", query: all("e:n"), initial: true });
      expect(answer).toMatchObject({ ok: true, cursor: expect.stringMatching(/:\d+$/) });
      const values: string[] = [];
      const cursors: number[] = [];
      while (values.length < NUMBERS) {
        const { added, cursor } = await socket.next();
        values.push(...lines(String(added)));
        cursors.push(Number(String(cursor).split(":")[1]));
      }
      socket.socket.terminate();
      return { values, cursors };
    };
    for (let n = 0; n < NUMBERS; n++) {
      while (starts[0] === n) {
        starts.shift();
        reading.push(read());
      }
      publisher.send({ id: `${n}`, op: "publish", data: `<${E}s> <${E}n> "${n}" .` });
      if (n % 20 === 0) await turn();
    }
    for (const { values, cursors } of await Promise.all(reading)) {
      expect(new Set(values).size).toBe(NUMBERS);
      expect(values).toHaveLength(NUMBERS);
      expect(cursors).toEqual([...new Set(cursors)].sort((a, b) => a - b));
    }
    expect(await graph(session, "CONSTRUCT { ?s e:n ?n } WHERE { ?s e:n ?n }")).toHaveLength(NUMBERS);
  });
});

describe("P62: every way of writing gives the same delta", () => {
  const TRIPLE = `<${E}a> <${E}p> <${E}b> .`;
  const JSON_TYPE = { "content-type": "application/json" };
  const send = async (url: string, method: string, type: string, body: string): Promise<void> => {
    const response = await fetch(url, { method, headers: { "content-type": type }, body });
    if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  };
  const onSocket = async (url: string, frame: object): Promise<void> => {
    const socket = await RawSocket.open(url);
    const answer = await socket.ask({ id: "1", ...frame });
    if (answer.ok !== true) throw new Error(JSON.stringify(answer));
  };
  const sdk = async (url: string) => {
    const client = await connect(url);
    atEnd(() => client.close());
    return client;
  };
  const fromX = `${PREFIXES}CONSTRUCT { e:a e:p ?o } WHERE { ?s e:x ?o }`;
  const supportFor = (session: Session) => publish(session, "e:s e:x e:b .");

  const adding: Readonly<Record<string, (server: Server) => Promise<unknown>>> = {
    "POST /publish": ({ url }) => send(`${url}/publish`, "POST", "text/turtle", TRIPLE),
    "POST /sparql, update": ({ url }) => send(`${url}/sparql`, "POST", "application/sparql-update", `INSERT DATA { ${TRIPLE} }`),
    "update with a pattern": ({ session }) => update(session, "INSERT { e:a e:p e:b } WHERE {}"),
    "PUT /graphs": ({ url }) => send(`${url}/graphs?default`, "PUT", "text/turtle", TRIPLE),
    "POST /graphs": ({ url }) => send(`${url}/graphs?default`, "POST", "application/ld+json", `{"@id":"${E}a","${E}p":{"@id":"${E}b"}}`),
    "WebSocket publish": ({ url }) => onSocket(url, { op: "publish", data: TRIPLE }),
    "WebSocket update": ({ url }) => onSocket(url, { op: "update", update: `INSERT DATA { ${TRIPLE} }` }),
    "SDK publish": async ({ url }) => (await sdk(url)).publish(TRIPLE),
    "SDK publish in parts": async ({ url }) => {
      const client = await sdk(url);
      await client.publish(await client.construct(`CONSTRUCT { ${TRIPLE} } WHERE {}`), { split: { quads: 1 } });
    },
    "PUT /ontologies": ({ url }) => send(`${url}/ontologies/o`, "PUT", "text/turtle", TRIPLE),
    "a rule": async ({ session }) => {
      await session.putRule({ name: "r", contentType: "text/n3", content: `${PREFIXES}{ ?s e:x ?o } => { e:a e:p ?o } .` });
      await supportFor(session);
    },
    "an insertion that holds": async ({ session, url }) => {
      await supportFor(session);
      await send(`${url}/insertions`, "POST", JSON_TYPE["content-type"], JSON.stringify({ query: fromX }));
    },
    "an insertion made once": async ({ session }) => {
      await session.registerInsertion({ query: fromX, mode: "once" });
      await supportFor(session);
      await settled(session);
    },
    "a claim given back": async ({ session, service }) => {
      const told = service.openSession();
      await session.publish({ data: TRIPLE });
      const { claim } = await told.remove({ query: all("e:p"), leaseMs: 60_000 });
      await told.release(String(claim));
    },
  };

  it.each(Object.entries(adding))("adding by %s", async (_, write) => {
    const server = await listen();
    const told = await subscribed(server.session, "CONSTRUCT { ?s e:p ?o } WHERE { ?s e:p ?o }");
    await write(server);
    await settled(server.session);
    expect(told.deltas.at(-1)).toEqual({ added: ["e:a e:p e:b"], removed: [] });
    expect(told.added.length - told.removed.length).toBe(1);
  });

  const removing: Readonly<Record<string, (server: Server) => Promise<unknown>>> = {
    "POST /retract": ({ url }) => send(`${url}/retract`, "POST", "text/turtle", TRIPLE),
    "DELETE DATA": ({ url }) => send(`${url}/update`, "POST", "application/sparql-update", `DELETE DATA { ${TRIPLE} }`),
    "DELETE WHERE": ({ session }) => update(session, "DELETE WHERE { ?s e:p ?o }"),
    CLEAR: ({ session }) => update(session, "CLEAR DEFAULT"),
    "PUT /graphs": ({ url }) => send(`${url}/graphs?default`, "PUT", "text/turtle", ""),
    "DELETE /graphs": async ({ url }) => fetch(`${url}/graphs?default`, { method: "DELETE" }),
    "WebSocket retract": ({ url }) => onSocket(url, { op: "retract", data: TRIPLE }),
    "SDK retract": async ({ url }) => (await sdk(url)).retract(TRIPLE),
    "POST /remove": ({ url }) => send(`${url}/remove`, "POST", "application/sparql-query", all("e:p")),
    "WebSocket remove with a lease": ({ url }) => onSocket(url, { op: "remove", query: all("e:p"), lease: 60_000 }),
    "SDK remove": async ({ url }) => (await sdk(url)).remove(all("e:p")),
  };

  it.each(Object.entries(removing))("removing by %s", async (_, write) => {
    const server = await listen();
    await server.session.publish({ data: TRIPLE });
    const told = await subscribed(server.session, "CONSTRUCT { ?s e:p ?o } WHERE { ?s e:p ?o }");
    await write(server);
    await settled(server.session);
    expect(told.deltas[0]).toEqual({ added: [], removed: ["e:a e:p e:b"] });
  });

  it("withdrawing an ontology, a rule and an insertion", async () => {
    const { session } = await open();
    const told = await subscribed(session, "CONSTRUCT { ?s e:p ?o } WHERE { ?s e:p ?o }");
    const gained = { added: ["e:a e:p e:b"], removed: [] };
    const lost = { added: [], removed: ["e:a e:p e:b"] };
    await session.putOntology({ name: "o", contentType: "text/turtle", content: TRIPLE });
    await session.deleteOntology("o");
    await supportFor(session);
    await session.putRule({ name: "r", contentType: "text/n3", content: `${PREFIXES}{ ?s e:x ?o } => { e:a e:p ?o } .` });
    await session.deleteRule("r");
    const { insertion } = await session.registerInsertion({ query: fromX });
    await session.unregisterInsertion(insertion);
    await settled(session);
    expect(told.deltas).toEqual([gained, lost, gained, lost, gained, lost]);
  });
});

describe("the life of a subscription", () => {
  it("P64: what cannot stand is refused with a reason before anything is registered, and the others go on", async () => {
    const { url, session, service } = await listen();
    const told = await subscribed(session, "CONSTRUCT { ?s e:p ?o } WHERE { ?s e:p ?o }");
    const socket = await RawSocket.open(url);
    const queries = [
      null,
      "",
      "ASK { ?s ?p ?o }",
      "DESCRIBE <urn:x>",
      "INSERT DATA { <urn:a> <urn:b> <urn:c> }",
      "CONSTRUCT { ?s ?p ?o } WHERE { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }",
      "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p",
      `CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o FILTER(${"?o != 1 && ".repeat(90_000)}true) }`,
    ];
    for (const query of queries) {
      const shown = String(query).slice(0, 60);
      const response = await fetch(`${url}/subscriptions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query }),
      });
      expect((await problemOf(response)).status, shown).toBeLessThan(500);
      expect(await socket.ask({ id: "s", op: "subscribe", query }), shown).toMatchObject({
        ok: false,
        error: { detail: expect.stringMatching(/./) },
      });
    }
    expect(service.figures()).toMatchObject({ subscriptions: 1, standing_queries: 1 });
    expect(session.subscriptions().map(({ subscription }) => subscription)).toEqual([told.answer.subscription]);
    await publish(session, "e:a e:p e:b .");
    expect(told.added).toEqual(["e:a e:p e:b"]);
  });

  it("P67: an unnamed one lapses and says so; a named one is taken up again without being sent anything twice", async () => {
    const clock = new ManualClock();
    const { session, service } = await open({ clock });
    const query = "CONSTRUCT { ?s e:p ?o } WHERE { ?s e:p ?o }";
    const [short, long] = [await subscribed(session, query), await subscribed(session, query, { name: "kept" })];
    await publish(session, "e:a e:p 0 .");
    session.detach(short.answer.subscription, short);
    session.detach(long.answer.subscription, long);
    clock.advance(LIMITS.unnamedSubscriptionGraceMs);
    await settled(session);
    await expect(session.attach(short.answer.subscription, new Told())).rejects.toMatchObject({ code: "SENS_NOT_FOUND" });
    const renewed = await subscribed(session, query, { name: "kept" });
    expect(renewed.answer.subscription).toBe(long.answer.subscription);
    for (const n of [1, 2, 3]) await publish(session, `e:a e:p ${n} .`);
    expect(renewed.added.map((line) => line.slice(8, 11))).toEqual(['"1"', '"2"', '"3"']);
    // Taking it up once more, here or elsewhere, causes no push.
    await service.openSession().subscribe({ query: PREFIXES + query, name: "kept", removals: true }, renewed);
    await settled(session);
    expect(renewed.notifications).toHaveLength(3);
  });

  it("P68: ten clients share one evaluation; nine leave in different ways, the tenth is told every change once", async () => {
    const { url, session, service } = await listen();
    const query = (n: number): string => `${PREFIXES}CONSTRUCT { ?s${n} e:p ?o${n} } WHERE { ?s${n} e:p ?o${n} }`;
    const told = new Told();
    const last = await session.subscribe({ query: query(0) }, told);
    const sockets = await Promise.all(Array.from({ length: 6 }, () => RawSocket.open(url)));
    const ids: unknown[] = [];
    for (const [n, socket] of sockets.entries()) ids.push((await socket.ask({ id: "s", op: "subscribe", query: query(n) })).subscription);
    const clients = await Promise.all(Array.from({ length: 3 }, () => connect(url)));
    for (const client of clients) atEnd(() => client.close());
    const overSdk = await Promise.all(clients.map((client, n) => client.subscribe(query(n), { onNotification: () => undefined })));
    expect(service.figures()).toMatchObject({ subscriptions: 10, standing_queries: 1 });
    for (const n of [0, 1]) await sockets[n].ask({ id: "u", op: "unsubscribe", subscription: ids[n] });
    for (const n of [2, 3]) {
      sockets[n].socket.terminate();
      expect((await fetch(`${url}/subscriptions/${ids[n]}`, { method: "DELETE" })).ok).toBe(true);
    }
    for (const n of [4, 5]) {
      sockets[n].socket.close();
      await sockets[n].closed;
      await session.unsubscribe(String(ids[n]));
    }
    for (const subscription of overSdk) await subscription.close();
    await until(() => service.figures().subscriptions === 1);
    expect(service.figures().standing_queries).toBe(1);
    for (const n of [1, 2, 3]) await publish(session, `e:a e:p e:${n} .`);
    expect(told.deltas.map(({ added }) => added)).toEqual([1, 2, 3].map((n) => [short(`<${E}a> <${E}p> <${E}${n}> .`)]));
    await session.unsubscribe(last.subscription);
    await settled(session);
    expect(service.figures()).toMatchObject({ subscriptions: 0, standing_queries: 0 });
  });
});

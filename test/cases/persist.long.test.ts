/** P107: kill -9 at random moments, again and again; and what a damaged file does. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { seededRandom } from "../../src/base/index.ts";
import { createKnowledgeBase } from "../../src/events/index.ts";
import { startServerProcess } from "../faults/server-process.ts";
import { atEnd } from "../surfaces/served.ts";
import { E, PREFIXES, publish } from "./knowledge.fixture.ts";

const KILLS = process.env.SENS_FULL === "1" ? 25 : 3;
const SEED = Number(process.env.SENS_SEED ?? 107);

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "sens-cases-"));
  atEnd(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

it(`P107: after each of ${KILLS} kills every acknowledged number is there, with what follows from it (seed ${SEED})`, {
  timeout: 1_800_000,
}, async () => {
  const data = join(folder(), "kb.db");
  const random = seededRandom(SEED);
  const acknowledged: number[] = [];
  const unanswered: number[] = [];
  let next = 0;
  for (let kill = 0; kill <= KILLS; kill++) {
    const server = await startServerProcess(data);
    atEnd(() => server.kill());
    if (kill === 0) await post(server.url, `${PREFIXES}e:Numbered rdfs:subClassOf e:Counted .`);
    const stored = await numbers(server.url, "Numbered");
    expect(await numbers(server.url, "Counted"), `kill ${kill}`).toEqual(stored);
    for (const number of acknowledged) expect(stored.has(number), `kill ${kill}: acknowledged ${number}`).toBe(true);
    for (const number of stored) expect(acknowledged.includes(number) || unanswered.includes(number), `kill ${kill}: ${number}`).toBe(true);
    if (kill === KILLS) {
      expect(await server.stop()).toBe(0);
      return;
    }
    const enough = acknowledged.length + 1 + Math.floor(random.next() * 15);
    const publishing = Array.from({ length: 3 }, async () => {
      for (;;) {
        const number = next++;
        try {
          await post(server.url, `<${E}n${number}> a <${E}Numbered> ; <${E}is> ${number} .`);
          acknowledged.push(number);
        } catch {
          unanswered.push(number); // the server is gone: it may have happened or not
          return;
        }
        if (acknowledged.length >= enough) void server.kill();
      }
    });
    await Promise.all(publishing);
    await server.kill();
  }
});

it("P107: a damaged file makes the start fail with a message, never start empty", async () => {
  const data = join(folder(), "kb.db");
  const service = await createKnowledgeBase({ data, reasoning: "none" });
  for (let n = 0; n < 200; n++) await publish(service.openSession(), `e:s e:n ${n} .`);
  await service.close();
  const bytes = readFileSync(data);
  bytes.fill(0x55, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 512);
  writeFileSync(data, bytes);
  await expect(createKnowledgeBase({ data, reasoning: "none" })).rejects.toMatchObject({
    code: "SENS_DATA_DAMAGED",
    message: expect.stringMatching(/./),
  });
});

async function post(url: string, turtle: string): Promise<void> {
  const response = await fetch(`${url}/publish`, { method: "POST", headers: { "content-type": "text/turtle" }, body: turtle });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
}

async function numbers(url: string, type: string): Promise<Set<number>> {
  const query = `SELECT ?n { ?s a <${E}${type}> ; <${E}is> ?n }`;
  const response = await fetch(`${url}/sparql?query=${encodeURIComponent(query)}`, {
    headers: { accept: "application/sparql-results+json" },
  });
  const { results } = (await response.json()) as { results: { bindings: { n: { value: string } }[] } };
  return new Set(results.bindings.map(({ n }) => Number(n.value)).sort((a, b) => a - b));
}

/** `sens` as a process: start, signals, exit codes, damaged files. */
import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sens-process-"));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
}

function start(
  argv: readonly string[],
  env: Record<string, string> = {},
): { child: ChildProcess; ended: Started["ended"]; listening: Promise<string> } {
  const child = spawn(process.execPath, ["src/cli/main.ts", ...argv], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let output = "";
  let heard: (url: string) => void = () => undefined;
  const listening = new Promise<string>((resolve) => {
    heard = resolve;
  });
  const collect = (text: string): void => {
    output += text;
    const url = /listening on (http:\S+)/.exec(output)?.[1];
    if (url) heard(url);
  };
  child.stdout?.setEncoding("utf8").on("data", collect);
  child.stderr?.setEncoding("utf8").on("data", collect);
  const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, output }));
  });
  return { child, ended, listening };
}

async function serve(argv: readonly string[], env: Record<string, string> = {}): Promise<Started> {
  const { child, ended, listening } = start(["serve", "--port", "0", ...argv], env);
  const url = await Promise.race([listening, ended.then(({ output }) => Promise.reject(new Error(output)))]);
  return { child, url, ended };
}

const publish = (url: string, turtle: string): Promise<Response> =>
  fetch(`${url}/publish`, { method: "POST", headers: { "content-type": "text/turtle" }, body: turtle });

const ask = async (url: string, query: string): Promise<boolean> => {
  const answer = await fetch(`${url}/sparql?query=${encodeURIComponent(query)}`, {
    headers: { accept: "application/sparql-results+json" },
  });
  return ((await answer.json()) as { readonly boolean: boolean }).boolean;
};

describe("sens serve", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("%s ends it with 0, and what was acknowledged is there after a restart", async (signal) => {
    const data = join(folder, "kb.db");
    const first = await serve(["--data", data]);
    expect((await publish(first.url, "<urn:a> <urn:p> <urn:b> .")).status).toBe(200);
    first.child.kill(signal);
    expect((await first.ended).code).toBe(0);
    const second = await serve([], { SENS_DATA: data });
    expect(await ask(second.url, "ASK { <urn:a> <urn:p> <urn:b> }")).toBe(true);
    second.child.kill(signal);
    const { code, output } = await second.ended;
    expect(code).toBe(0);
    expect(output).toContain(`listening on ${second.url}\n`);
    expect(output).toContain(`${second.url}/docs\n`);
  });

  it("loads ontologies, and reasons as it is told", async () => {
    const ontology = join(folder, "o.ttl");
    writeFileSync(ontology, "<urn:sub> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> <urn:super> .");
    const reasoning = await serve(["--data", ":memory:", "--ontology", ontology]);
    await publish(reasoning.url, "<urn:a> <urn:sub> <urn:b> .");
    expect(await ask(reasoning.url, "ASK { <urn:a> <urn:super> <urn:b> }")).toBe(true);
    const plain = await serve(["--data", ":memory:"], { SENS_ONTOLOGY: ontology, SENS_REASONING: "none" });
    await publish(plain.url, "<urn:a> <urn:sub> <urn:b> .");
    expect(await ask(plain.url, "ASK { <urn:a> <urn:super> <urn:b> }")).toBe(false);
  });

  it("a second server on the same file is refused with 2", async () => {
    const data = join(folder, "kb.db");
    await serve(["--data", data]);
    const { code, output } = await start(["serve", "--port", "0", "--data", data]).ended;
    expect(output).toContain("SENS_DATA_LOCKED");
    expect(code).toBe(2);
  });

  it("an absent ontology file, and a public address without tokens, are configuration errors", async () => {
    expect(await start(["serve", "--port", "0", "--data", ":memory:", "--ontology", join(folder, "absent.ttl")]).ended).toMatchObject({
      code: 2,
    });
    const open = await start(["serve", "--port", "0", "--data", ":memory:", "--host", "0.0.0.0"]).ended;
    expect(open).toMatchObject({ code: 2 });
    expect(open.output).toContain("SENS_TOKENS");
  });
});

describe("sens serve --restored", () => {
  const at = (url: string, path: string, init?: RequestInit): Promise<number> => fetch(`${url}${path}`, init).then(({ status }) => status);
  const subscribing = (name: string): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "CONSTRUCT WHERE { ?s <urn:p> ?o }", name }),
  });

  it("begins a new epoch: the data is there, cursors of the former life are refused with 409", async () => {
    const data = join(folder, "kb.db");
    const copy = join(folder, "copy.db");
    const first = await serve(["--data", data]);
    const { cursor } = (await (await publish(first.url, "<urn:a> <urn:p> <urn:b> .")).json()) as { readonly cursor: string };
    expect(await at(first.url, "/subscriptions", subscribing("desk"))).toBe(201);
    first.child.kill("SIGTERM");
    await first.ended;
    copyFileSync(data, copy);

    const second = await serve(["--data", copy, "--restored"]);
    expect(await ask(second.url, "ASK { <urn:a> <urn:p> <urn:b> }")).toBe(true);
    const old = encodeURIComponent(cursor);
    expect(await at(second.url, `/changes?after=${old}`)).toBe(409);
    const subscriptions = (await (await fetch(`${second.url}/subscriptions`)).json()) as {
      readonly subscriptions: readonly { readonly subscription: string; readonly name: string }[];
    };
    expect(subscriptions.subscriptions).toMatchObject([{ name: "desk" }]);
    const [{ subscription = "" } = {}] = subscriptions.subscriptions;
    expect(await at(second.url, `/subscriptions/${subscription}/events?from=${old}`)).toBe(409);
    const later = (await (await publish(second.url, "<urn:a> <urn:p> <urn:c> .")).json()) as { readonly cursor: string };
    second.child.kill("SIGTERM");
    await second.ended;

    const third = await serve(["--data", copy]);
    expect(await at(third.url, `/changes?after=${encodeURIComponent(later.cursor)}`)).toBe(200);
  });

  it("needs a file, which is not made", async () => {
    const none = await start(["serve", "--port", "0", "--data", join(folder, "none.db"), "--restored"]).ended;
    expect(none).toMatchObject({ code: 2 });
    expect(none.output).toContain("none.db");
    expect(readdirSync(folder)).toEqual([]);
    expect(await start(["serve", "--port", "0", "--data", ":memory:", "--restored"]).ended).toMatchObject({ code: 2 });
  });
});

describe("bounds of sens serve", () => {
  it("come from options and from the environment", async () => {
    const server = await serve(["--data", ":memory:", "--max-body", "1", "--max-subscriptions", "1"], { SENS_MAX_WAITS: "7" });
    const large = await publish(server.url, `<urn:a> <urn:p> "${"x".repeat(1024 * 1024)}" .`);
    expect(large.status).toBe(413);
    const subscribe = (): Promise<Response> =>
      fetch(`${server.url}/subscriptions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query: "CONSTRUCT WHERE { ?s ?p ?o }" }),
      });
    expect((await subscribe()).status).toBe(201);
    expect((await subscribe()).status).toBe(429);
    server.child.kill("SIGTERM");
    expect((await server.ended).output).toContain("1 subscriptions, 7 waits, 1 MiB bodies");
    const wrong = await start(["serve", "--max-waits", "0"]).ended;
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.output).toContain("--max-waits");
  });
});

describe("a Node that is too old", () => {
  it("is refused with 2 and a sentence, before anything else is loaded", async () => {
    const pretend = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.17.1' } })";
    const child = spawn(process.execPath, ["--import", `data:text/javascript,${encodeURIComponent(pretend)}`, "src/cli/main.ts", "help"]);
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text;
    });
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect(code).toBe(2);
    expect(err).toBe("sens: needs Node 22.18 or newer, and this is 22.17.1. Install a current Node: https://nodejs.org\n");
  });
});

describe("sens verify", () => {
  it("says 0 for a whole file, 3 for a damaged one, 2 for none", async () => {
    const data = join(folder, "kb.db");
    const server = await serve(["--data", data]);
    for (let i = 0; i < 20; i++) await publish(server.url, `<urn:s${i}> <urn:p> "${"x".repeat(500)}${i}" .`);
    server.child.kill("SIGTERM");
    await server.ended;
    const whole = await start(["verify", data, "--json"]).ended;
    expect(whole.code).toBe(0);
    expect(JSON.parse(whole.output)).toMatchObject({ ok: true, revision: 20 });
    flipText(data);
    expect(await start(["verify", data]).ended).toMatchObject({ code: 3 });
    expect(await start(["verify", join(folder, "none.db")]).ended).toMatchObject({ code: 2 });
    expect(readdirSync(folder)).not.toContain("none.db");
  });
});

/** Changes one letter of a stored literal, as a failing disk would: the last in the file, for the first may be a leftover in unused space. */
function flipText(path: string): void {
  const bytes = readFileSync(path);
  const at = bytes.lastIndexOf("xxxxxxxxxxxxxxxx");
  expect(at).toBeGreaterThan(0);
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(path, bytes);
}

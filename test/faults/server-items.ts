/**
 * Items published to a server under test: each is one document of several triples with its own idempotency key, and one
 * more follows from them. So a lost, a partial, a doubled and a wrongly derived one can be told from the result.
 */
const E = "http://example.org/item#";
const TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

/** Triples of one item that are asserted. */
export const PARTS = 5;
/** What every item is by this. */
export const ITEM_SCHEMA = `<${E}Item> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <${E}Thing> .\n`;

export interface StoredItem {
  readonly parts: number;
  readonly derived: boolean;
}
export const WHOLE: StoredItem = { parts: PARTS, derived: true };

export function itemDocument(number: number): string {
  const lines = [`<${E}${number}> <${TYPE}> <${E}Item> .`];
  for (let part = 1; part < PARTS; part++) lines.push(`<${E}${number}> <${E}part> "${part}" .`);
  return `${lines.join("\n")}\n`;
}

const STORED = `SELECT ?s (COUNT(?o) AS ?n) (SUM(IF(?o = <${E}Thing>, 1, 0)) AS ?d) {
  ?s ?p ?o FILTER(STRSTARTS(STR(?s), "${E}") && ?s != <${E}Item>) } GROUP BY ?s`;

/** Every item that is visible at all, by its number. */
export const STORED_QUERY = STORED;

export function readStored(rows: Iterable<readonly [subject: string, all: string, derived: string]>): Map<number, StoredItem> {
  const items = new Map<number, StoredItem>();
  for (const [subject, all, derived] of rows)
    items.set(Number(subject.slice(E.length)), { parts: Number(all) - Number(derived), derived: derived === "1" });
  return items;
}

export class Refused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, text: string) {
    super(`${status} ${code}: ${text}`);
    this.status = status;
    this.code = code;
  }
}

export interface Published {
  readonly revision: number;
  readonly cursor: string;
  readonly added: number;
}

export async function publishText(url: string, text: string, key?: string): Promise<Published> {
  const response = await fetch(`${url}/publish`, {
    method: "POST",
    headers: { "content-type": "application/n-triples", ...(key === undefined ? {} : { "idempotency-key": key }) },
    body: text,
  });
  const answer = await response.text();
  if (response.status === 200) return JSON.parse(answer) as Published;
  throw new Refused(response.status, String((JSON.parse(answer) as { code?: string }).code), answer);
}

export function publishItem(url: string, number: number): Promise<Published> {
  return publishText(url, itemDocument(number), `item-${number}`);
}

export async function storedItems(url: string): Promise<Map<number, StoredItem>> {
  const response = await fetch(`${url}/sparql?query=${encodeURIComponent(STORED)}`, {
    headers: { accept: "application/sparql-results+json" },
  });
  if (response.status !== 200) throw new Error(`the query was answered with ${response.status}: ${await response.text()}`);
  const { results } = (await response.json()) as { results: { bindings: Record<"s" | "n" | "d", { readonly value: string }>[] } };
  return readStored(results.bindings.map(({ s, n, d }) => [s.value, n.value, d.value] as const));
}

/** Several publishers that send one item after the other until the server fails them or they are told to stop. */
export class ItemLoad {
  readonly acknowledged = new Map<number, Published>();
  /** Sent without an answer, or refused. */
  unanswered = new Set<number>();
  readonly #refusals: unknown[] = [];
  #next = 1;
  #stopped = true;
  #running: Promise<void>[] = [];
  #watchers: { readonly count: number; readonly reached: () => void }[] = [];

  get refusals(): readonly unknown[] {
    return this.#refusals;
  }

  start(url: string, publishers: number): void {
    this.#stopped = false;
    this.unanswered = new Set();
    this.#running = Array.from({ length: publishers }, () => this.#publish(url));
  }

  /** Resolves when so many were acknowledged in all, or when every publisher has ended. */
  async reaches(count: number): Promise<void> {
    const reached = new Promise<void>((resolve) => this.#watchers.push({ count, reached: resolve }));
    this.#tell();
    await Promise.race([reached, Promise.all(this.#running)]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
  }

  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #publish(url: string): Promise<void> {
    while (!this.#stopped) {
      const number = this.#next++;
      this.unanswered.add(number);
      try {
        this.acknowledged.set(number, await publishItem(url, number));
      } catch (error) {
        this.#refusals.push(error);
        return;
      }
      this.unanswered.delete(number);
      this.#tell();
    }
  }

  #tell(): void {
    this.#watchers = this.#watchers.filter(({ count, reached }) => {
      if (this.acknowledged.size < count) return true;
      reached();
      return false;
    });
  }
}

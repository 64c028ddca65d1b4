/** Where the demo is played: it tells each step, shows why, and remembers whether every expectation held. */
import { connect, formatProof, type Notification, type SensClient, type Subscription, writeNQuads } from "../../client/index.ts";

export const FAMILY = "http://example.org/family#";
export const PREFIX = `PREFIX : <${FAMILY}>\n`;

const SHORT: readonly (readonly [RegExp, string])[] = [
  [/<http:\/\/example\.org\/family#([^>]*)>/g, ":$1"],
  [/<http:\/\/www\.w3\.org\/1999\/02\/22-rdf-syntax-ns#type>/g, "a"],
  [/<http:\/\/www\.w3\.org\/2000\/01\/rdf-schema#([^>]*)>/g, "rdfs:$1"],
  [/<http:\/\/www\.w3\.org\/2002\/07\/owl#([^>]*)>/g, "owl:$1"],
  [/"(\d+)"\^\^<http:\/\/www\.w3\.org\/2001\/XMLSchema#integer>/g, "$1"],
];

export class Stage {
  readonly #url: string;
  readonly #out: (line: string) => void;
  readonly #clients: SensClient[] = [];
  #ticks = 0;
  failures = 0;
  checks = 0;

  constructor(url: string, out: (line: string) => void) {
    this.#url = url;
    this.#out = out;
  }

  async client(): Promise<SensClient> {
    const client = await connect(this.#url);
    this.#clients.push(client);
    return client;
  }

  heading(text: string): void {
    this.#out("");
    this.#out(text);
  }

  tell(text: string): void {
    this.#out(`  ${text}`);
  }

  /** An expectation, shown with what was seen when it did not hold. */
  check(expectation: string, held: boolean, seen = ""): void {
    this.checks++;
    if (!held) this.failures++;
    this.#out(`  ${held ? "ok  " : "NOT "} ${expectation}${held || seen === "" ? "" : `; seen: ${seen}`}`);
  }

  /** Expects a statement to follow from others, and shows the proof. */
  async checkWhy(client: SensClient, expectation: string, subject: string, predicate: string, object: string): Promise<void> {
    const proof = await client.explain(`<${FAMILY}${subject}> <${FAMILY}${predicate}> <${FAMILY}${object}> .\n`);
    this.check(`${expectation}:`, proof.kind === "derived", proof.kind);
    for (const line of formatProof(proof, shorten).trimEnd().split("\n")) this.#out(`         ${line}`);
  }

  async publish(client: SensClient, turtle: string): Promise<void> {
    this.tell(`publish  ${turtle}`);
    await client.publish(`@prefix : <${FAMILY}> .\n${turtle}`, { contentType: "text/turtle" });
  }

  /** Collects notifications; `settled` waits until everything published before has been told. */
  async listen(client: SensClient, query: string, options: { readonly removals?: boolean } = {}): Promise<Listener> {
    this.tell(`subscribe  ${query}`);
    const sentinel = await client.subscribe(`${PREFIX}CONSTRUCT WHERE { :Demo :ticks ?n }`);
    return new Listener(await client.subscribe(PREFIX + query, options), sentinel, async () => {
      const tick = `<${FAMILY}Demo> <${FAMILY}ticks> "${++this.#ticks}" .\n`;
      await client.publish(tick);
      return tick;
    });
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }
}

/** A subscription beside a sentinel: notifications keep their order, so the sentinel's tells that none is still to come. */
export class Listener {
  readonly #subscription: Subscription;
  readonly #sentinel: AsyncIterator<Notification, undefined>;
  readonly #stopSentinel: () => void;
  readonly #tick: () => Promise<string>;
  #heard: Notification[] = [];

  constructor(subscription: Subscription, sentinel: Subscription, tick: () => Promise<string>) {
    this.#subscription = subscription;
    this.#sentinel = sentinel[Symbol.asyncIterator]();
    this.#stopSentinel = () => sentinel.close();
    this.#tick = tick;
    this.#collect().catch((error: unknown) => {
      this.#failed = error;
    });
  }

  #failed: unknown;

  /** What was told since the last call: lines of N-Triples, shortened, in order of spelling. */
  async heard(): Promise<{ readonly added: readonly string[]; readonly removed: readonly string[] }> {
    const tick = await this.#tick();
    for (;;) {
      const { value } = await this.#sentinel.next();
      if (!value || writeNQuads(value.added) === tick) break;
    }
    // Hand-over from the subscription's queue takes a turn of the event loop at most.
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (this.#failed !== undefined) throw this.#failed;
    const heard = this.#heard;
    this.#heard = [];
    return { added: lines(heard.map(({ added }) => writeNQuads(added))), removed: lines(heard.map(({ removed }) => writeNQuads(removed))) };
  }

  close(): void {
    this.#subscription.close();
    this.#stopSentinel();
  }

  async #collect(): Promise<void> {
    for await (const notification of this.#subscription) this.#heard.push(notification);
  }
}

function lines(texts: readonly string[]): readonly string[] {
  return texts
    .join("")
    .split("\n")
    .filter((line) => line !== "")
    .map(shorten)
    .sort();
}

/** N-Triples as people write Turtle. */
export function shorten(statement: string): string {
  let text = statement.trim().replace(/ \.$/, "");
  for (const [pattern, replacement] of SHORT) text = text.replace(pattern, replacement);
  return text;
}

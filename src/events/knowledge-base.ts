/** A knowledge base: every part of the event processor, built here by plain calls, and closed in order. */
import { totalmem } from "node:os";
import {
  type ChangeLog,
  type Clock,
  LIMITS,
  type Limits,
  type Logger,
  type Random,
  SensError,
  silentLogger,
  systemClock,
  systemRandom,
} from "../base/index.ts";
import { Engine } from "../engine/index.ts";
import type { Cursor, KnowledgeService, NamedDocument, Session } from "../protocol/index.ts";
import { type BlankNodeLabels, dataFactory, ServerLabels, TermDictionary } from "../rdf/index.ts";
import { axiomTerms, installReasoning, type OntologyLanguage } from "../reasoning/index.ts";
import { openChangeLog } from "../storage/index.ts";
import { Claims } from "./claims.ts";
import { Counters } from "./counters.ts";
import { Documents } from "./documents.ts";
import { EndedQueries } from "./ended-queries.ts";
import { Explanations } from "./explanations.ts";
import { Feeds } from "./feeds.ts";
import { figuresOf } from "./figures.ts";
import { GroupCommit } from "./group-commit.ts";
import { Idempotency } from "./idempotency.ts";
import { Insertions } from "./insertions.ts";
import type { Kernel } from "./kernel.ts";
import { Positions } from "./positions.ts";
import { Processor } from "./processor.ts";
import { Publishing } from "./publishing.ts";
import { Queries } from "./queries.ts";
import { recover } from "./recovery.ts";
import { KnowledgeSession, type SessionParts } from "./session.ts";
import { Snapshots } from "./snapshots.ts";
import { StandingQueries } from "./standing-queries.ts";
import { Subscriptions } from "./subscriptions.ts";
import { Updates } from "./updates.ts";
import { Waits } from "./waits.ts";
import { WriterQueue } from "./writer-queue.ts";

export interface KnowledgeBaseOptions {
  /** Database file, made when absent; or `:memory:`. */
  readonly data: string;
  readonly reasoning: OntologyLanguage;
  /** Ontology documents put at start, as far as they are not there already. */
  readonly ontologies?: readonly NamedDocument[];
  /** `union`: queries without GRAPH see all graphs. */
  readonly defaultGraph?: "own" | "union";
  /** The file is a copy that was brought back: a new epoch begins, and cursors of the former life are foreign. */
  readonly restored?: boolean;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  readonly limits?: Partial<Limits>;
  /** Instead of the log that `data` names. */
  readonly log?: ChangeLog;
}

const RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

/** Opens and recovers a knowledge base. Throws SENS_CONFIG, SENS_DATA_DAMAGED, SENS_DATA_LOCKED. */
export async function createKnowledgeBase(options: KnowledgeBaseOptions): Promise<KnowledgeService> {
  const { clock = systemClock, random = systemRandom, logger = silentLogger } = options;
  const given = { ...LIMITS, ...options.limits };
  const limits = { ...given, memoryBytesMax: given.memoryBytesMax || given.memoryShareMax * usableMemory() };
  const log = options.log ?? openChangeLog({ file: options.data, restored: options.restored ?? false, clock, random, logger, limits });
  const state = await log.open();
  try {
    const { engine, terms } = createEngine(options, limits, clock);
    const positions = new Positions(state.epoch, { revision: 0, tick: 0 });
    const kernel: Kernel = {
      engine,
      terms,
      labels: labelsOf(terms, random),
      log,
      positions,
      counters: new Counters(),
      clock,
      random,
      logger,
      limits,
    };
    const base = new KnowledgeBase(kernel, options.data !== ":memory:");
    await recover(kernel, state, base);
    await base.putAtStart(options.ontologies ?? []);
    return base;
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Bytes of the machine, or of the container that holds the process. */
function usableMemory(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

function createEngine(
  { reasoning, defaultGraph }: KnowledgeBaseOptions,
  limits: Limits,
  clock: Clock,
): { readonly engine: Engine; readonly terms: TermDictionary } {
  const terms = new TermDictionary();
  const engine = new Engine({
    typePredicate: terms.iri(RDF_TYPE),
    unionDefaultGraph: defaultGraph === "union",
    limits,
    reclaimInSlices: true,
    otherBytes: () => terms.memoryBytes,
    now: () => clock.monotonicMs(),
    ...axiomTerms(terms, reasoning),
  });
  installReasoning(engine, terms, { language: reasoning });
  return { engine, terms };
}

/** Labels nobody used, whatever the random numbers of an earlier life were. */
function labelsOf(terms: TermDictionary, random: Random): BlankNodeLabels {
  const isKnown = (label: string): boolean => terms.find(dataFactory.blankNode(label)) !== 0;
  const labels = new ServerLabels(random.id(5), isKnown);
  return {
    isKnown: (label) => labels.isKnown(label),
    fresh() {
      for (;;) {
        const label = labels.fresh();
        if (!isKnown(label)) return label;
      }
    },
  };
}

class KnowledgeBase implements KnowledgeService, SessionParts {
  readonly kernel: Kernel;
  readonly queue: WriterQueue;
  readonly group: GroupCommit;
  readonly standing: StandingQueries;
  readonly processor: Processor;
  readonly subscriptions: Subscriptions;
  readonly claims: Claims;
  readonly waits: Waits;
  readonly insertions: Insertions;
  readonly documents: Documents;
  readonly publishing: Publishing;
  readonly updates: Updates;
  readonly queries: Queries;
  readonly explanations: Explanations;
  readonly feeds: Feeds;
  readonly idempotency: Idempotency;
  readonly snapshots: Snapshots;
  readonly #sessions = new Set<KnowledgeSession>();
  #ready = false;
  #degraded: string | undefined;
  #closing: Promise<void> | undefined;
  #tellFailed!: (error: SensError) => void;
  readonly #failed = new Promise<SensError>((resolve) => (this.#tellFailed = resolve));

  constructor(kernel: Kernel, isFile: boolean) {
    this.kernel = kernel;
    this.queue = new WriterQueue(kernel);
    this.group = new GroupCommit(kernel, (durable) => this.#appendEnded(durable));
    this.standing = new StandingQueries(kernel);
    this.processor = new Processor(kernel, this.queue, this.group, this.standing);
    this.idempotency = new Idempotency(kernel);
    this.subscriptions = new Subscriptions(kernel, this.queue, this.processor, this.standing);
    this.claims = new Claims(kernel, this.queue);
    this.waits = new Waits(kernel, this.queue, this.processor, this.standing, this.claims, this.idempotency);
    this.insertions = new Insertions(kernel, this.queue, this.processor, this.standing);
    this.documents = new Documents(kernel, this.queue, this.processor);
    this.publishing = new Publishing(kernel, this.queue, this.processor, this.claims, this.idempotency);
    this.updates = new Updates(kernel, this.queue, this.processor, this.claims, this.idempotency);
    this.queries = new Queries(kernel);
    this.explanations = new Explanations(kernel, this.queue, this.processor, this.insertions);
    this.feeds = new Feeds(kernel);
    this.snapshots = new Snapshots(kernel, this.queue, isFile);
    this.#connect();
  }

  /** What refers to each other in a ring. */
  #connect(): void {
    const { queue, group, processor, claims, waits, insertions, feeds, snapshots } = this;
    queue.group = group;
    queue.cascade = () => processor.cascade();
    queue.takenBack = () => {
      processor.reset();
      snapshots.takenBack();
    };
    claims.processor = processor;
    processor.takes = waits.takes;
    processor.blame = (error, already) =>
      insertions.blame(error, already) ?? EndedQueries.blame(this.kernel, this.standing, error, already);
    processor.readable = (error) => insertions.readable(error);
    processor.observers.push(
      (effects, step) => claims.noticed(effects, step),
      (effects) => waits.takes.noticed(effects),
      (effects, step, isChange) => feeds.noticed(effects, step, isChange),
      (effects) => snapshots.noticed(effects),
    );
  }

  async putAtStart(ontologies: readonly NamedDocument[]): Promise<void> {
    for (const document of ontologies) if (!this.documents.has("ontology", document)) await this.documents.put("ontology", document);
    this.#ready = true;
  }

  openSession(): Session {
    if (this.#closing) throw new SensError("SENS_SHUTTING_DOWN", "The knowledge base is closing.");
    const session = new KnowledgeSession(this, (closed) => this.#sessions.delete(closed));
    this.#sessions.add(session);
    return session;
  }

  cursor(): Cursor {
    return this.kernel.positions.cursor();
  }

  ready(): boolean {
    return this.#ready && !this.#closing;
  }

  degraded(): string | undefined {
    return this.#degraded;
  }

  whenFailed(): Promise<SensError> {
    return this.#failed;
  }

  figures(): Readonly<Record<string, number>> {
    return figuresOf({ ...this, sessions: this.#sessions.size });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Sinks and waits are told; what was accepted is made durable; then a snapshot; then the log is closed. */
  async #close(): Promise<void> {
    const error = new SensError("SENS_SHUTTING_DOWN", "The server is stopping.");
    this.waits.close(error);
    await this.queue.whenIdle();
    await this.group.whenIdle();
    this.subscriptions.close();
    if (this.#degraded === undefined) await this.snapshots.close();
    this.claims.close();
    this.queue.stop(error);
    await this.kernel.log.close();
  }

  #appendEnded(failure: SensError | undefined): void {
    if (!failure) {
      this.#degraded = undefined;
      return;
    }
    this.#degraded = failure.message;
    if (failure.code === "SENS_OUTCOME_UNKNOWN") {
      this.#ready = false;
      this.queue.stop(new SensError("SENS_NOT_READY", `Nothing is accepted any more: ${failure.message}`));
      this.#tellFailed(failure);
    }
    this.queue.wake();
  }
}

/**
 * Ontology and rule documents.
 *
 * An ontology document's triples are supplied: visible and reasoned with while the document is there, beside what clients
 * assert. Putting one of the same name replaces it: one transaction with the difference. Its blank nodes have labels made
 * from its name and text, so they are the same after every start.
 * A rule document's rules are in force while it is there.
 */
import { createHash } from "node:crypto";
import { type DocumentRecord, quoteInput, SensError } from "../base/index.ts";
import type { Transaction } from "../engine/index.ts";
import type { ChangeAnswer, NamedDocument } from "../protocol/index.ts";
import { type BlankNodeLabels, BlankNodeScope, parseDocument } from "../rdf/index.ts";
import { type CompiledRules, compileRules, type InstalledRules, RuleDocuments } from "../reasoning/index.ts";
import type { Kernel } from "./kernel.ts";
import type { Processor } from "./processor.ts";
import { Phase } from "./step.ts";
import type { WriterQueue } from "./writer-queue.ts";

type Kind = "ontology" | "rules";

/** A document in force. */
interface Placed {
  readonly document: NamedDocument;
  /** Ontologies: rows x 3 ids, each triple once. */
  readonly triples: readonly (readonly [number, number, number])[];
  readonly rules: InstalledRules | undefined;
}

/** A document that passed every check. */
interface Prepared {
  readonly document: NamedDocument;
  readonly triples: Placed["triples"];
  readonly rules: CompiledRules | undefined;
}

export class Documents {
  readonly #kernel: Kernel;
  readonly #queue: WriterQueue;
  readonly #processor: Processor;
  readonly #ruleDocuments: RuleDocuments;
  readonly #placed: Readonly<Record<Kind, Map<string, Placed>>> = { ontology: new Map(), rules: new Map() };

  constructor(kernel: Kernel, queue: WriterQueue, processor: Processor) {
    this.#kernel = kernel;
    this.#queue = queue;
    this.#processor = processor;
    this.#ruleDocuments = new RuleDocuments(kernel.engine, kernel.terms);
  }

  get counts(): Readonly<Record<Kind, number>> {
    return { ontology: this.#placed.ontology.size, rules: this.#placed.rules.size };
  }

  names(kind: Kind): readonly string[] {
    return [...this.#placed[kind].keys()].sort();
  }

  get(kind: Kind, name: string): NamedDocument {
    const placed = this.#placed[kind].get(name);
    if (!placed) throw notFound(kind, name);
    return placed.document;
  }

  async put(kind: Kind, document: NamedDocument): Promise<ChangeAnswer> {
    const prepared = await this.#prepare(kind, document);
    return this.#queue.submit<ChangeAnswer>(document.content.length, async (settle) => {
      const before = this.#placed[kind].get(document.name);
      let installed: InstalledRules | undefined;
      const isChange = before?.document.content !== document.content || before.document.contentType !== document.contentType;
      try {
        await this.#processor.transact({
          registers: isChange,
          stage: (transaction) => {
            if (!isChange) return;
            if (installed) this.#discardLater(installed);
            installed = this.#replace(transaction, before, prepared);
          },
          applied: (outcome, step) => {
            if (isChange) {
              this.#placed[kind].set(document.name, { document, triples: prepared.triples, rules: installed });
              step.registrations.push({ put: "document", value: { kind, ...document } });
              step.whenUndone(() => this.#undo(kind, document.name, before, installed));
            }
            step.whenDurable(Phase.acknowledge, () => {
              if (isChange && before?.rules) this.#discardLater(before.rules);
              settle.resolve(outcome.answer);
            });
          },
          failed: settle.reject,
        });
      } catch (error) {
        if (installed) this.#discardLater(installed);
        throw error;
      }
    });
  }

  async delete(kind: Kind, name: string): Promise<ChangeAnswer> {
    if (!this.#placed[kind].has(name)) throw notFound(kind, name);
    return this.#queue.submit<ChangeAnswer>(0, async (settle) => {
      const before = this.#placed[kind].get(name);
      if (!before) throw notFound(kind, name);
      await this.#processor.transact({
        registers: true,
        stage: (transaction) => void this.#replace(transaction, before, undefined),
        applied: (outcome, step) => {
          this.#placed[kind].delete(name);
          step.registrations.push({ delete: "document", kind, name });
          step.whenUndone(() => this.#placed[kind].set(name, before));
          step.whenDurable(Phase.acknowledge, () => {
            if (before.rules) this.#discardLater(before.rules);
            settle.resolve(outcome.answer);
          });
        },
        failed: settle.reject,
      });
    });
  }

  /** At start, before data. */
  async restore(records: readonly DocumentRecord[], transaction: Transaction): Promise<void> {
    for (const { kind, name, contentType, content } of records) {
      const prepared = await this.#prepare(kind, { name, contentType, content });
      const rules = this.#replace(transaction, undefined, prepared);
      this.#placed[kind].set(name, { document: prepared.document, triples: prepared.triples, rules });
    }
  }

  /** Documents of this kind in force that equal `document`. */
  has(kind: Kind, document: NamedDocument): boolean {
    const placed = this.#placed[kind].get(document.name)?.document;
    return placed !== undefined && placed.content === document.content && placed.contentType === document.contentType;
  }

  #replace(transaction: Transaction, before: Placed | undefined, after: Prepared | undefined): InstalledRules | undefined {
    const kept = new Set(after?.triples.map((triple) => triple.join()));
    const had = new Set(before?.triples.map((triple) => triple.join()));
    for (const [s, p, o] of before?.triples ?? []) if (!kept.has(`${s},${p},${o}`)) transaction.withdraw(s, p, o);
    for (const [s, p, o] of after?.triples ?? []) if (!had.has(`${s},${p},${o}`)) transaction.supply(s, p, o);
    if (before?.rules) this.#ruleDocuments.remove(transaction, before.rules);
    return after?.rules && this.#ruleDocuments.install(transaction, after.rules);
  }

  #undo(kind: Kind, name: string, before: Placed | undefined, installed: InstalledRules | undefined): void {
    if (before) this.#placed[kind].set(name, before);
    else this.#placed[kind].delete(name);
    if (installed) this.#discardLater(installed);
  }

  /** Compiled rules are freed between transactions. */
  #discardLater(rules: InstalledRules): void {
    this.#queue.internal("discard rules", async () => this.#ruleDocuments.discard(rules));
  }

  async #prepare(kind: Kind, document: NamedDocument): Promise<Prepared> {
    const { name, contentType, content } = document;
    const { terms } = this.#kernel;
    if (kind === "rules") return { document, triples: [], rules: compileRules(content, terms, { name }) };
    const { quads } = await parseDocument(Buffer.from(content), {
      contentType,
      dictionary: terms,
      blankNodes: new BlankNodeScope(documentLabels(name, content)),
    });
    const triples = new Map<string, readonly [number, number, number]>();
    for (let at = 0; at < quads.length; at += 4) {
      if (quads[at + 3] !== 0)
        throw new SensError(
          "SENS_DATA_LOSS",
          `The ontology document ${quoteInput(name)} has a named graph, and ontologies have none. Leave the graph out, or publish the document.`,
        );
      triples.set(`${quads[at]},${quads[at + 1]},${quads[at + 2]}`, [quads[at], quads[at + 1], quads[at + 2]]);
    }
    return { document, triples: [...triples.values()], rules: undefined };
  }
}

/** Labels of the server's form that depend on the document alone. */
function documentLabels(name: string, content: string): BlankNodeLabels {
  const digest = createHash("sha256").update(`${name}\n${content}`).digest("hex").slice(0, 24);
  let next = 0;
  return { fresh: () => `sens-${digest}-${(next++).toString(36)}`, isKnown: () => false };
}

function notFound(kind: Kind, name: string): SensError {
  return new SensError("SENS_NOT_FOUND", `There is no ${kind === "ontology" ? "ontology" : "rule"} document ${quoteInput(name)}.`);
}

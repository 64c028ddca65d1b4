/**
 * Which blank node a label means. Labels are scoped to their document: each label of a document becomes a fresh node.
 * A label that the server itself gave out, and still knows, addresses that node again, as `_:label` and as `<_:label>`;
 * an unknown one of that form (from another server, say) is a document label like any other.
 */
import { assert } from "../base/index.ts";
import { freshLabel, isServerLabel } from "./blank-node-label.ts";

/** Where fresh labels come from, and which labels name stored nodes. */
export interface BlankNodeLabels {
  fresh(): string;
  /** True when this server gave the label out and the node may still be in use. */
  isKnown(label: string): boolean;
}

/** Labels of one process life. `isKnown` is asked for labels of the server's form only. */
export class ServerLabels implements BlankNodeLabels {
  readonly #life: string;
  readonly #known: (label: string) => boolean;
  #next: number;

  /** `life`: 1 to 32 of [0-9a-z], another in each process life, e.g. `random.id(5)`. */
  constructor(life: string, isKnown: (label: string) => boolean, next = 0) {
    assert(/^[0-9a-z]{1,32}$/.test(life), `a label life is 1 to 32 characters of [0-9a-z], not ${JSON.stringify(life)}`);
    this.#life = life;
    this.#known = isKnown;
    this.#next = next;
  }

  fresh(): string {
    return freshLabel(this.#life, this.#next++);
  }

  isKnown(label: string): boolean {
    return isServerLabel(label) && this.#known(label);
  }
}

/** The labels of one document. */
export class BlankNodeScope {
  readonly #labels: BlankNodeLabels | undefined;
  readonly #byLabel = new Map<string, string>();
  #freshCount = 0;

  constructor(labels: BlankNodeLabels) {
    this.#labels = labels;
  }

  /** Keeps every label as it is: for the change log, snapshots and tests, where labels are the server's own. */
  static verbatim(): BlankNodeScope {
    return new VerbatimScope();
  }

  /** Nodes this document made: a retraction that has some names nothing that is stored. */
  get freshCount(): number {
    return this.#freshCount;
  }

  /** Stored label for `_:label`. */
  resolve(label: string): string {
    const labels = this.#labels as BlankNodeLabels;
    if (labels.isKnown(label)) return label;
    let stored = this.#byLabel.get(label);
    if (stored === undefined) {
      stored = this.anonymous();
      this.#byLabel.set(label, stored);
    }
    return stored;
  }

  /** Stored label for `<_:label>`, or `undefined` when no stored node has it. */
  address(label: string): string | undefined {
    return (this.#labels as BlankNodeLabels).isKnown(label) ? label : undefined;
  }

  /** Stored label of a node without label (`[]`, collections). */
  anonymous(): string {
    this.#freshCount++;
    return (this.#labels as BlankNodeLabels).fresh();
  }
}

class VerbatimScope extends BlankNodeScope {
  #anonymous = 0;
  readonly #seen = new Set<string>();

  constructor() {
    super({ fresh: () => "", isKnown: () => true });
  }

  override get freshCount(): number {
    return 0;
  }

  override resolve(label: string): string {
    this.#seen.add(label);
    return label;
  }

  override address(label: string): string | undefined {
    return label;
  }

  override anonymous(): string {
    let label: string;
    do label = `anon${this.#anonymous++}`;
    while (this.#seen.has(label));
    return label;
  }
}

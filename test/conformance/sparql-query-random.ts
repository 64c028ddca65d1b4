/** Random queries over random small data, for comparing evaluators. Deterministic in the random numbers given. */

const NAMES = ["a", "b", "c", "d"] as const;
const NODES = [":x0", ":x1", ":x2", ":x3"] as const;
const LITERALS = ["1", "2", "3", '"t"'] as const;
const PREDICATES = [":p", ":q", ":r"] as const;
const GRAPHS = [":g1", ":g2"] as const;

export interface RandomCase {
  readonly query: string;
  /** N-Quads-like statements as [subject, predicate, object, graph or ""], in SPARQL's terms. */
  readonly data: readonly (readonly [string, string, string, string])[];
}

export interface RandomOptions {
  /** Leave out what only one of the evaluators can do. */
  readonly features: ReadonlySet<Feature>;
}

export type Feature = "graph" | "closure" | "exists" | "subselect" | "aggregate" | "sums" | "limit";

export function randomCase(random: () => number, options: RandomOptions): RandomCase {
  const generator = new Generator(random, options.features);
  return { query: generator.query(), data: generator.data() };
}

class Generator {
  readonly #random: () => number;
  readonly #features: ReadonlySet<Feature>;
  #fresh = 0;

  constructor(random: () => number, features: ReadonlySet<Feature>) {
    this.#random = random;
    this.#features = features;
  }

  data(): [string, string, string, string][] {
    const rows: [string, string, string, string][] = [];
    const count = 4 + this.#below(10);
    for (let i = 0; i < count; i++) {
      const object = this.#chance(0.6) ? this.#pick(NODES) : this.#pick(LITERALS);
      rows.push([
        this.#pick(NODES),
        this.#pick(PREDICATES),
        object,
        this.#features.has("graph") && this.#chance(0.4) ? this.#pick(GRAPHS) : "",
      ]);
    }
    return rows;
  }

  query(): string {
    const body = this.#group(3);
    const head = this.#head();
    return `PREFIX : <http://e/> SELECT ${head.select} WHERE ${body} ${head.tail}`;
  }

  #head(): { select: string; tail: string } {
    if (this.#features.has("aggregate") && this.#chance(0.2)) {
      const key = this.#variable();
      const value = this.#variable();
      const counts = ["COUNT(*)", `COUNT(DISTINCT ${value})`, `COUNT(${value})`];
      // Comunica passes over unbound values here, where SPARQL has an error.
      const sums = this.#features.has("sums")
        ? [`SUM(${value})`, `MIN(${value})`, `MAX(${value})`, `SAMPLE(${value})`, `AVG(${value})`]
        : [];
      const aggregate = this.#pick([...counts, ...sums]);
      if (this.#chance(0.3)) return { select: `(${aggregate} AS ?agg)`, tail: "" };
      return { select: `${key} (${aggregate} AS ?agg)`, tail: `GROUP BY ${key}` };
    }
    const distinct = this.#chance(0.3) ? "DISTINCT " : "";
    return {
      select: `${distinct}${NAMES.map((name) => `?${name}`).join(" ")}`,
      tail: this.#features.has("limit") && this.#chance(0.3) ? this.#limit() : "",
    };
  }

  #group(depth: number): string {
    const parts: string[] = [];
    const count = 1 + this.#below(3);
    for (let i = 0; i < count; i++) parts.push(this.#part(depth, parts.join(" ")));
    if (this.#chance(0.35)) parts.push(this.#filter(depth));
    return `{ ${parts.join(" ")} }`;
  }

  #part(depth: number, before: string): string {
    const roll = this.#random();
    if (depth <= 0 || roll < 0.34) return `${this.#triple()} .${this.#chance(0.4) ? ` ${this.#triple()} .` : ""}`;
    if (roll < 0.52) return `OPTIONAL ${this.#group(depth - 1)}`;
    if (roll < 0.62) return `${this.#group(depth - 1)} UNION ${this.#group(depth - 1)}`;
    if (roll < 0.7) return `MINUS ${this.#group(depth - 1)}`;
    if (roll < 0.76) return this.#bind(before);
    if (roll < 0.83) return this.#values();
    if (roll < 0.88) return this.#path();
    if (roll < 0.92 && this.#features.has("subselect")) return this.#subselect(depth - 1);
    if (roll < 0.96 && this.#features.has("graph")) return `GRAPH ${this.#chance(0.5) ? this.#pick(GRAPHS) : "?g"} { ${this.#triple()} . }`;
    return this.#group(depth - 1);
  }

  #triple(): string {
    return `${this.#chance(0.8) ? this.#variable() : this.#pick(NODES)} ${this.#chance(0.9) ? this.#pick(PREDICATES) : "?c"} ${this.#object()}`;
  }

  #object(): string {
    const roll = this.#random();
    return roll < 0.7 ? this.#variable() : roll < 0.85 ? this.#pick(NODES) : this.#pick(LITERALS);
  }

  #path(): string {
    const [p, q] = [this.#pick(PREDICATES), this.#pick(PREDICATES)];
    const paths = [`${p}/${q}`, `${p}|${q}`, `^${p}`, `!(${p})`, `!(${p}|^${q})`, `(${p}|${q})/^${p}`];
    if (this.#features.has("closure")) paths.push(`${p}+`, `${p}*`, `${p}?`, `(${p}/${q})+`, `(${p}|^${q})*`, `${p}/${q}*`);
    return `${this.#chance(0.7) ? this.#variable() : this.#pick(NODES)} ${this.#pick(paths)} ${this.#chance(0.7) ? this.#variable() : this.#pick(NODES)} .`;
  }

  #bind(before: string): string {
    const free = NAMES.filter((name) => !before.includes(`?${name}`));
    const target = free.length > 0 && this.#chance(0.7) ? this.#pick(free) : `e${this.#fresh++}`;
    return `BIND(${this.#pick(["1", "2", ":x1", `COALESCE(${this.#variable()}, 1)`, this.#variable(), `${this.#variable()} + 1`, `STR(${this.#variable()})`])} AS ?${target})`;
  }

  #values(): string {
    if (this.#chance(0.5)) return `VALUES ${this.#variable()} { ${this.#constant()} ${this.#constant()} }`;
    const cell = () => (this.#chance(0.3) ? "UNDEF" : this.#constant());
    const [left, right] = this.#chance(0.5) ? ["?a", "?b"] : ["?b", "?d"];
    return `VALUES (${left} ${right}) { (${cell()} ${cell()}) (${cell()} ${cell()}) }`;
  }

  #subselect(depth: number): string {
    const body = this.#group(depth);
    const [one, two] = [this.#variable(), this.#variable()];
    const roll = this.#random();
    if (roll < 0.3 && this.#features.has("aggregate"))
      return `{ SELECT ${one} (COUNT(*) AS ?n${this.#fresh++}) WHERE ${body} GROUP BY ${one} }`;
    if (roll < 0.5 && this.#features.has("limit")) return `{ SELECT ${one} WHERE ${body} ${this.#limit()} }`;
    if (roll < 0.7) return `{ SELECT DISTINCT ${one} WHERE ${body} }`;
    return `{ SELECT ${one === two ? one : `${one} ${two}`} WHERE ${body} }`;
  }

  #limit(): string {
    const order = this.#chance(0.6) ? `ORDER BY ${this.#chance(0.5) ? `DESC(${this.#variable()})` : this.#variable()} ` : "";
    return `${order}LIMIT ${1 + this.#below(4)}${this.#chance(0.3) ? ` OFFSET ${this.#below(3)}` : ""}`;
  }

  #filter(depth: number): string {
    const roll = this.#random();
    if (this.#features.has("exists") && roll < 0.3)
      return `FILTER(${this.#chance(0.5) ? "NOT " : ""}EXISTS { ${this.#triple()} . ${this.#chance(0.3) && depth > 0 ? this.#simpleFilter() : ""} })`;
    return this.#simpleFilter();
  }

  #simpleFilter(): string {
    const v = this.#variable();
    const w = this.#variable();
    return `FILTER(${this.#pick([`BOUND(${v})`, `!BOUND(${v})`, `${v} = ${w}`, `${v} != ${w}`, `${v} < 3`, `${v} = :x1`, `!BOUND(${v}) || ${v} != ${w}`, `isIRI(${v})`, `${v} IN (:x0, 1, ${w})`])})`;
  }

  #constant(): string {
    return this.#chance(0.7) ? this.#pick(NODES) : this.#pick(LITERALS);
  }

  #variable(): string {
    return `?${this.#pick(NAMES)}`;
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #below(n: number): number {
    return Math.floor(this.#random() * n);
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[this.#below(choices.length)];
  }
}

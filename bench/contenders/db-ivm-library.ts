/**
 * What is used of @tanstack/db-ivm, written down here because the library is a dependency of the benchmarks alone: the
 * project's type check must not need it.
 */
export type Weighted<T> = [row: T, weight: number];
export type Keyed<V> = [key: string, value: V];

export interface Rows<T> {
  getInner(): Weighted<T>[];
}

declare const operatorBrand: unique symbol;
export interface Operator<I, O> {
  readonly [operatorBrand]?: (input: I) => O;
}

export interface Stream<T> {
  pipe<A>(a: Operator<T, A>): Stream<A>;
  pipe<A, B>(a: Operator<T, A>, b: Operator<A, B>): Stream<B>;
  pipe<A, B, C>(a: Operator<T, A>, b: Operator<A, B>, c: Operator<B, C>): Stream<C>;
}

export interface Input<T> extends Stream<T> {
  sendData(rows: Weighted<T>[]): void;
}

export interface Dataflow {
  newInput<T>(): Input<T>;
  finalize(): void;
  run(): void;
}

export interface DbIvm {
  readonly D2: new () => Dataflow;
  map<I, O>(project: (row: I) => O): Operator<I, O>;
  filter<T>(holds: (row: T) => boolean): Operator<T, T>;
  concat<T>(other: Stream<T>): Operator<T, T>;
  join<A, B>(other: Stream<Keyed<B>>, kind?: "inner"): Operator<Keyed<A>, Keyed<[A, B]>>;
  join<A, B>(other: Stream<Keyed<B>>, kind: "left" | "anti"): Operator<Keyed<A>, Keyed<[A, B | null]>>;
  reduce<V, O>(summarise: (values: Weighted<V>[]) => Weighted<O>[]): Operator<Keyed<V>, Keyed<O>>;
  output<T>(told: (rows: Rows<T>) => void): Operator<T, T>;
}

export async function loadDbIvm(): Promise<DbIvm> {
  const name: string = "@tanstack/db-ivm";
  return (await import(name)) as DbIvm;
}

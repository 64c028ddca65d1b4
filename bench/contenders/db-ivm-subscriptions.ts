/** The nine queries as hand-wired joins of a stream of subscriptions, keyed by the query's first constant, with the data. */
import type { Shape } from "../workload/subscriptions.ts";
import { iri } from "../workload/vocabulary.ts";
import type { Dataflow, DbIvm, Input, Keyed, Operator, Stream, Weighted } from "./db-ivm-library.ts";
import { distinctPairs, present, swapped, type WiredData } from "./db-ivm-pairs.ts";

/** Subscription number and the query's second constant. */
type Subscriber = readonly [subscription: number, second: string];
/** A subscriber met a row: what else of the solution is known. */
type Met = readonly [subscriber: number, constant: string, other: string];

type Tell = (subscription: number, line: string, weight: number) => void;

export function wireSubscriptions(library: DbIvm, graph: Dataflow, data: WiredData, tell: Tell): Record<Shape, Input<Keyed<Subscriber>>> {
  const { map, filter, join, concat, reduce } = library;
  const { of, parent, ancestor, person } = data;
  const input = (): Input<Keyed<Subscriber>> => graph.newInput<Keyed<Subscriber>>();
  const inputs: Record<Shape, Input<Keyed<Subscriber>>> = {
    donor: input(),
    sibling: input(),
    ward: input(),
    doctor: input(),
    grandparent: input(),
    uninsured: input(),
    drug: input(),
    count: input(),
    family: input(),
  };
  /** Subscribers joined with rows keyed by their first constant, keyed by the row's value. */
  const meet = (shape: Shape, rows: Stream<Keyed<string>>): Stream<Keyed<Met>> =>
    inputs[shape].pipe(
      join<Subscriber, string>(rows),
      map(([constant, [[subscription], value]]: Keyed<[Subscriber, string]>): Keyed<Met> => [value, [subscription, constant, value]]),
    );
  const onto = <B>(rows: Stream<Keyed<B>>): Operator<Keyed<Met>, Keyed<[Met, B]>> => join<Met, B>(rows);
  const told = <T>(stream: Stream<T>, linesOf: (row: T) => readonly [number, ...string[]]): void => {
    stream.pipe(
      library.output((rows) => {
        for (const [row, weight] of rows.getInner()) {
          const [subscription, ...lines] = linesOf(row);
          for (const line of lines) tell(subscription, line, weight);
        }
      }),
    );
  };
  const line = (s: string, predicate: string, o: string): string => `${s} ${iri(predicate)} ${o} .`;
  const byObject = (rows: Stream<Keyed<string>>): Stream<Keyed<string>> => swapped(library, rows);
  const parentOf = byObject(parent);

  const donorOfBlood = inputs.donor.pipe(
    join<Subscriber, string>(byObject(ancestor)),
    map(
      ([constant, [[subscription, blood], donor]]: Keyed<[Subscriber, string]>): Keyed<Met> => [
        `${donor} ${blood}`,
        [subscription, constant, donor],
      ],
    ),
    onto(of.hasBloodType.pipe(map(([who, blood]: Keyed<string>): Keyed<string> => [`${who} ${blood}`, ""]))),
  );
  told(donorOfBlood, ([, [[subscription, x, donor]]]) => [subscription, line(x, "canReceiveBloodFrom", donor)]);

  const siblings = meet("sibling", parentOf).pipe(
    onto(parent),
    filter(([, [[, x], y]]: Keyed<[Met, string]>) => x !== y),
  );
  told(oncePerSubscriber(library, siblings), ([subscription, x, y]) => [subscription, line(x, "hasSibling", y)]);

  const women = of.type.pipe(filter(([, sex]: Keyed<string>) => sex === iri("Woman")));
  type Asked = readonly [subscription: number, ward: string, limit: number];
  const patientsOfWard = inputs.ward.pipe(
    join<Subscriber, string>(byObject(of.registeredAt)),
    map(([ward, [[subscription, limit], who]]: Keyed<[Subscriber, string]>): Keyed<Asked> => [who, [subscription, ward, numberIn(limit)]]),
  );
  const womenOfWard = patientsOfWard.pipe(
    join<Asked, string>(women),
    map(([who, [asked]]: Keyed<[Asked, string]>): Keyed<Asked> => [who, asked]),
  );
  const oldOnes = womenOfWard.pipe(
    join<Asked, string>(of.hasAge),
    filter(([, [[, , limit], age]]: Keyed<[Asked, string]>) => numberIn(age) > limit),
  );
  told(oldOnes, ([who, [[subscription, ward]]]) => [subscription, line(ward, "hasSenior", who)]);

  const cared = meet("doctor", byObject(of.hasPractitioner)).pipe(join<Met, string>(of.hasAllergy, "left"));
  told(cared, ([who, [[subscription, doctor], allergy]]) =>
    allergy === null
      ? [subscription, line(doctor, "caresFor", who)]
      : [subscription, line(doctor, "caresFor", who), line(who, "mustAvoid", allergy)],
  );

  const grandparents = meet("grandparent", parentOf).pipe(onto(parentOf));
  told(oncePerSubscriber(library, grandparents), ([subscription, x, grandparent]) => [
    subscription,
    line(x, "hasGrandparent", grandparent),
  ]);

  const uninsured = meet("uninsured", byObject(of.livesIn)).pipe(join<Met, string>(of.hasInsurance, "anti"));
  told(uninsured, ([who, [[subscription, city]]]) => [subscription, line(city, "hasUninsured", who)]);

  const affected = distinctPairs(library, byObject(of.takesMedication).pipe(concat(byObject(of.hasAllergy))));
  told(meet("drug", affected), ([who, [subscription, drug]]) => [subscription, line(drug, "concerns", who)]);

  const counted = byObject(of.hasDiagnosis).pipe(
    reduce((values: Weighted<string>[]): Weighted<string>[] => [[String(values.reduce((sum, [, weight]) => sum + weight, 0)), 1]]),
  );
  const counts = meet("count", counted);
  const integer = "http://www.w3.org/2001/XMLSchema#integer";
  told(counts, ([count, [subscription, diagnosis]]) => [subscription, line(diagnosis, "isHadBy", `"${count}"^^<${integer}>`)]);

  const members = meet("family", byObject(of.hasFamilyName)).pipe(onto(person));
  told(members, ([who, [[subscription, name]]]) => [subscription, line(who, "isOfFamily", name)]);
  return inputs;
}

/** A result is a set: two ways to the same relative are one. */
function oncePerSubscriber({ map, reduce }: DbIvm, stream: Stream<Keyed<[Met, string]>>): Stream<Met> {
  return stream.pipe(
    map(([, [[subscription, x], y]]: Keyed<[Met, string]>): Keyed<string> => [`${subscription} ${x} ${y}`, y]),
    reduce(present),
    map(([text, y]: Keyed<string>): Met => {
      const [subscription, x] = text.split(" ");
      return [Number(subscription), x, y];
    }),
  );
}

/** The number of an integer literal. */
function numberIn(literal: string): number {
  return Number.parseInt(literal.slice(1), 10);
}

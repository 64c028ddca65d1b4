/**
 * Publish to notify: S subscriptions of mixed shapes stand, each publication affects exactly one. Publications come in
 * batches that are withdrawn again, so that the size of the knowledge base stays what the row says. With one subscription
 * the shapes take turns, so that every S has the same mix of affected shapes.
 */
import type { Contender, Told } from "../contenders/contender.ts";
import { Documents, TRIPLES_PER_PATIENT } from "../workload/documents.ts";
import { people } from "../workload/people.ts";
import { type Publication, type Shape, Subscriptions } from "../workload/subscriptions.ts";
import { Budget, median, quantile, type Spent, stopwatch } from "./clock.ts";
import type { CaseSettings, Outcome } from "./outcome.ts";

const BATCH = 50;
/** Publications of a round; the first round warms up, the figures are the median of the others. */
const ROUND_BATCHES = 18;

interface Tally {
  cpuUs: number;
  withdrawUs: number;
  published: number;
  wrong: number;
  readonly wallUs: number[];
  firstWrong: string;
}

interface SizedTally extends Tally {
  readonly size: number;
}

export async function measureNotify(make: () => Promise<Contender>, settings: CaseSettings, shapes?: readonly Shape[]): Promise<Outcome> {
  const patients = people(Math.round(settings.triples / TRIPLES_PER_PATIENT));
  const documents = new Documents(patients);
  const contender = await make();
  for (let i = 0; i < documents.count; i++) await contender.load(documents.at(i));
  await contender.loaded?.();
  const subscriptions = new Subscriptions(patients, documents, shapes);
  const wanted = settings.subscriptions ?? 1;
  const before = contender.memory();
  const registering = stopwatch();
  if (wanted > 1) for (let i = 0; i < wanted; i++) await contender.subscribe(subscriptions.target(i));
  const registered = registering();
  const after = contender.memory();

  const budget = new Budget(settings.budgetSeconds);
  const rounds: SizedTally[] = [];
  const wallUs: number[] = [];
  for (const size of [TRIPLES_PER_PATIENT, 8]) {
    const roundCount = settings.quick ? 3 : 5;
    for (let round = 0; round < roundCount && !budget.isSpent; round++) {
      const tally = await runRound(contender, subscriptions, wanted, size, round, budget);
      if (round === 0 && !budget.isSpent) continue;
      if (size === TRIPLES_PER_PATIENT) wallUs.push(...tally.wallUs);
      rounds.push({ ...tally, size });
    }
  }
  await contender.close();
  const of = (size: number): Tally[] => rounds.filter((tally) => tally.size === size && tally.published > 0);
  const wrong = rounds.reduce((sum, tally) => sum + tally.wrong, 0);
  const published = rounds.reduce((sum, tally) => sum + tally.published, 0);
  const whole = of(TRIPLES_PER_PATIENT);
  return {
    result:
      wrong > 0
        ? `WRONG ${wrong} of ${published}: ${rounds.find((tally) => tally.wrong > 0)?.firstWrong}`
        : published > 0
          ? "ok"
          : "none in the budget",
    figures: {
      published,
      publishUs: median(whole.map((tally) => tally.cpuUs / tally.published)),
      publish8Us: median(of(8).map((tally) => tally.cpuUs / tally.published)),
      p50Us: quantile(wallUs, 0.5),
      p99Us: quantile(wallUs, 0.99),
      withdrawUs: median(whole.map((tally) => tally.withdrawUs / tally.published)),
      registerUs: wanted > 1 ? registered.cpuUs / wanted : Number.NaN,
      subscriptionBytes:
        wanted > 1 && after.parameterBytes !== undefined ? (after.parameterBytes - (before.parameterBytes ?? 0)) / wanted : Number.NaN,
    },
  };
}

async function runRound(
  contender: Contender,
  subscriptions: Subscriptions,
  wanted: number,
  size: number,
  round: number,
  budget: Budget,
): Promise<Tally> {
  const tally: Tally = { cpuUs: 0, withdrawUs: 0, published: 0, wrong: 0, wallUs: [], firstWrong: "" };
  for (let batch = 0; batch < ROUND_BATCHES && !budget.isSpent; batch++) {
    const alone = batch % subscriptions.shapeCount;
    const first = wanted === 1 ? alone : 0;
    const publications = subscriptions.publications(BATCH, size, first, wanted, 1000 * (size + round) + batch);
    if (wanted === 1) await contender.subscribe(subscriptions.target(alone));
    await runBatch(contender, publications, tally, budget);
    if (wanted === 1) await contender.unsubscribe(subscriptions.target(alone));
  }
  return tally;
}

async function runBatch(contender: Contender, publications: readonly Publication[], tally: Tally, budget: Budget): Promise<void> {
  const told: (readonly Told[])[] = [];
  const publishing = stopwatch();
  for (const publication of publications) {
    if (budget.isSpent) break;
    const started = performance.now();
    told.push(await contender.publish(publication));
    tally.wallUs.push((performance.now() - started) * 1000);
  }
  tally.cpuUs += publishing().cpuUs;
  tally.published += told.length;
  for (const [i, answer] of told.entries()) {
    const wrong = faultOf(publications[i], answer);
    if (wrong === undefined) continue;
    if (tally.wrong++ === 0) tally.firstWrong = wrong;
  }
  const withdrawing: () => Spent = stopwatch();
  for (let i = 0; i < told.length; i++) if (!(await contender.takeBack(publications[i]))) tally.withdrawUs = Number.NaN;
  tally.withdrawUs += withdrawing().cpuUs;
  if (!budget.isSpent) await contender.refresh?.();
}

function faultOf({ target, expected }: Publication, told: readonly Told[]): string | undefined {
  const got = told.map(({ subscription, added }) => `${subscription}: ${[...added].sort().join(" ")}`).join("; ");
  const wanted = `${target}: ${expected.join(" ")}`;
  return got === wanted ? undefined : `told ${got || "nobody"}, expected ${wanted}`;
}

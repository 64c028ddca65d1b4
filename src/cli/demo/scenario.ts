/**
 * The scenario of the paper SENS descends from, played against a running server: siblings, donors, a continuous insertion,
 * and coordination between clients. Nothing in it knows more than any client knows.
 */
import { playCoordination } from "./coordination.ts";
import { playDonors } from "./donors.ts";
import { playInsertion } from "./insertion.ts";
import { playSiblings } from "./siblings.ts";
import { Stage } from "./stage.ts";

export interface ScenarioOutcome {
  readonly checks: number;
  readonly failures: number;
}

/** Plays it on an empty knowledge base that knows ontologies/family.ttl. */
export async function playScenario(url: string, out: (line: string) => void): Promise<ScenarioOutcome> {
  const stage = new Stage(url, out);
  try {
    for (const play of [playSiblings, playDonors, playInsertion, playCoordination]) await play(stage);
  } finally {
    stage.close();
  }
  return { checks: stage.checks, failures: stage.failures };
}

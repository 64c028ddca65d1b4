/**
 * The contract of SENS (DESIGN of the operations: docs/semantics.md): the same checks on every surface. A check is a claim
 * and a function; it gets a fresh knowledge base with one client, and says which operations it needs.
 */
import { afterEach, beforeEach, describe, it } from "vitest";
import type { Check } from "./check.ts";
import type { ContractClient, ContractHost, Surface } from "./client.ts";
import { documentChecks } from "./document-checks.ts";
import { knowledgeChecks } from "./knowledge-checks.ts";
import { type OpenService, openKnowledgeBase } from "./service.ts";
import { subscriptionChecks } from "./subscription-checks.ts";
import { waitChecks } from "./wait-checks.ts";
import { type ObservedService, observeWaits } from "./waits-begun.ts";

const CHECKS: { readonly [area: string]: readonly Check[] } = {
  "publish, retract, update and query": knowledgeChecks,
  subscriptions: subscriptionChecks,
  "receive and remove": waitChecks,
  "insertions, documents, explanation and feeds": documentChecks,
};

/** Runs every check on one surface. */
export function contractSuite(surface: Surface, open: OpenService = openKnowledgeBase): void {
  describe(`contract ${surface.name}`, () => {
    for (const [area, checks] of Object.entries(CHECKS)) {
      describe(area, () => {
        for (const check of checks) addCheck(surface, check, open);
      });
    }
  });
}

function addCheck(surface: Surface, check: Check, open: OpenService): void {
  const lacking = check.needs?.find((operation) => surface.lacks?.[operation] !== undefined);
  if (lacking !== undefined) {
    it(check.claim, (ctx) => ctx.skip(surface.lacks?.[lacking]));
    return;
  }
  describe(check.claim, () => {
    let host: ContractHost;
    let service: ObservedService;
    const clients: ContractClient[] = [];
    const connect = async (): Promise<ContractClient> => {
      const client = await host.connect();
      clients.push(client);
      return client;
    };
    beforeEach(async () => {
      service = observeWaits(await open(check.options ?? {}));
      host = await surface.open(service);
    });
    afterEach(async () => {
      await Promise.all(clients.splice(0).map((client) => client.close()));
      await host?.close();
    });
    it("holds", async () => check.run({ client: await connect(), service, another: connect }));
  });
}

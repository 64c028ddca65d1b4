/** The SDK over a server that goes and comes back, on the same knowledge base. */
import { expect, it } from "vitest";
import { connect, type Notification } from "../../src/client/index.ts";
import type { KnowledgeService } from "../../src/protocol/index.ts";
import { serve } from "../../src/server/index.ts";
import { openKnowledgeBase } from "../contract/service.ts";
import { observeWaits } from "../contract/waits-begun.ts";
import { atEnd } from "./served.ts";

const like = (predicate: string): string => `CONSTRUCT WHERE { ?s <urn:${predicate}> ?o }`;
const objects = (notification: Notification): string[] => notification.added.map((quad) => quad.object.value);

it("three subscriptions and a receive outlive a restart during which the token expired: each change once", async () => {
  const service = observeWaits(await openKnowledgeBase({}));
  atEnd(() => service.close());
  const kept: KnowledgeService = { ...service, close: async () => {} };
  const first = await serve(kept, { port: 0, tokens: "a:admin:old-token" });
  const port = Number(new URL(first.url).port);
  let token = "old-token";
  const failures: Error[] = [];
  const client = await connect(first.url, { token: () => token, backoffMaxMs: 100, onError: (error) => failures.push(error) });
  atEnd(() => client.close());
  const received: string[][] = [[], [], []];
  const subscriptions = await Promise.all(
    received.map((list, n) =>
      client.subscribe(like(`p${n}`), {
        name: n === 0 ? "durable" : undefined,
        onNotification: (news) => void list.push(...objects(news)),
      }),
    ),
  );
  const waiting = client.receive(like("wanted"), { timeoutMs: 60_000 });
  await service.waitsBegun(1);
  const session = service.openSession();
  atEnd(() => session.close());
  const publish = (value: string): Promise<unknown> =>
    session.publish({ data: [0, 1, 2].map((n) => `<urn:s> <urn:p${n}> "${value}" .\n`).join("") });

  await publish("before");
  await expect.poll(() => received).toEqual([["before"], ["before"], ["before"]]);
  await first.close();
  await publish("meanwhile");
  token = "new-token";
  const second = await serve(kept, { port, tokens: "a:admin:new-token" });
  atEnd(() => second.close());
  await expect.poll(() => received, { timeout: 10_000 }).toEqual([0, 1, 2].map(() => ["before", "meanwhile"]));
  await publish("after");
  await expect.poll(() => received).toEqual([0, 1, 2].map(() => ["before", "meanwhile", "after"]));

  await service.waitsBegun(2);
  await session.publish({ data: '<urn:s> <urn:wanted> "it" .\n' });
  expect((await waiting)?.quads.map((quad) => quad.object.value)).toEqual(["it"]);
  expect(failures).toEqual([]);
  for (const subscription of subscriptions) subscription.close();
});

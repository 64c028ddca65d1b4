import { expect, it } from "vitest";
import { silentLogger } from "../base/index.ts";
import type { Notification } from "../protocol/index.ts";
import { type EndReason, NotificationFeed } from "./notification-feed.ts";

const news = (n: number, added = `<urn:a> <urn:p> "${n}" .\n`): Notification => ({ subscription: "s", cursor: `e:${n}`, added });

function collector() {
  const seen: (Notification | EndReason)[] = [];
  return { seen, target: { notify: (one: Notification) => void seen.push(one), end: (reason: EndReason) => void seen.push(reason) } };
}

it("holds back until it is released, then delivers in order, the end last", () => {
  const feed = new NotificationFeed("application/n-triples", 1_000, silentLogger);
  const { seen, target } = collector();
  feed.notify(news(1));
  feed.notify(news(2));
  feed.release(target);
  feed.notify(news(3));
  feed.end({ code: "SENS_NOT_FOUND", detail: "unsubscribed" });
  feed.notify(news(4));
  expect(seen).toEqual([news(1), news(2), news(3), { code: "SENS_NOT_FOUND", detail: "unsubscribed" }]);
});

it("keeps the order while notifications are being converted", async () => {
  const feed = new NotificationFeed("application/ld+json", 100_000, silentLogger);
  const { seen, target } = collector();
  feed.release(target);
  for (let n = 1; n <= 5; n++) feed.notify(news(n));
  await expect.poll(() => seen.length).toBe(5);
  expect(seen.map((one) => ("cursor" in one ? one.cursor : one.code))).toEqual(["e:1", "e:2", "e:3", "e:4", "e:5"]);
});

it("ends as a slow consumer when too much is held back", () => {
  const feed = new NotificationFeed("application/n-triples", 10, silentLogger);
  const { seen, target } = collector();
  for (let n = 1; n <= 3; n++) feed.notify(news(n));
  feed.release(target);
  expect(seen.at(-1)).toMatchObject({ code: "SENS_SLOW_CONSUMER" });
});

it("delivers nothing after it was stopped", () => {
  const feed = new NotificationFeed("application/n-triples", 1_000, silentLogger);
  const { seen, target } = collector();
  feed.notify(news(1));
  feed.stop();
  feed.release(target);
  feed.notify(news(2));
  expect(seen).toEqual([]);
});

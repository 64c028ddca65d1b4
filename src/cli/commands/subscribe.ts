/** `sens subscribe`: news as lines, until interrupted or enough. */
import { type Notification, writeNQuads } from "../../client/index.ts";
import { CONNECTION_OPTIONS, type Command, type Invocation, JSON_OPTION } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { queryText } from "../rdf-file.ts";

export const subscribeCommand: Command = {
  name: "subscribe",
  summary: "print what becomes true of a CONSTRUCT query, as it happens",
  arguments: "QUERY",
  argumentsMin: 1,
  argumentsMax: 1,
  options: {
    name: { type: "string", value: "NAME", help: "durable, and shared by all who use the name" },
    initial: { type: "boolean", help: "print the current result first" },
    removals: { type: "boolean", help: "also print what is no longer true" },
    deliver: { type: "string", value: "HOW", help: "triples (default), or solutions: each new solution with its context" },
    from: { type: "string", value: "CURSOR", help: "first what came after this cursor" },
    reset: { type: "boolean", help: "with --from: the whole result when the cursor is too old" },
    count: { type: "string", value: "N", help: "end after N notifications" },
    timeout: { type: "string", value: "MS", help: "end after this time; exit code 4 when --count was not reached" },
    ...JSON_OPTION,
    ...CONNECTION_OPTIONS,
  },
  details:
    "Lines begin with + for what is new and - for what is gone; a line with # and the cursor ends each notification.\n" +
    "The connection is renewed by itself, and nothing is missed. QUERY is the text, @FILE or -.",
  run: (invocation) =>
    invocation.withClient(async (client) => {
      const query = await queryText(invocation.args[0] as string, invocation.io);
      const countMax = invocation.number("count", 1, Number.MAX_SAFE_INTEGER);
      const timeoutMs = invocation.number("timeout", 1, 2 ** 31 - 1);
      const timeUp = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
      const subscription = await client.subscribe(query, {
        name: invocation.text("name"),
        initial: invocation.flag("initial"),
        removals: invocation.flag("removals"),
        deliver: invocation.choice("deliver", ["triples", "solutions"]),
        from: invocation.text("from"),
        reset: invocation.flag("reset"),
        signal: timeUp ? AbortSignal.any([invocation.io.interrupted, timeUp]) : invocation.io.interrupted,
      });
      const why = subscription.why === undefined ? "" : ` (${subscription.why})`;
      const { id, mode, cursor } = subscription;
      invocation.io.err(
        invocation.json ? `${JSON.stringify({ subscription: id, mode, cursor })}\n` : `subscribed ${id}, ${mode}${why}, from ${cursor}\n`,
      );
      let count = 0;
      for await (const notification of subscription) {
        print(notification, invocation);
        if (++count === countMax) return EXIT.ok;
      }
      return timeUp?.aborted && countMax !== undefined ? EXIT.nothing : EXIT.ok;
    }),
};

function print(notification: Notification, invocation: Invocation): void {
  const { cursor, initial, reset } = notification;
  const added = writeNQuads(notification.added);
  const removed = writeNQuads(notification.removed);
  if (invocation.json) {
    invocation.io.out(`${JSON.stringify({ cursor, ...(initial && { initial }), ...(reset && { reset }), added, removed })}\n`);
    return;
  }
  const note = reset ? " reset: the whole result" : initial ? " the current result" : "";
  invocation.io.out(`${prefixed("+ ", added)}${prefixed("- ", removed)}# ${cursor}${note}\n`);
}

function prefixed(prefix: string, lines: string): string {
  return lines.replace(/^(?=.)/gm, prefix);
}

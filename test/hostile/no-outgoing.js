/**
 * Loaded into a server under test with `--import`: refuses and reports every connection it tries to make (P14), and tells
 * the longest delay of its event loop since the last time it was asked (SIGUSR2).
 */
import dns from "node:dns";
import net from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";

const report = (what) => process.stderr.write(`OUTGOING ${what}\n`);

net.Socket.prototype.connect = function connect(...args) {
  report(`connect ${JSON.stringify(args[0])}`);
  throw new Error("A server under test must not connect to anything.");
};
// Listening on an address looks it up, without asking anybody.
const { lookup } = dns;
dns.lookup = (name, ...rest) => {
  if (net.isIP(name) !== 0) return lookup(name, ...rest);
  report(`lookup ${name}`);
  throw new Error("A server under test must not look up names.");
};
globalThis.fetch = async (input) => {
  report(`fetch ${String(input)}`);
  throw new Error("A server under test must not fetch anything.");
};

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
process.on("SIGUSR2", () => {
  process.stderr.write(`LOOP ${Math.round(delay.max / 1e6)}\n`);
  delay.reset();
});

#!/usr/bin/env node
/**
 * The binary `sens`. It looks at the Node version before anything else is loaded, because older ones fail on the rest with
 * messages that help nobody. Keep to syntax that every Node understands here.
 */
const NEEDED = [22, 18];
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  process.stderr.write(
    `sens: needs Node ${NEEDED.join(".")} or newer, and this is ${process.versions.node}. Install a current Node: https://nodejs.org\n`,
  );
  process.exitCode = 2;
} else {
  import("./process-io.ts")
    .then((module) => module.runProcess())
    .catch((error: unknown) => {
      process.stderr.write(`sens: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exitCode = 70;
    });
}

export {};

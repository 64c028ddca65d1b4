/**
 * The shell commands of a page, as the test run carries them out. A fenced block of `sh` is one terminal: its commands run in the
 * clone's folder, in the page's order. A word after `sh` says how a block differs:
 *   ```sh            ends by itself, with success
 *   ```sh keeps-running   a server or a subscriber: stays up while the blocks after it run (recognised too by what it runs)
 *   ```sh not-run    needs what a test machine lacks (git clone of the published address, docker)
 */
export interface ShellBlock {
  readonly line: number;
  readonly script: string;
  readonly kind: "ends" | "keeps-running" | "not-run";
}

/** What may stand in a block that is not run; anything else there would be an untested promise. */
const NEEDS_ELSEWHERE = /^(git clone|cd |docker )/;
const KEEPS_RUNNING = /(^|\s)(npm start|npm run sens -- (serve|subscribe)|sens (serve|subscribe))(\s|$)/;

export function shellBlocks(page: string): ShellBlock[] {
  const blocks: ShellBlock[] = [];
  for (const match of page.matchAll(/^```sh([^\n]*)\n(.*?)^```$/gms)) {
    const line = page.slice(0, match.index).split("\n").length;
    const script = match[2] as string;
    blocks.push({ line, script, kind: kindOf((match[1] as string).trim(), script, line) });
  }
  return blocks;
}

function kindOf(word: string, script: string, line: number): ShellBlock["kind"] {
  const commands = script.split("\n").filter((text) => text.trim() !== "" && !text.startsWith("#"));
  if (word === "not-run" || commands.every((command) => NEEDS_ELSEWHERE.test(command))) {
    const untested = commands.filter((command) => !NEEDS_ELSEWHERE.test(command));
    if (untested.length > 0) throw new Error(`line ${line}: "${untested[0]}" could be run; leave "not-run" out`);
    return "not-run";
  }
  if (word === "keeps-running") return "keeps-running";
  if (word !== "") throw new Error(`line ${line}: "${word}" is no kind of block`);
  return commands.some((command) => KEEPS_RUNNING.test(command) && !command.trimEnd().endsWith("&")) ? "keeps-running" : "ends";
}

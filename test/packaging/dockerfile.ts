/**
 * Builds an image's file tree without a container engine: reads the Dockerfile and carries out its steps in a folder, one
 * sub-folder per stage. What it cannot carry out faithfully (absolute paths in RUN, instructions it does not know) it refuses.
 */
import { chmodSync, chownSync, cpSync, existsSync, globSync, mkdirSync, statSync } from "node:fs";
import { basename, dirname, join, matchesGlob } from "node:path";
import { runToEnd } from "./process.ts";

export interface Instruction {
  readonly keyword: string;
  /** `--name=value` options in front. */
  readonly flags: Readonly<Record<string, string>>;
  readonly rest: string;
}

interface Stage {
  readonly name: string;
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

/** What the last stage says about running the image. */
export interface Image {
  readonly root: string;
  readonly workdir: string;
  readonly base: string;
  readonly user: string;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  readonly healthCommand: readonly string[];
  readonly ports: readonly string[];
}

export interface BuildOptions {
  readonly dockerfile: string;
  /** Folder that COPY reads, already without what .dockerignore leaves out. */
  readonly context: string;
  readonly target: string;
  /** User id that stands for every user of the image; undefined when this process is not root. */
  readonly uid: number | undefined;
  readonly env: NodeJS.ProcessEnv;
}

export function parseDockerfile(text: string): Stage[] {
  const logical = text
    .split("\n")
    .filter((line) => !/^\s*#/.test(line))
    .join("\n")
    .replace(/\\\n\s*/g, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const stages: { name: string; base: string; instructions: Instruction[] }[] = [];
  for (const line of logical) {
    const instruction = parseInstruction(line);
    if (instruction.keyword === "FROM") {
      const [, base = "", , name = ""] = /^(\S+)(\s+AS\s+(\S+))?$/i.exec(instruction.rest) ?? [];
      stages.push({ name, base, instructions: [] });
    } else {
      const stage = stages.at(-1);
      if (!stage) throw new Error(`${instruction.keyword} before FROM`);
      stage.instructions.push(instruction);
    }
  }
  return stages;
}

function parseInstruction(line: string): Instruction {
  const [, keyword = "", tail = ""] = /^(\w+)\s+(.*)$/s.exec(line) ?? [];
  const flags: Record<string, string> = {};
  let rest = tail;
  for (let match = /^--([\w-]+)=(\S+)\s+/.exec(rest); match; match = /^--([\w-]+)=(\S+)\s+/.exec(rest)) {
    flags[match[1] as string] = match[2] as string;
    rest = rest.slice(match[0].length);
  }
  return { keyword: keyword.toUpperCase(), flags, rest: rest.trim() };
}

/** Whether .dockerignore leaves a file out: the last pattern that names it or a folder above it decides. */
export function isIgnored(path: string, dockerignore: string): boolean {
  const parts = path.split("/");
  const prefixes = parts.map((_, index) => parts.slice(0, index + 1).join("/"));
  let ignored = false;
  for (const line of dockerignore.split("\n").map((text) => text.trim())) {
    if (line === "" || line.startsWith("#")) continue;
    const pattern = line.replace(/^!/, "");
    if (prefixes.some((prefix) => matchesGlob(prefix, pattern))) ignored = !line.startsWith("!");
  }
  return ignored;
}

/** Carries out every stage in order and answers what the last one left. */
export async function buildImage(options: BuildOptions): Promise<Image> {
  const roots = new Map<string, string>();
  let image: Image | undefined;
  for (const [index, stage] of parseDockerfile(options.dockerfile).entries()) {
    const root = join(options.target, stage.name || `stage-${index}`);
    mkdirSync(root, { recursive: true });
    roots.set(stage.name, root);
    image = await new StageBuild(root, stage.base, roots, options).run(stage.instructions);
  }
  if (!image) throw new Error("no FROM");
  return image;
}

class StageBuild {
  readonly #root: string;
  readonly #base: string;
  readonly #roots: ReadonlyMap<string, string>;
  readonly #options: BuildOptions;
  #workdir = "/";
  #user = "root";
  #entrypoint: readonly string[] = [];
  #arguments: readonly string[] = [];
  #healthCommand: readonly string[] = [];
  readonly #env: Record<string, string> = {};
  readonly #ports: string[] = [];

  constructor(root: string, base: string, roots: ReadonlyMap<string, string>, options: BuildOptions) {
    this.#root = root;
    this.#base = base;
    this.#roots = roots;
    this.#options = options;
  }

  async run(instructions: readonly Instruction[]): Promise<Image> {
    for (const instruction of instructions) await this.#carryOut(instruction);
    return {
      root: this.#root,
      workdir: join(this.#root, this.#workdir),
      base: this.#base,
      user: this.#user,
      env: this.#env,
      command: [...this.#entrypoint, ...this.#arguments],
      healthCommand: this.#healthCommand,
      ports: this.#ports,
    };
  }

  async #carryOut(instruction: Instruction): Promise<void> {
    switch (instruction.keyword) {
      case "WORKDIR":
        return this.#changeFolder(instruction.rest);
      case "COPY":
        return this.#copy(instruction);
      case "RUN":
        return await this.#runShell(instruction.rest);
      case "ENV":
        for (const [, name, value] of instruction.rest.matchAll(/(\w+)=(\S+)/g)) this.#env[name as string] = value as string;
        return;
      case "USER":
        this.#user = instruction.rest;
        return;
      case "EXPOSE":
        this.#ports.push(instruction.rest);
        return;
      case "HEALTHCHECK":
        this.#healthCommand = execForm(instruction.rest.replace(/^CMD\s+/, ""));
        return;
      case "ENTRYPOINT":
        this.#entrypoint = execForm(instruction.rest);
        return;
      case "CMD":
        this.#arguments = execForm(instruction.rest);
        return;
      case "VOLUME":
        return;
      default:
        throw new Error(`this builder does not know ${instruction.keyword}`);
    }
  }

  #changeFolder(path: string): void {
    this.#workdir = path;
    const folder = join(this.#root, path);
    mkdirSync(folder, { recursive: true });
    // A stage that runs commands runs them unprivileged here, so its folder must be theirs.
    if (this.#base !== "" && this.#options.uid !== undefined && this.#isBuildStage())
      chownSync(folder, this.#options.uid, this.#options.uid);
  }

  #isBuildStage(): boolean {
    return [...this.#roots].some(([name, root]) => name !== "" && root === this.#root);
  }

  #copy(instruction: Instruction): void {
    const words = instruction.rest.split(/\s+/);
    const destination = words.pop() as string;
    const from = instruction.flags.from;
    const sourceRoot = from === undefined ? this.#options.context : this.#roots.get(from);
    if (sourceRoot === undefined) throw new Error(`COPY --from=${from}: no such stage`);
    const base = destination.startsWith("/") ? join(this.#root, destination) : join(this.#root, this.#workdir, destination);
    const copied: string[] = [];
    for (const word of words) {
      const source = join(sourceRoot, word);
      if (!existsSync(source)) throw new Error(`COPY ${word}: not in the build context`);
      const intoFolder = destination.endsWith("/") && !statSync(source).isDirectory();
      const target = intoFolder ? join(base, basename(word)) : base;
      mkdirSync(dirname(target), { recursive: true });
      cpSync(source, target, { recursive: true, verbatimSymlinks: true });
      // An engine keeps the mode of a copied folder; cpSync does not.
      chmodSync(target, statSync(source).mode & 0o777);
      copied.push(target);
    }
    const needsOwner = instruction.flags.chown !== undefined || this.#isBuildStage();
    if (needsOwner && this.#options.uid !== undefined) for (const target of copied) chownTree(target, this.#options.uid);
  }

  async #runShell(command: string): Promise<void> {
    const outside = /(?:^|\s)\/[\w.]/.exec(command);
    if (outside) throw new Error(`RUN with an absolute path cannot be carried out in a folder: ${command}`);
    await runToEnd(
      "sh",
      ["-c", command],
      { cwd: join(this.#root, this.#workdir), env: { ...this.#options.env, ...this.#env }, uid: this.#options.uid },
      300_000,
    );
  }
}

function execForm(text: string): readonly string[] {
  if (!text.startsWith("[")) throw new Error(`use the exec form, which needs no shell and passes signals on: ${text}`);
  return JSON.parse(text) as string[];
}

function chownTree(path: string, uid: number): void {
  chownSync(path, uid, uid);
  if (!statSync(path).isDirectory()) return;
  for (const name of globSync("**", { cwd: path })) if (name !== "") chownSync(join(path, name), uid, uid);
}

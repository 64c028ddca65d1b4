import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { buildImage, type Image, isIgnored, parseDockerfile } from "./dockerfile.ts";
import { LISTENING, Program, userEnvironment } from "./process.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
/** The number Debian gives to "nobody": owns nothing. */
const NOBODY = 65_534;
const UNPRIVILEGED = process.getuid?.() === 0 ? NOBODY : undefined;
const TOKEN = "packaging-test-token";

describe("the Dockerfile", () => {
  const dockerfile = readFileSync(join(REPOSITORY, "Dockerfile"), "utf8");
  const folder = mkdtempSync(join(tmpdir(), "sens-image-"));
  const environment = userEnvironment({
    HOME: join(folder, "home"),
    npm_config_cache: join(folder, "home/.npm"),
    PATH: `${join(folder, "bin")}:${userEnvironment().PATH}`,
  });
  let image: Image;
  let server: Program | undefined;

  beforeAll(async () => {
    chmodSync(folder, 0o755);
    for (const name of ["home", "bin", "context", "stages"]) mkdirSync(join(folder, name));
    if (UNPRIVILEGED !== undefined) chownSync(join(folder, "home"), UNPRIVILEGED, UNPRIVILEGED);
    // The Node of the base image, where an unprivileged user can reach it.
    copyFileSync(process.execPath, join(folder, "bin/node"));
    layContext(join(folder, "context"));
    image = await buildImage({
      dockerfile,
      context: join(folder, "context"),
      target: join(folder, "stages"),
      uid: UNPRIVILEGED,
      env: environment,
    });
  }, 600_000);

  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs the image's command; paths of the image lead into its folder, and the system picks the port. */
  function start(tokens: string | undefined, command = image.command): Program {
    const inFolder = command.map((word) => (word.startsWith("/") ? join(image.root, word) : word));
    const words = inFolder.map((word, index) => (inFolder[index - 1] === "--port" ? "0" : word));
    const env = { ...environment, ...image.env, ...(tokens === undefined ? {} : { SENS_TOKENS: tokens }) };
    return new Program(words[0] as string, words.slice(1), { cwd: image.workdir, env, uid: UNPRIVILEGED });
  }

  test("is based on the slim image in every stage and ends as an unprivileged user", () => {
    expect(parseDockerfile(dockerfile).map((stage) => stage.base)).toEqual(["node:24-slim", "node:24-slim"]);
    expect(image.user).not.toBe("root");
    expect(image.ports).toEqual(["7007"]);
  });

  test("leaves development out of the image", () => {
    for (const absent of ["src", "test", "node_modules/typescript", "node_modules/vitest", "node_modules/node"]) {
      expect(existsSync(join(image.workdir, absent)), absent).toBe(false);
    }
    for (const present of ["dist/cli/main.js", "migrations", "ontologies", "LICENSE", "node_modules/fastify"]) {
      expect(existsSync(join(image.workdir, present)), present).toBe(true);
    }
  });

  test("keeps the data folder for the server's user alone, and the program out of its reach", () => {
    const data = statSync(join(image.root, "data"));
    expect(data.mode & 0o777).toBe(0o700);
    if (UNPRIVILEGED === undefined) return;
    expect(data.uid).toBe(UNPRIVILEGED);
    expect(statSync(join(image.workdir, "dist/cli/main.js")).uid).toBe(0);
    expect(statSync(image.workdir).uid).toBe(0);
  });

  test("starts a server that answers the health check, not as root, keeps its data and stops on SIGTERM", async () => {
    server = start(`operator:read+publish:${TOKEN}`);
    const [, address = ""] = await server.waitFor(LISTENING, 60_000);
    const port = new URL(address).port;
    const health = await fetch(`http://127.0.0.1:${port}/health`);
    expect(health.status).toBe(200);
    const check = image.healthCommand.map((word) => word.replaceAll(":7007", `:${port}`));
    const checking = new Program(check[0] as string, check.slice(1), { cwd: image.workdir, env: environment, uid: UNPRIVILEGED });
    expect(await checking.exit(20_000), checking.output).toBe(0);
    expect(userOf(server.pid)).not.toBe(0);
    expect(await server.stop(), server.output).toBe(0);
    server = undefined;
    expect(statSync(join(image.root, "data/sens.db")).mode & 0o077, "readable by others").toBe(0);
  });

  test("has a health check that fails when nobody answers", async () => {
    const check = image.healthCommand.map((word) => word.replaceAll(":7007", ":9"));
    const checking = new Program(check[0] as string, check.slice(1), { cwd: image.workdir, env: environment, uid: UNPRIVILEGED });
    expect(await checking.exit(20_000)).toBe(1);
  });

  test("does not start beyond loopback without tokens, and says what to set", async () => {
    server = start(undefined);
    expect(await server.exit(60_000)).not.toBe(0);
    expect(server.output).toContain("SENS_TOKENS");
  });
});

/** The build context: what git knows of or would add, less what .dockerignore leaves out. */
function layContext(context: string): void {
  const dockerignore = readFileSync(join(REPOSITORY, ".dockerignore"), "utf8");
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: REPOSITORY,
    encoding: "utf8",
  });
  for (const path of new Set(listed.split("\0"))) {
    if (path === "" || isIgnored(path, dockerignore) || !existsSync(join(REPOSITORY, path))) continue;
    mkdirSync(dirname(join(context, path)), { recursive: true });
    cpSync(join(REPOSITORY, path), join(context, path));
  }
}

function userOf(pid: number): number {
  const [, uid = "0"] = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(uid);
}

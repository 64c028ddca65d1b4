/** A file system that is soon full. */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";

/** Mounts one in memory; undefined, with the reason printed, when that is not possible here. */
export function mountSmallDisk(directory: string, mebibytes: number): string | undefined {
  mkdirSync(directory);
  const result = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "sens-test", directory], { encoding: "utf8" });
  if (result.status === 0) return directory;
  console.warn(`SKIPPED: a really full disk is not tried: no tmpfs can be mounted (${result.error?.message ?? result.stderr.trim()})`);
  return undefined;
}

export function unmount(directory: string): void {
  spawnSync("umount", ["-l", directory]);
}

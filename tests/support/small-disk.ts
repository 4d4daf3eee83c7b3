import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";

/** A small file system of its own at a folder; undefined where this user may not mount. */
export function smallDisk(folder: string, kilobytes: number) {
  mkdirSync(folder, { recursive: true });
  const run = (...words: readonly string[]) =>
    spawnSync(words[0] ?? "", words.slice(1), { stdio: "ignore" }).status === 0;
  if (process.platform !== "linux" || !run("mount", "-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", folder))
    return undefined;
  return {
    /** Leaves no byte free. */
    fill() {
      for (const size of [1024 * 1024, 4096, 1])
        for (let at = 0; ; at += 1) {
          try {
            writeFileSync(`${folder}/filling-${size}-${at}`, Buffer.alloc(size), { flag: "wx" });
          } catch {
            rmSync(`${folder}/filling-${size}-${at}`, { force: true });
            break;
          }
        }
    },
    lock() {
      if (!run("mount", "-o", "remount,ro", folder)) throw new Error("the disk is in use");
    },
    [Symbol.dispose]: () => void run("umount", "-l", folder),
  };
}

export function canMount(): boolean {
  const probe = `/tmp/quoll-mount-${process.pid}`;
  const disk = smallDisk(probe, 64);
  disk?.[Symbol.dispose]();
  rmSync(probe, { recursive: true, force: true });
  return disk !== undefined;
}

import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * A real process that puts something in a path's place and takes it away again, as fast as it can, until its scope ends.
 * `link`: a symbolic link to `to`. `fifo`: a FIFO, made beforehand at `to`.
 */
export async function swapper(swap: { readonly path: string; readonly to: string; readonly kind: "link" | "fifo" }) {
  // Between two renames the path is free; an entry that the tested code creates there meanwhile is removed.
  const script = `
    const { renameSync, rmSync, symlinkSync, unlinkSync, writeSync } = require("node:fs");
    const [path, to, kind] = process.argv.slice(1);
    const away = path + ".away";
    const surely = (step) => {
      for (;;) {
        try { return step(); } catch { rmSync(path, { recursive: true, force: true }); }
      }
    };
    writeSync(1, "ready");
    const end = Date.now() + 60_000;
    while (Date.now() < end) {
      renameSync(path, away);
      surely(() => (kind === "link" ? symlinkSync(to, path) : renameSync(to, path)));
      for (let turn = 0; turn < 200; turn += 1) Math.random();
      if (kind === "link") unlinkSync(path); else renameSync(path, to);
      surely(() => renameSync(away, path));
      const rest = Math.random() < 0.3 ? 100_000 * Math.random() : 2_000;
      for (let turn = 0; turn < rest; turn += 1) Math.random();
    }`;
  const child = spawn(process.execPath, ["-e", script, swap.path, swap.to, swap.kind], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  await once(child.stdout, "data");
  return {
    [Symbol.asyncDispose]: async () => {
      const wasRunning = child.exitCode === null;
      child.kill("SIGKILL");
      await closed;
      if (!wasRunning) throw new Error("The swapping process ended by itself: nothing was tested.");
    },
  };
}

import { spawn } from "node:child_process";
import { StuckWatch } from "../../src/platform/stuck-watch.ts";

const LIMIT_MS = 300;
const line = (names: readonly string[]) => `stuck in ${names.join(", ")}`;
const watch = new StuckWatch({ limitMs: LIMIT_MS, hasScreen: process.stdout.isTTY, line });
const burn = (ms = Number.POSITIVE_INFINITY) => {
  const startedMs = performance.now();
  while (performance.now() - startedMs < ms);
};
const later = () => new Promise((resolve) => setTimeout(resolve, 10));

const [kind] = process.argv.slice(2);
if (kind === "at once") watch.call("one", () => burn());
if (kind === "with children") {
  const lasting = (env: NodeJS.ProcessEnv) =>
    spawn("sh", ["-c", "sleep 60 & wait"], { detached: true, stdio: "ignore", env: { ...process.env, ...env } });
  lasting({});
  lasting({ QUOLL_SPAWN: `${process.env["QUOLL_SPAWN"]}:of-quoll` });
  watch.call("one", () => burn());
}
if (kind === "after a pause") {
  void watch.call("waiting", () => new Promise(() => {}));
  await watch.call("one", async () => {
    await later();
    burn();
  });
}
if (kind === "on the screen") {
  process.stdin.setRawMode(true);
  watch.call("one", () => burn());
}
if (kind === "busy") {
  // Much work with pauses, and work that nobody watches.
  await watch.call("one", async () => {
    for (let at = 0; at < 4; at += 1) {
      burn(LIMIT_MS / 2);
      await later();
    }
  });
  burn(LIMIT_MS * 2);
  watch.close();
  watch.call("closed", () => burn(LIMIT_MS * 2));
  console.log("done");
}

/**
 * `npm run dev`: runs Quoll from source as `npm start` does, and starts it again whenever a source file changes. Leaving an
 * interactive session ends the watch too; `npm run dev -- -p "…"` answers the prompt again after each change.
 */
import { watch } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
const WATCHED = ["src", "packages", "package.json"];
/** An editor writes a file in several steps, and a checkout writes many files. */
const SETTLE_MS = 150;

const words = process.argv.slice(2);
const answersOnce = words.includes("-p") || words.includes("--print");
let child: Bun.Subprocess | undefined;
let change = Promise.withResolvers<"changed">();
let timer: ReturnType<typeof setTimeout> | undefined;

for (const name of WATCHED) {
  watch(join(ROOT, name), { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => change.resolve("changed"), SETTLE_MS);
  });
}
// While the program runs, ctrl+c is the program's.
process.on("SIGINT", () => {
  if (!child) process.exit(130);
});
process.on("SIGTERM", () => {
  child?.kill("SIGTERM");
  process.exit(143);
});

for (;;) {
  child = Bun.spawn([process.execPath, join(ROOT, "scripts/start.ts"), ...words], {
    stdio: ["inherit", "inherit", "inherit"],
  });
  const end = await Promise.race([child.exited, change.promise]);
  // The program gives the terminal back before it ends.
  if (end === "changed") child.kill("SIGTERM");
  const code = await child.exited;
  child = undefined;
  if (end === 0 && !answersOnce) process.exit(0);
  if (end !== "changed")
    console.error(`dev: exit code ${code}; waiting for a change in src or packages (ctrl+c leaves)`);
  await change.promise;
  change = Promise.withResolvers();
  console.error("dev: starting again");
}

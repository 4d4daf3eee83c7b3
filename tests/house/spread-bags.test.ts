import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";

const ROOT = join(import.meta.dir, "../..");

/**
 * An object that takes over all parts of another one: `{ ...parts, main }`. A reader can't see which parts go on, and who made
 * them (docs/adr/0034-sessions-with-named-parts.md).
 */
const BAG =
  /\.\.\.(?:this\.#|base\.)?(?:parts|session|shared|agent|opening|chosen|records|checkpointing|deps|wiring|told|ports|main|resumed|connecting)(?![\w.(])/g;

/** Here the word means plain data: a record of an agent, a definition, a row of a list. */
const DATA: ReadonlySet<string> = new Set([
  "src/app/agent/agent-store.ts: ...agent",
  "src/app/agent/check-tool-lists.ts: ...agent",
  "src/app/session/saved/placed-sessions.ts: ...session",
]);

test("the parts of a session and of an agent are passed by name: no object takes over all parts of another", async () => {
  const found: string[] = [];
  for await (const file of new Glob("src/app/**/*.ts").scan({ cwd: ROOT }))
    for (const [spread] of readFileSync(join(ROOT, file), "utf8").matchAll(BAG)) found.push(`${file}: ${spread}`);
  expect(found.sort()).toEqual([...DATA]);
});

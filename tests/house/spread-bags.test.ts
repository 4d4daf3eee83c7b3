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
  /\.\.\.(?:this\.#|base\.)?(?:parts|shared|opening|chosen|records|checkpointing|deps|wiring|told|ports|main|resumed|connecting)(?![\w.(])/g;
/** Only goes down: 0 is the aim. */
const MAX_SPREADS = 6;

test("the parts of a session and of an agent are passed by name: few objects still take over all parts of another", async () => {
  const found: string[] = [];
  for await (const file of new Glob("src/app/**/*.ts").scan({ cwd: ROOT }))
    for (const [spread] of readFileSync(join(ROOT, file), "utf8").matchAll(BAG)) found.push(`${file}: ${spread}`);
  expect(found.sort().length, found.join("\n")).toBeLessThanOrEqual(MAX_SPREADS);
});

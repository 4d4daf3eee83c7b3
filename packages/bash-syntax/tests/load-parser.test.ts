import { expect, test } from "bun:test";
import { join } from "node:path";
import { WASM } from "./wasm.ts";

const SCRIPT = `
import { loadShellParser } from ${JSON.stringify(join(import.meta.dir, "../src/load-parser.ts"))};
for (let round = 0; round < 3; round += 1) {
  const parsers = await Promise.all([1, 2, 3].map(() => loadShellParser(${JSON.stringify(WASM)})));
  console.log(parsers.every((parser) => parser.parse("cat a | grep b && ls").understood));
  Bun.gc(true);
  await new Promise((resolve) => setImmediate(resolve));
}`;

// A process of its own: the first loads must run side by side, and a broken heap ends the process.
test("parsers that are loaded side by side work on one heap", async () => {
  const child = Bun.spawn([process.execPath, "-e", SCRIPT], { stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(err).toBe("");
  expect(out).toBe("true\ntrue\ntrue\n");
  expect(await child.exited).toBe(0);
});

import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deepTest } from "../support/deep.ts";
import { quollPlace } from "../support/quoll-process.ts";

const README = readFileSync(join(import.meta.dir, "../../README.md"), "utf8");
/** A block of the README that shows a command and what it prints. */
const SHOWN = /^```\n\$ quoll (.+)\n([\s\S]+?)^```$/gm;

/** The words of a line, as a shell splits them. */
function words(line: string): readonly string[] {
  return Bun.spawnSync(["bash", "-c", `printf '%s\\0' ${line}`])
    .stdout.toString()
    .split("\0")
    .slice(0, -1);
}

deepTest("the scripts of the README do in a fresh clone what it shows", async () => {
  const [refused, done, ...others] = [...README.matchAll(SHOWN)].map(([, line = "", printed = ""]) => ({
    line,
    printed,
  }));
  expect(others).toEqual([]);
  await using place = await quollPlace({ files: { "src/cart.js": "export const price = 1;\n" }, settings: {} });
  Bun.spawnSync(["git", "add", "-A"], { cwd: place.project.dir });
  const first = await place.run(words(refused!.line));
  expect(first.code).toBe(4);
  const remedy = /^quoll: To allow this .*$/m.exec(refused!.printed)?.[0] ?? "no remedy";
  expect(first.err).toContain(remedy);
  const second = await place.run(words(done!.line));
  expect([second.code, second.out]).toEqual([0, done!.printed]);
});

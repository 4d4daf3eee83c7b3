import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const SRC = join(import.meta.dir, "../../src");
/** A search for several words in a text. */
const LOOKS_FOR_WORDS = /\.(?:startsWith|endsWith|includes|indexOf)\(["'`][^"'`]*[A-Za-z]{2,} [a-z][^"'`]*["'`]/;
/** Code that reads texts by whoever wrote them, or as they were in older files. */
const READERS: Readonly<Record<string, string>> = {
  "contracts/old-results.ts": "texts in files of older versions",
  "services/mcp/transport/http-transport.ts": "an error of the MCP library, which has no code",
  "services/provider/offline/": "the offline engine has what a model has: the texts of results",
};

test("no code reads meaning from a sentence of Quoll: events, results and log entries carry facts", () => {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));
  const reading = files.filter((file) =>
    readFileSync(join(SRC, file), "utf8")
      .split("\n")
      .some((line) => LOOKS_FOR_WORDS.test(line)),
  );
  expect(reading.filter((file) => !Object.keys(READERS).some((known) => file.startsWith(known)))).toEqual([]);
  for (const known of Object.keys(READERS)) expect(reading.some((file) => file.startsWith(known))).toBe(true);
});

test.each(['if (by.startsWith("the user\'s answer")) return;', 'words.startsWith("refused by a hook")'])(
  "the check finds %j",
  (line) => {
    expect(line).toMatch(LOOKS_FOR_WORDS);
  },
);

import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
/** A search for several words in a text. */
const LOOKS_FOR_WORDS = /\.(?:startsWith|endsWith|includes|indexOf)\(["'`][^"'`]*[A-Za-z]{2,} [a-z][^"'`]*["'`]/;
/** Comments, strings and regular expressions, in the order in which they stand. */
const LITERALS =
  /^\s*(?:\/\/|\/?\*).*$|(?<text>"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*')|(?<=(?:^|[(=,:[!&|?{};>]|\breturn)\s*)(?<expression>\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*)/gm;
/** Three words in a row; two of them are also in other programs' texts. */
const PHRASE = /[A-Za-z'-]+(?: [A-Za-z'-]+){2,}/g;
/** Code that reads texts by whoever wrote them, or as they were in older files. */
const READERS: Readonly<Record<string, string>> = {
  "contracts/cleared-input.ts": "a model may send back the line that stands in place of a cleared input",
  "contracts/old-results.ts": "texts in files of older versions",
  "services/guard/io/repository-backups.ts": "the message of a backup's commit has this form",
  "services/mcp/transport/http-transport.ts": "an error of the MCP library, which has no code",
  "services/provider/": "errors of vendors; the offline engine has what a model has: the texts of results",
  "services/replay/": "the results in recordings are texts",
  "services/sandbox/explain-failure.ts": "programs print what they got from the system, or from Quoll's proxy",
};

type Literals = { readonly texts: string[]; readonly expressions: string[] };

function literalsOf(code: string): Literals {
  const found: Literals = { texts: [], expressions: [] };
  for (const { groups: { text, expression } = {} } of code.matchAll(LITERALS)) {
    if (text !== undefined) found.texts.push(text);
    if (expression !== undefined) found.expressions.push(expression);
  }
  return found;
}

/** The phrases of a regular expression that Quoll itself says. */
function ownPhrases(expression: string, said: string): readonly string[] {
  return (expression.match(PHRASE) ?? []).filter((phrase) => said.includes(phrase));
}

function codeIn(folder: string): readonly { readonly file: string; readonly code: string }[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !/(?:^|\/)(?:tests|node_modules)\//.test(file))
    .map((file) => ({ file, code: readFileSync(join(ROOT, folder, file), "utf8") }));
}

test("no code reads meaning from a sentence of Quoll: events, results and log entries carry facts", () => {
  const sources = codeIn("src").map(({ file, code }) => ({ file, code, ...literalsOf(code) }));
  const texts = [...sources, ...codeIn("packages").map(({ code }) => literalsOf(code))].flatMap((one) => one.texts);
  const said = texts.join("\n");
  const reading = sources
    .filter(
      ({ code, expressions }) =>
        code.split("\n").some((line) => LOOKS_FOR_WORDS.test(line)) ||
        expressions.some((one) => ownPhrases(one, said).length > 0),
    )
    .map(({ file }) => file);
  expect(reading.filter((file) => !Object.keys(READERS).some((known) => file.startsWith(known)))).toEqual([]);
  for (const known of Object.keys(READERS)) expect(reading.some((file) => file.startsWith(known))).toBe(true);
});

test.each(['if (by.startsWith("the user\'s answer")) return;', 'words.startsWith("refused by a hook")'])(
  "the check finds %j",
  (line) => {
    expect(line).toMatch(LOOKS_FOR_WORDS);
  },
);

test.each(["const UNUSED = /has no effect here/;", "return /^it says .* has no effect here/.test(line);"])(
  "the check finds the regular expression in %j",
  (line) => {
    const { expressions } = literalsOf(`// says nothing\nsay("/a or /b", \`\${file} has no effect here\`);\n${line}`);
    expect(expressions).toHaveLength(1);
    expect(ownPhrases(expressions[0] ?? "", '"it has no effect here"')).toEqual(["has no effect here"]);
  },
);

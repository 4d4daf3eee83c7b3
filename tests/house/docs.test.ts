import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { bulletsOf } from "../../scripts/docs/bullets.ts";
import { withContents } from "../../scripts/docs/contents.ts";
import { generatedFiles, ROOT, storedText, withPart } from "../../scripts/docs/generated-files.ts";
import { constantOf } from "../../scripts/docs/limits-page.ts";
import { anchors, brokenLinks } from "../../scripts/docs/links.ts";
import { table } from "../../scripts/docs/markdown.ts";
import { typeWords } from "../../scripts/docs/schema-words.ts";
import { TOOL_SPECS } from "../../src/cli/surface.ts";
import { BUILTIN_COMMANDS } from "../../src/commands/builtin-commands.ts";
import { BUN_FLAGS } from "../../src/platform/host.ts";
import { deepTest } from "../support/deep.ts";
import { runCommand } from "../support/run-command.ts";
import { tempProject } from "../support/temp-project.ts";

setDefaultTimeout(60_000);

const HANDBOOKS = ["README.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md"];
const pages = [...HANDBOOKS, ...new Glob("docs/**/*.md").scanSync({ cwd: ROOT })].sort();

test("every generated page says what the code says", () => {
  const stale = generatedFiles().filter(({ path, text }) => storedText(path) !== text);
  expect(stale.map(({ path }) => path)).toEqual([]);
});

test("every relative link and anchor of the docs leads somewhere", () => {
  expect(pages.length).toBeGreaterThan(15);
  expect(brokenLinks(ROOT, pages)).toEqual([]);
});

test("each decision record has a number of its own, which its title repeats", () => {
  const records = [...new Glob("docs/adr/*.md").scanSync({ cwd: ROOT })].sort();
  const numbers = records.map((page) => /^docs\/adr\/(\d{4})-/.exec(page)?.[1]);
  const titled = records.map((page) => /^# (\d{4}): /.exec(storedText(page) ?? "")?.[1]);
  expect(numbers).toEqual([...new Set(titled)]);
});

test("no bullet of the guide, the README and the handbooks has more than 80 words", () => {
  const long = [...HANDBOOKS, ...new Glob("docs/guide/**/*.md").scanSync({ cwd: ROOT })].flatMap((page) =>
    bulletsOf(storedText(page) ?? "")
      .filter(({ words }) => words > 80)
      .map(({ words, beginning }) => `${page}: ${words} words: ${beginning}`),
  );
  expect(long).toEqual([]);
});

test("the list of what Quoll does not have names no tool, command or option that it has", () => {
  const missing = storedText("docs/guide/missing.md") ?? "";
  const named = [...missing.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  );
  const there = [...TOOL_SPECS.map(({ name }) => name), ...BUILTIN_COMMANDS.map(({ name }) => `/${name}`)];
  expect([named.includes("LSP"), there.includes("Read"), there.includes("/help")]).toEqual([true, true, true]);
  expect(named.filter((name) => there.includes(name))).toEqual([]);
});

test("the README leads to every page of the guide", () => {
  const readme = storedText("README.md") ?? "";
  const guide = [...new Glob("docs/guide/**/*.md").scanSync({ cwd: ROOT })].sort();
  expect(guide.filter((page) => !readme.includes(`](${page})`))).toEqual([]);
});

test("every path of this repository that the docs name exists", () => {
  const missing = pages.flatMap((page) =>
    [...(storedText(page) ?? "").matchAll(/`((?:src|packages|tests|scripts)\/[\w./-]+)`/g)]
      .map(([, path = ""]) => path)
      .filter(
        (path) =>
          storedText(path) === undefined &&
          [...new Glob(`${path.replace(/\/$/, "")}/**`).scanSync({ cwd: ROOT })].length === 0,
      )
      .map((path) => `${page}: ${path}`),
  );
  expect(missing).toEqual([]);
});

/** What ARCHITECTURE.md puts in backticks without a folder: files, and names of the code. */
function namedIn(text: string) {
  const spans = [...text.replace(/```[\s\S]*?```/g, "").matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span);
  return {
    // `take-step` is a file without its ending.
    files: spans.filter((span) => /^[\w./-]+\.(?:tsx?|md|json)$/.test(span) || /^[a-z]+(?:-[a-z]+)+$/.test(span)),
    // A single small word may be anything.
    names: spans.filter((span) => /^#?[A-Za-z][\w.#]*(?:\(\))?$/.test(span) && /[A-Z#(]/.test(span)),
  };
}

test("every file and name of the code that the architecture page names exists", () => {
  const { files, names } = namedIn(storedText("docs/ARCHITECTURE.md") ?? "");
  expect([files.length > 100, names.length > 80]).toEqual([true, true]);
  const there = [...new Glob("{src,packages,scripts,tests}/**/*.*").scanSync({ cwd: ROOT })].map((path) => `/${path}`);
  const isThere = (file: string) =>
    there.some((path) => path.endsWith(`/${file}`) || path.includes(`/${file}.ts`) || path.includes(`/${file}/`));
  expect(files.filter((file) => !isThere(file))).toEqual([]);
  const sources = there.filter((path) => /^\/(?:src|packages\/\w[\w-]*\/src)\/.*\.tsx?$/.test(path));
  const code = sources.map((path) => (storedText(path.slice(1)) ?? "").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ""));
  const words = new Set(code.flatMap((text) => text.match(/#?[A-Za-z_][\w]*/g) ?? []));
  const isKnown = (name: string) =>
    name
      .replace(/\(\)$/, "")
      .split(".")
      .every((word) => words.has(word));
  expect(names.filter((name) => !isKnown(name))).toEqual([]);
});

test("the check of the architecture page finds a file and a name", () => {
  const text = "`restore-start.ts`, `take-step` and `src/engine/turn.ts`; `runTurn()`, `#runTurn`, `Open.reply`, `ask`";
  expect(namedIn(text)).toEqual({
    files: ["restore-start.ts", "take-step", "src/engine/turn.ts"],
    names: ["runTurn()", "#runTurn", "Open.reply"],
  });
});

/** Words of other programs in the first column of the page on troubleshooting. */
const OF_OTHERS = ["Read-only file system", "EROFS", "EAI_AGAIN", "Could not resolve host", "docker", "ssh"];

test("each message that troubleshooting begins with is one of the program's", () => {
  const page = storedText("docs/guide/troubleshooting.md") ?? "";
  const rows = page.slice(0, page.indexOf("## quoll doctor")).matchAll(/^\| ([^|]+) \|/gm);
  const messages = [...rows]
    .flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, message = ""]) => message))
    .filter((message) => !OF_OTHERS.includes(message));
  expect(messages.length).toBeGreaterThan(20);
  const code = [...new Glob("src/**/*.ts*").scanSync({ cwd: ROOT })].map((path) => storedText(path) ?? "").join("\n");
  const parts = messages.flatMap((message) => message.split("…").map((part) => part.trim()));
  expect(parts.filter((part) => !code.includes(part))).toEqual([]);
});

test("every test that the page about faults of terminals names is in its file", () => {
  const named = [...(storedText("docs/terminal-faults.md") ?? "").matchAll(/`(tests\/[^`]+)`: “([^”]+)”/g)];
  expect(named.length).toBeGreaterThan(30);
  const missing = named.filter(([, file = "", name = ""]) => !storedText(file)?.includes(name));
  expect(missing.map(([whole]) => whole)).toEqual([]);
});

test("the docs start cli.js on Bun with the flags that the program itself and its tests use", () => {
  const lines = pages.flatMap((page) => [...(storedText(page) ?? "").matchAll(/`(bun [^`]*cli\.js[^`]*)`/g)]);
  expect(lines.length).toBeGreaterThan(0);
  expect([...new Set(lines.map(([, line]) => line))]).toEqual([`bun ${BUN_FLAGS.join(" ")} dist/cli.js`]);
});

test("README, package.json and the program name one version of Node", () => {
  const { engines } = JSON.parse(storedText("package.json") ?? "") as { engines: { node: string } };
  const named = [...(storedText("README.md") ?? "").matchAll(/\bNode ([\d.]+)/g)].map(([, version]) => version);
  const program = storedText("src/main.ts") ?? "";
  const checked = /use Node ([\d.]+) or newer/.exec(program)?.[1];
  // Node 22.3 is the first of its line with this function.
  expect(program).toContain('< 22 || !("getBuiltinModule" in process)');
  expect([...new Set([engines.node.replace(">=", ""), checked, ...named])]).toEqual(["22.3"]);
});

test("a link to a missing file, heading or folder outside is named", async () => {
  await using project = await tempProject({
    "a.md": [
      "# One two",
      "[ok](b/c.md#sub) [self](#one-two) [web](https://example.com/x) `[code](nowhere.md)`",
      "[gone](gone.md) [heading](b/c.md#none) [own](#none) [out](../out.md)",
      "```",
      "[fenced](nowhere.md)",
      "```",
    ].join("\n"),
    "b/c.md": "## Sub\n",
  });
  expect(brokenLinks(project.dir, ["a.md"])).toEqual([
    "a.md: gone.md: there is no such file",
    "a.md: b/c.md#none: there is no such heading",
    "a.md: #none: there is no such heading",
    "a.md: ../out.md: it leads out of the repository",
  ]);
});

test("anchors are made as GitHub makes them", () => {
  const text =
    "# To add …\n## Without a person: `-p`\n## Same\n## Same\n```\n# no heading\n```\n## [Link](x.md) & more\n";
  expect(anchors(text)).toEqual(["to-add-", "without-a-person--p", "same", "same-1", "link--more"]);
});

test("a long page lists its chapters below its first paragraph, once, and a short one does not", () => {
  const chapters = ["## One", "### Part", "## [Two](x.md) `b`", "```\n## none\n```", "## One", "## Four"].join("\n\n");
  const page = `# Title\n\n<!-- Generated. -->\n\nFirst\nparagraph.\n\n${chapters}\n\n${"word ".repeat(1_200)}\n`;
  const links = "On this page: [One](#one) · [Two `b`](#two-b) · [One](#one-1) · [Four](#four)";
  const listed = withContents(page);
  expect(listed.split("\n\n").slice(2, 6)).toEqual([
    "First\nparagraph.",
    expect.any(String),
    links,
    expect.any(String),
  ]);
  expect(withContents(listed)).toBe(listed);
  const leading = withContents(page.replace("paragraph.", "paragraph:"));
  const headless = withContents(page.replace("First\nparagraph.\n\n", "").replace("<!-- Generated. -->\n\n", ""));
  expect(headless.split("\n\n").slice(2, 5)).toEqual([links, expect.any(String), "## One"]);
  expect(leading.split("\n\n").slice(3, 6)).toEqual([links, expect.any(String), "First\nparagraph:"]);
  expect(withContents(listed.replace(/(word )+/, ""))).toBe(page.replace(/(word )+/, ""));
});

test("the words of a bullet are counted up to the next point, an empty line or a heading", () => {
  const page = "- one two\n  three\n- four\n\nno bullet\n\n1. five six\n## Head\n```\n- code\n```\n  - seven";
  expect(bulletsOf(page).map(({ words }) => words)).toEqual([3, 1, 2, 1]);
});

test("a generated part replaces the text between its markers, and a page without markers is an error", () => {
  expect(withPart("p.md", "a\n<s>old<e>\nb", "<s>", "<e>", "<s>new<e>")).toBe("a\n<s>new<e>\nb");
  expect(() => withPart("p.md", "a <e> <s>", "<s>", "<e>", "")).toThrow("p.md has no part from");
});

test("a limit is read from its constant or field, and a missing one is an error", () => {
  const limit = (name: string) => ({ file: "a.ts", name });
  const source = "type T = { readonly maxMs: number };\nconst MAX_BYTES = 64 * 1024;\nconst T = { maxMs: 2_000 };\n";
  expect(constantOf(source, limit("MAX_BYTES"))).toBe(65_536);
  expect(constantOf(source, limit("maxMs"))).toBe(2_000);
  expect(() => constantOf(source, limit("BYTES"))).toThrow("a.ts has no number named BYTES");
});

test("cells keep their bars and lose their line ends", () => {
  expect(table(["a"], [["x | y\nz"]])).toBe("| a |\n|---|\n| x \\| y z |");
});

test("types of a schema are said in words", () => {
  expect(
    [
      { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      { enum: ["a", "b"] },
      { type: "array", items: { type: "object", properties: { x: { type: "string" } }, required: [] } },
      { type: "object", additionalProperties: { type: "string" } },
    ].map(typeWords),
  ).toEqual(["integer from 1", '`"a"` | `"b"`', "list of { x?: string }", "map to string"]);
});

deepTest("--check names nothing and exits 0 when the docs are fresh", async () => {
  const command = [process.execPath, join(ROOT, "scripts/docs.ts"), "--check"];
  expect(await runCommand(command, { cwd: ROOT, env: {} })).toEqual({ code: 0, out: "", err: "" });
});

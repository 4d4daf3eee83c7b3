import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest, longerInDeep } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

const EXAMPLES = join(import.meta.dir, "../../docs/examples");
const example = (name: string) => readFileSync(join(EXAMPLES, name), "utf8");
const COUNT = reply([toolUse("ext__WordCount", { file: "notes.txt" })]);
const NOTES = { "notes.txt": "one two\nthree\n" };

/** The results of the last request. */
function results(place: { sent(): readonly { messages: readonly { content: unknown }[] }[] }) {
  return JSON.stringify(place.sent().at(-1)?.messages.at(-1)?.content);
}

deepTest("the example of a tool counts words for the model, with the rules for reading files", async () => {
  await using place = await quollPlace({ files: NOTES, scenario: [COUNT, reply("Done.")] });
  await place.home.write("own/config/extensions/word-count.ts", example("word-count.ts"));
  const { code, err } = await place.run(["-p", "Count"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(results(place)).toContain("2 lines, 3 words");
  expect(place.refused()).toEqual([]);
  const alone = await place.run(["exec", "ext__WordCount", "--input", '{"file":"notes.txt"}']);
  expect(alone).toEqual({ code: 0, out: "2 lines, 3 words\n", err: "" });
});

test("a project's extension needs trust, and its tool asks although its level needs no question", async () => {
  const files = { ...NOTES, ".quoll/extensions/word-count.ts": example("word-count.ts") };
  await using place = await quollPlace({ files, scenario: [COUNT, reply("Done.")] });
  const untrusted = await place.run(["-p", "Count"]);
  expect(untrusted.err).toContain(`1 folder of extensions is not loaded: ".quoll/extensions"`);
  expect(results(place)).toContain("no tool named");
  await place.nextTwin([COUNT, reply("Done.")]);
  await place.run(["-p", "--trust", "Count"]);
  expect(results(place)).toContain('is_error":true');
  await place.nextTwin([COUNT, reply("Done.")]);
  await place.run(["-p", "Count", "--trust", "--allowed-tools", "ext__WordCount"]);
  expect(results(place)).toContain("2 lines, 3 words");
});

const FAULTY = {
  "own/config/extensions/a-syntax.ts": "export const extension = {",
  "own/config/extensions/b-version.ts": "export const extension = { apiVersion: 2, setup() {} };",
  "own/config/extensions/c-throws.ts": `export const extension = { apiVersion: 1, setup() { throw new Error("no luck"); } };`,
  "own/config/extensions/d-clash.ts": `export const extension = { apiVersion: 1, setup(quoll) {
    quoll.defineTool({ name: "Throws", description: "x", input: { type: "object" }, level: "none", run: () => { throw new Error("out of paper"); } });
    quoll.defineTool({ name: "Rubbish", description: "x", input: { type: "object" }, level: "none", run: () => 42 });
    quoll.defineTool({ name: "Slow", description: "x", input: { type: "object" }, level: "none", timeoutMs: 20, run: () => new Promise(() => {}) });
    quoll.defineTool({ name: "Chart", description: "x", input: { type: "object" }, level: "none", run: () => ({ content: "42 bars", display: { kind: "chart" } }) });
    quoll.defineTool({ name: "throws", description: "x", input: { type: "object" }, level: "none", run: () => "x" });
  } };`,
  "own/config/extensions/e-late/index.mjs": `export const extension = { apiVersion: 1, setup() {
    Promise.reject(new Error("nobody caught me"));
    setTimeout(() => { throw new Error("late"); }, 1);
    setInterval(() => {}, 1000);
  } };`,
  "own/config/extensions/f-form.js": `export const extension = { apiVersion: 1, setup(quoll) { quoll.defineTool({ name: "No way" }); } };`,
  "own/config/extensions/g-empty.js": "export const other = 1;",
};

deepTest("faulty extensions cost one line each, and the session continues", async () => {
  const calls = ["Throws", "Rubbish", "Slow", "Chart"].map((name) => toolUse(`ext__${name}`, {}));
  await using place = await quollPlace({ scenario: [reply(calls), reply("Done.")] });
  for (const [path, text] of Object.entries(FAULTY)) await place.home.write(path, text);
  const { code, out, err } = await place.run(["-p", "Work"]);
  expect({ code, out }).toEqual({ code: 0, out: "Done.\n" });
  const lines = err.trim().split("\n").sort();
  expect(lines.map((line) => line.replace(/.*extensions\//, ""))).toMatchInlineSnapshot(`
    [
      "a-syntax.ts: line 1, column 26: Expected identifier but found end of file. No part of it takes effect.",
      "b-version.ts: it is written for version 2 of the API, and this Quoll has version 1. No part of it takes effect.",
      "c-throws.ts: no luck. No part of it takes effect.",
      "d-clash.ts: its tool throws is left out, because it has another tool of this name",
      "e-late/index.mjs: an error that it did not catch: late",
      "e-late/index.mjs: an error that it did not catch: nobody caught me",
      "f-form.js: defineTool: name: must be 1 to 59 letters, digits, _ and -, beginning with a letter. No part of it takes effect.",
      "g-empty.js: it has no export named \`extension\`. No part of it takes effect.",
    ]
  `);
  expect(results(place)).toContain("Throws of the extension d-clash failed: out of paper");
  expect(results(place)).toContain("Rubbish of the extension d-clash failed: it returned no text");
  expect(results(place)).toContain("Slow of the extension d-clash failed: it did not finish within 0.02 s");
  // What can't be drawn is left out, and the model gets its text.
  expect(results(place)).toContain("42 bars");
});

const SHOWN = ["Licence", "Checklist", "Sizes", "Tidy"];
const SHOWN_FILES = {
  LICENSE: "MIT Licence\n\nPermission is granted\nto everybody\nwithout a fee\nfor everything\n",
  "README.md": "# Shop\n",
  "notes.txt": "one  \ntwo\n",
};

longerInDeep(
  "the example of results is drawn as text, list, table and diff, live, resumed and on the plain screen",
  async (isWhole) => {
    const calls = SHOWN.map((name) => toolUse(`ext__${name}`, {}));
    await using place = await quollPlace({ files: SHOWN_FILES, scenario: [reply(calls), reply("Done.")] });
    await place.home.write("own/config/extensions/show-results.ts", example("show-results.ts"));
    const open = (...args: readonly string[]) =>
      terminalProcess([...QUOLL, "--trust", ...args], {
        columns: 80,
        rows: 40,
        cwd: place.project.dir,
        env: place.environmentOf({}),
      });
    /** The rows of the calls without their times, which move what stands before them. */
    const rowsOf = (all: string) =>
      all
        .slice(all.indexOf("  Licence"), all.indexOf("Done."))
        .split("\n")
        .map((row) =>
          row
            .replace(/(?: · )?[\d.]+m?s$/, "")
            .trimEnd()
            .replace(/ {5,}(?=\d+ [a-z]+$)/, "   "),
        );
    let drawn: readonly string[] = [];
    {
      await using terminal = open();
      await terminal.shows("? for keys");
      terminal.type("show\r");
      await terminal.shows(/Done\.[\s\S]*\? for keys/);
      drawn = rowsOf(terminal.all);
      terminal.type("\u0004\u0004");
      await terminal.child.exited;
    }
    expect(drawn).toMatchInlineSnapshot(`
    [
      "  Licence show-results   77 characters",
      "         MIT Licence",
      "         Permission is granted",
      "         to everybody",
      "         … 2 more lines · ctrl+o",
      "  Checklist show-results   1 missing",
      "         ✓ README.md",
      "         ✓ LICENSE",
      "         ✗ CHANGELOG.md  is missing",
      "  Sizes  show-results",
      "         file       lines",
      "         LICENSE        6",
      "         notes.txt      2",
      "         README.md      1",
      "  Tidy   show-results",
      "         1 − one",
      "         1 + one",
      "         2   two",
      "●",
    ]
  `);
    {
      await using terminal = open("--continue");
      await terminal.shows(/Done\.[\s\S]*\? for keys/);
      expect(rowsOf(terminal.all)).toEqual([...drawn]);
      terminal.type("\u000f");
      await terminal.shows("for the model:");
    }
    // The model gets the texts of the tools alone.
    expect(results(place)).not.toContain("is missing");
    if (!isWhole) return;
    await using plain = open("--continue", "--plain");
    await plain.shows("Output: file: LICENSE, lines: 6");
    expect(plain.all).toContain("Output: failed: CHANGELOG.md (is missing)");
  },
);

deepTest("the example of a command shows the commits, or makes a prompt of them", async () => {
  await using place = await quollPlace({ scenario: [reply("A branch with one commit.")] });
  await place.home.write("own/config/extensions/branch-report.ts", example("branch-report.ts"));
  Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "--allow-empty", "-qm", "Begin"], {
    cwd: place.project.dir,
  });
  const shown = await place.run(["-p", "/branch-report"]);
  expect(shown).toEqual({ code: 0, err: "", out: expect.stringMatching(/^[0-9a-f]{7,} Begin\n$/) });
  const described = await place.run(["-p", "/branch-report write"]);
  expect(described).toMatchObject({ code: 0, out: "A branch with one commit.\n" });
  expect(results(place)).toContain("Describe these commits for a pull request");
});

deepTest("the example of a guard refuses a push to main, and no other command", async () => {
  const calls = ["git push origin main", "echo fine"].map((command) =>
    toolUse("Bash", { command, description: "Runs a command" }),
  );
  await using place = await quollPlace({ scenario: [reply(calls), reply("Done.")] });
  await place.home.write("own/config/extensions/protect-main.ts", example("protect-main.ts"));
  await place.run(["-p", "Push", "--allowed-tools", "Bash(git push *)", "Bash(echo *)"]);
  expect(results(place)).toContain("Push to a branch of your own");
  expect(results(place)).toContain("fine");
});

deepTest(
  "handlers and commands that fail are named, listed in /extensions and in the first line of a stream",
  async () => {
    await using place = await quollPlace({ scenario: [reply("Done.")] });
    await place.home.write(
      "own/config/extensions/bad.ts",
      `export const extension = { apiVersion: 1, setup(quoll) {
      quoll.on("UserPromptSubmit", () => { throw new Error("out of ink"); });
      quoll.on("Stop", () => 42);
      quoll.defineCommand({ name: "help", summary: "Shadows", run: () => "x" });
      quoll.defineCommand({ name: "oops", summary: "Fails", run: () => { throw new Error("no paper"); } });
    } };`,
    );
    const run = await place.run(["-p", "--output-format", "stream-json", "--verbose", "Work"]);
    expect(run.code).toBe(0);
    const init = JSON.parse(run.out.split("\n")[0] ?? "");
    expect(init.extensions).toEqual([
      { name: "bad", path: expect.stringContaining("extensions/bad.ts"), source: "yours", enabled: true },
    ]);
    const all = run.out + run.err;
    expect(all).toContain("out of ink. Quoll continued without the hook.");
    expect(all).toContain("its answer was not an object");
    const oops = await place.run(["-p", "/oops"]);
    expect(oops.code).toBe(1);
    expect(oops.err).toContain("failed: no paper");
    expect(oops.err).toContain("its command /help is left out, because another /help exists");
    const listed = await place.run(["-p", "/extensions"]);
    expect(listed.out).toContain("bad  yours · commands: /help, /oops; events: UserPromptSubmit, Stop");
  },
);

deepTest("the example of a renderer and a status part draws bars, and counts calls", async () => {
  const chart = "```bars\napples 50\n```";
  const call = toolUse("Read", { file_path: "notes.txt" });
  await using place = await quollPlace({ files: NOTES, scenario: [reply([call]), reply(chart)] });
  await place.home.write("own/config/extensions/bars-and-calls.ts", example("bars-and-calls.ts"));
  await place.home.write(
    "own/config/extensions/z-bad.js",
    `export const extension = { apiVersion: 1, setup(quoll) {
      quoll.defineRenderer({ language: "bars", line: () => "never" });
      quoll.defineStatusPart().set("\\u001b[31mred");
    } };`,
  );
  await using terminal = terminalProcess([...QUOLL, "--trust"], {
    columns: 100,
    rows: 30,
    cwd: place.project.dir,
    env: place.environmentOf({}),
  });
  await terminal.shows("? for keys");
  terminal.type("draw\r");
  await terminal.shows(`apples       ${"█".repeat(20)}${"░".repeat(20)} 50%`);
  await terminal.shows("1 calls · red");
  expect(terminal.all).toContain("its renderer of bars is left out");
});

deepTest("the example of a provider answers, and a failing one ends the turn with its message", async () => {
  await using place = await quollPlace();
  await place.home.write("own/config/extensions/echo-model.ts", example("echo-model.ts"));
  await place.home.write(
    "own/config/extensions/bad.mjs",
    `export const extension = { apiVersion: 1, setup(quoll) {
      quoll.defineProvider({ name: "openai", async *answer() {} });
      quoll.defineProvider({ name: "empty", async *answer() {} });
      quoll.defineProvider({ name: "rubbish", async *answer() { yield 42; } });
    } };`,
  );
  const echoed = await place.run(["-p", "--model", "echo/loud", "hello there"]);
  expect(echoed).toMatchObject({ code: 0, out: "HELLO THERE\n" });
  expect(echoed.err).toContain("its provider openai is left out, because another openai exists");
  expect((await place.run(["-p", "/model"])).out).toContain("echo/loud");
  const doctor = await place.run(["doctor", "--model", "echo/loud"], { model: false });
  expect(doctor.out).toContain("loud of echo, a provider of an extension");
  expect(doctor.out).toContain("echo/plain, echo/loud");
  const empty = await place.run(["-p", "--model", "empty/one", "hello"]);
  expect(empty.code).toBe(1);
  expect(empty.out + empty.err).toContain("The provider empty of an extension failed: it gave an empty answer");
  const rubbish = await place.run(["-p", "--model", "rubbish/one", "hello"]);
  expect(rubbish.out + rubbish.err).toContain("it returned something other than a part of an answer");
});

deepTest("an extension of a plugin counts with the plugin, and its tool asks", async () => {
  const files = {
    ...NOTES,
    "shop/.claude-plugin/plugin.json": JSON.stringify({ name: "shop" }),
    "shop/extensions/word-count.ts": example("word-count.ts"),
    "shop/extensions/branch-report.ts": example("branch-report.ts"),
  };
  await using place = await quollPlace({ files, scenario: [COUNT, reply("Done.")] });
  await place.run(["-p", "Count", "--plugin-dir", "shop"]);
  expect(results(place)).toContain('is_error":true');
  const listed = await place.run(["-p", "/extensions", "--plugin-dir", "shop"]);
  expect(listed.out).toContain("word-count  plugin shop · tools: ext__WordCount");
  expect(listed.out).toContain("branch-report  plugin shop · commands: /shop:branch-report");
  expect((await place.run(["-p", "/extensions", "--plugin-dir", "shop", "--bare"])).out).not.toContain("word-count");
});

deepTest("the extensions of an installed plugin are left out when one of its files has changed", async () => {
  const files = {
    "shop/.claude-plugin/plugin.json": JSON.stringify({ name: "shop" }),
    "shop/extensions/word-count.ts": example("word-count.ts"),
  };
  await using place = await quollPlace({ files });
  expect((await place.run(["plugin", "install", "./shop", "--yes"])).code).toBe(0);
  expect((await place.run(["-p", "/extensions"])).out).toContain("word-count  plugin shop");
  const [helper = ""] = new Bun.Glob("**/shop/*/extensions/word-count.ts").scanSync({ cwd: place.home.dir });
  await place.home.write(helper, `${example("word-count.ts")}// changed`);
  const { out, err } = await place.run(["-p", "/extensions"]);
  expect(out).not.toContain("word-count");
  expect(err).toMatch(
    /the extensions of the plugin shop@\w+ are left out.*quoll plugin install shop@\w+ restores them/,
  );
});

deepTest("a handler of a project can't widen permissions", async () => {
  const answer = {
    hookEventName: "PermissionRequest",
    decision: {
      behavior: "allow",
      updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
    },
  };
  const files = {
    ".quoll/extensions/a.js": `let asked = 0; export const extension = { apiVersion: 1, setup(quoll) {
      quoll.on("PermissionRequest", () => asked++ ? {} : { hookSpecificOutput: ${JSON.stringify(answer)} });
    } };`,
  };
  const call = toolUse("Bash", { command: "mkdir one", description: "Makes a folder" });
  const write = toolUse("Write", { file_path: "two.txt", content: "x" });
  await using place = await quollPlace({ files, scenario: [reply([call]), reply([write]), reply("Done.")] });
  await place.run(["-p", "--trust", "Work"]);
  expect(await Bun.file(place.project.path("two.txt")).exists()).toBe(false);
});

deepTest("an extension neither ends Quoll with process.exit nor prints into the output of a run", async () => {
  const calls = ["Quit", "Print"].map((name) => toolUse(`ext__${name}`, {}));
  await using place = await quollPlace({ scenario: [reply(calls), reply("Done.")] });
  await place.home.write(
    "own/config/extensions/early.js",
    "console.error('early'); process.stdout.write('top'); process.exit(0);",
  );
  await place.home.write(
    "own/config/extensions/quit.js",
    `export const extension = { apiVersion: 1, setup(quoll) {
      const tool = { description: "x", input: { type: "object" }, level: "none" };
      console.log("\\u001b[31mhello %s", "there");
      quoll.defineTool({ ...tool, name: "Quit", run: () => process.exit(0) });
      quoll.defineTool({ ...tool, name: "Print", async run(_input, { progress }) {
        process.stdout.write("written ");
        progress("half");
        await new Promise((done) => setTimeout(() => process.stderr.write(Buffer.from("later"), done), 1));
        return "printed";
      } });
    } };`,
  );
  const format = ["--output-format", "stream-json", "--verbose"];
  const { code, out, err } = await place.run(["-p", "--debug", ...format, "Work"]);
  expect(code).toBe(0);
  expect(
    out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).type),
  ).toContain("result");
  const lines = err
    .trim()
    .split("\n")
    .map((line) => line.replace(/^.*extensions\//, ""));
  const printed = "its output goes only to the debug log (--debug)";
  expect(lines.filter((line) => !line.includes("debug log is")).sort()).toEqual(
    [
      `early.js: ${printed}`,
      "early.js: it called process.exit(0), which an extension can't do. No part of it takes effect.",
      `quit.js: ${printed}`,
    ].sort(),
  );
  const [log = ""] = new Bun.Glob("**/debug/*.log").scanSync({ cwd: place.home.dir });
  const texts = (await Bun.file(place.home.path(log)).text()).match(/(?<= printed: ).*/g);
  expect(texts?.sort()).toEqual(["early", "hello there", "later", "top", "written"]);
  expect(results(place)).toContain("Quit of the extension quit failed: it called process.exit(0)");
  expect(results(place)).toContain("printed");
});

/** Answers a question of the start, which takes no key that was typed before it could be read. */
async function approve(terminal: ReturnType<typeof terminalProcess>, question: string, key: string) {
  await terminal.shows(question);
  let next = 0;
  await terminal.shows(() => {
    if (!terminal.screen.includes(question)) return true;
    if (Date.now() < next) return false;
    next = Date.now() + 2_000;
    terminal.type(key);
    return false;
  });
  await terminal.shows("? for keys");
  // A second key may have come after the answer.
  terminal.type("\u0015");
}

const hi = (text: string) =>
  `import { text } from "./${text}.ts"; export const extension = { apiVersion: 1, setup(quoll) {
    quoll.defineCommand({ name: "hi", summary: "Says hi", run: () => "it says " + text });
  } };`;

deepTest(
  "changed extensions are named, and /extensions reload asks about the project's and loads them",
  async () => {
    const files = { ".quoll/extensions/lib/one.ts": "export const text: string = 'one';" };
    await using place = await quollPlace({ files, scenario: [reply("First."), reply("Second.")] });
    await place.project.write(".quoll/extensions/hi/index.ts", hi("../lib/one"));
    await using terminal = terminalProcess([...QUOLL], {
      columns: 120,
      rows: 50,
      cwd: place.project.dir,
      env: place.environmentOf({}),
    });
    await approve(terminal, "Do you trust this folder?", "2");
    terminal.type("/hi\r");
    await terminal.shows("it says one");
    terminal.type("go\r");
    await terminal.shows("First.");
    await place.project.write(".quoll/extensions/lib/one.ts", "export const text: string = 'two';");
    await place.project.write(".quoll/extensions/hi/index.ts", `${hi("../lib/one")} // changed`);
    terminal.type("go on\r");
    await terminal.shows("hi/index.ts: its file has changed: /extensions reload loads it");
    await terminal.shows(/Second\.\s+[\d.]+s · /);
    terminal.type("/extensions reload\r");
    await approve(terminal, "Approve new content of this folder?", "1");
    terminal.type("/hi\r");
    await terminal.shows("it says two");
    expect(terminal.all).toContain("First.");
  },
  60_000,
);

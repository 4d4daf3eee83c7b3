import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { reply, type Scenario, text, toolUse } from "@quoll/model-twin/scenario";
import { wholeWords } from "../../src/faces/repl/plain/whole-words.ts";
import { deepTest, eachOrDeep } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const CTRL_U = "\u0015";
const [HOME, RIGHT] = ["\u001b[H", "\u001b[C"];
const F2 = "\u001bOQ";
const BELL = "\u0007";
const SETTINGS = { sandbox: { enabled: false }, terminal: { screen: "plain" } };
const SIGNS = ["╭", "│", "─", "❯", "›", "◐", "●", "✗", "✓", "▲", "■", "☐", "☑", "·", "•"];

type Place = Awaited<ReturnType<typeof quollPlace>>;
type Shown = { readonly columns?: number; readonly env?: Record<string, string> };

function plain(place: Place, args: readonly string[], { columns = 100, env = {} }: Shown = {}) {
  const options = { columns, rows: 60, cwd: place.project.dir, env: place.environmentOf({ env }) };
  return terminalProcess([...QUOLL, ...args], options);
}

/** Everything that was written, as lines, however the terminal wrapped them. */
const linesOf = ({ output }: { output: string }) => output.replaceAll(BELL, "").replaceAll("\r\n", "\n").split("\n");

/** Everything that was written, without the blanks that fill rows. */
const textOf = ({ output }: { output: string }) => output.replaceAll(/ {2,}/g, " ");

const ANSWER = [
  "# Prices",
  "The **price** is in `cart.ts`. It is small.",
  "- one item\n- another item",
  "```ts\nconst price = 2;\n```",
  "| name | price |\n|---|---|\n| tea | 2 |",
  "Question: Run this command?",
].join("\n\n");

const SESSION: Scenario = [
  reply([text("I look."), toolUse("Read", { file_path: "cart.ts" }), toolUse("Grep", { pattern: "price" })]),
  reply([toolUse("Edit", { file_path: "cart.ts", old_string: "price = 1", new_string: "price = 2" })]),
  reply([toolUse("Bash", { command: "rm cart.ts", description: "Remove it" })]),
  reply([text(ANSWER)], { deltaChars: 5, paceMs: 2 }),
  reply([toolUse("Bash", { command: "touch begun; sleep 600", description: "Wait" })]),
];

const TOLD = [
  "Question: Do you trust this folder?",
  "Quoll: I look.",
  "Tool: read cart.ts",
  "Tool: search price",
  "Result: 1 file",
  "Tool: edit cart.ts",
  "Question: Change this file?",
  "Removed line 1: const price = 1;",
  "Added line 1: const price = 2;",
  "Result of edit cart.ts: changed cart.ts, 1 line added, 1 removed",
  "Notice: You said: Yes, in this session.",
  "Command: rm cart.ts",
  "Warning: deletes files: cart.ts (backed up first)",
  "Answer: keep the file",
  "Result of run rm cart.ts: not run, you said no: keep the file",
  "Quoll: Heading 1: Prices",
  "The price is in `cart.ts`. It is small.",
  "Item: one item",
  "Code, ts:",
  "const price = 2;",
  "End of code.",
  "Table with 2 columns and 1 row: name, price.",
  "Row 1: name: tea; price: 2",
  "Quoll: Question: Run this command?",
  "Command: touch begun; sleep 600",
  "Notice: Interrupted.",
];

// In `npm test` the narrow screen, and ACCESSIBLE with the list of sessions below.
eachOrDeep(
  "a session of %d columns (%j, %j) is read line by line, each once, without an escape sequence",
  1,
  [
    [40, ["--plain"], {}],
    [120, [], { ACCESSIBLE: "1" }],
  ] as const,
  async (columns, args, env) => {
    await using place = await quollPlace({ scenario: SESSION, files: { "cart.ts": "const price = 1;\n" } });
    await using terminal = plain(place, args, { columns, env });
    /** Waits for a line that was not there before, and for the prompt after it. */
    let seen = 0;
    const tells = async (line: string, prompt: string) => {
      await terminal.shows(() => {
        const text = textOf(terminal);
        const at = text.indexOf(line, seen);
        return at >= 0 && text.slice(at).endsWith(`\n${prompt}`);
      });
      seen = textOf(terminal).length;
    };
    await tells("Question: Do you trust this folder?", "Answer: ");
    // A line that comes with the question does not answer it.
    let next = 0;
    await terminal.shows(() => {
      if (Date.now() >= next) {
        terminal.type("1\r");
        next = Date.now() + 600;
      }
      return textOf(terminal).includes("plain screen.");
    });
    await tells("plain screen.", "You: ");
    // The line is edited in its middle: only the keys are echoed.
    terminal.type(`fx it${HOME}${RIGHT}i\r`);
    await tells("Question: Change this file?", "Answer: ");
    terminal.type("1\r");
    await tells("Command: rm cart.ts", "Answer: ");
    terminal.type("keep the file\r");
    await tells("Done: 1 file changed, 1 line added, 1 removed, ", "You: ");
    terminal.type("/re\t");
    await tells("\n/resume [session]: ", "You: /re");
    terminal.type(`${CTRL_U}/mod\t\r`);
    await tells("Question: Model: ", "Choose: ");
    // A price is told in words, not as a pair of numbers.
    expect(textOf(terminal)).toMatch(/: \S+, anthropic, context \S+, \$\S+ in, \$\S+ out/);
    terminal.type("haiku-4\r");
    await tells("match haiku-4", "Choose: ");
    terminal.type("1\r");
    await tells("haiku-4", "You: ");
    terminal.type("wait for it\r");
    await tells("Command: touch begun; sleep 600", "Answer: ");
    terminal.type("yes\r");
    await terminal.shows(() => existsSync(place.project.path("begun")));
    terminal.type(CTRL_C);
    await tells("Stopped: ", "You: ");
    expect(await terminal.leaves()).toBe(0);
    expect(place.refused()).toEqual([]);
    expect(JSON.stringify(place.sent()[0])).toContain('"fix it"');

    const lines = linesOf(terminal);
    for (const line of TOLD)
      expect({ line, count: lines.filter((one) => one === wholeWords(line, columns)).length }).toEqual({
        line,
        count: 1,
      });
    // A backspace moves the cursor in the line that is typed.
    const controls = [...lines.join("")].filter(
      (one) => one !== "\b" && (one < " " || (one >= "\u007f" && one < "\u00a0")),
    );
    expect(controls).toEqual([]);
    for (const sign of SIGNS) expect({ sign, is: terminal.output.includes(sign) }).toEqual({ sign, is: false });
  },
);

test("a tab completes a mentioned file, and the person's own keys count on a plain screen", async () => {
  const files = { "src/faces/a.ts": "", "src/fake.ts": "", "tests/cart.test.ts": "", "notes.md": "" };
  await using place = await quollPlace({ scenario: [reply([text("Seen.")])], files, settings: SETTINGS });
  const keys = {
    bindings: [{ context: "prompt", bindings: { f2: "prompt.nextMode", "ctrl+x ctrl+j": "prompt.submit" } }],
  };
  await Bun.write(place.home.path("own/config/keybindings.json"), JSON.stringify(keys));
  await using terminal = plain(place, ["--trust"]);
  await terminal.shows(/plain screen\.[\s\S]*\nYou:$/);
  terminal.type("see @s\t");
  await terminal.shows(/^You: see @src\/$/m);
  terminal.type("f\t");
  await terminal.shows(/^You: see @src\/fa$/m);
  terminal.type("\t");
  await terminal.shows(/^Notice: 2 choices for @src\/fa\n@src\/faces\/\n@src\/fake\.ts\nYou: see @src\/fa$/m);
  terminal.type("k\t");
  await terminal.shows(/^You: see @src\/fake\.ts$/m);
  // No entry of the folder begins so: the file of another folder is found by its name.
  terminal.type("and @cart\t");
  await terminal.shows(/^You: see @src\/fake\.ts and @tests\/cart\.test\.ts$/m);
  terminal.type(F2);
  await terminal.shows(/^Notice: permission mode acceptEdits: .*\n/m);
  terminal.type("\u0018\u000a");
  await terminal.shows(/^Quoll: Seen\.\nDone: .*\nYou:$/m);
  expect(JSON.stringify(place.sent()[0])).toContain("see @src/fake.ts and @tests/cart.test.ts");
  await terminal.leaves();
  expect(terminal.output).not.toContain("\u001b");
});

test("a plain session says in words how a command failed, and ctrl+d leaves", async () => {
  const scenario: Scenario = [
    reply([toolUse("Bash", { command: "echo two; false", description: "Try it" })]),
    reply([text("All **done**.")]),
  ];
  const settings = { ...SETTINGS, permissions: { allow: ["Bash"] } };
  await using place = await quollPlace({ scenario, settings });
  await using terminal = plain(place, ["--trust"], { env: { TERM: "linux" } });
  await terminal.shows(/plain screen\.[\s\S]*\nYou:$/);
  terminal.type("write it\r");
  await terminal.shows(/^Result: failed with exit code 1, 1 line\nOutput: two\nQuoll: All done\.\nDone: .*\.\nYou:$/m);
  terminal.type("/copy\r");
  await terminal.shows(/^Error: The last answer \(1 line\): not copied: .*\nYou:$/m);
  terminal.type("/cost\r");
  await terminal.shows(/^Tokens of \S+: in \d.*, cached .*, stored .*, out .*, cost .*$/m);
  terminal.type(CTRL_D);
  await terminal.shows("quoll --resume");
  expect(await terminal.child.exited).toBe(0);
});

test("a prompt that waits, and the steps of the model, are told in words", async () => {
  const todos = ["Look", "Fix"].map((content, at) => ({
    content,
    activeForm: `${content}ing`,
    status: at === 0 ? "completed" : "in_progress",
  }));
  const scenario: Scenario = [
    reply([toolUse("TodoWrite", { todos })]),
    reply([toolUse("Bash", { command: "touch begun; until test -f go; do sleep 0.1; done" })]),
    reply([text("Over.")]),
  ];
  const settings = { ...SETTINGS, permissions: { allow: ["Bash"] } };
  await using place = await quollPlace({ scenario, settings });
  await using terminal = plain(place, ["--trust"]);
  await terminal.shows(/plain screen\.[\s\S]*\nYou:$/);
  terminal.type("begin\r");
  await terminal.shows(() => existsSync(place.project.path("begun")));
  await terminal.shows("Step 2 of 2: Fixing");
  terminal.type("also the tests\r");
  await terminal.shows("Notice: queued, 1 waiting. Quoll reads it at its next step.");
  await Bun.write(place.project.path("go"), "");
  await terminal.shows("You: also the tests");
  await terminal.shows("Quoll: Over.");
  await terminal.leaves();
  expect(terminal.output).not.toContain("\u001b");
});

eachOrDeep(
  "%j with %j reaches the list of sessions at the start, and the session that is chosen there",
  1,
  [
    [[], { ACCESSIBLE: "1" }],
    [["--plain"], {}],
  ] as const,
  async (args, env) => {
    await using place = await quollPlace({ scenario: [reply([text("Blue.")]), reply([text("Red.")])] });
    for (const prompt of ["which colour?", "which other one?"]) await place.run(["-p", prompt]);
    await using terminal = plain(place, ["--trust", ...args, "--resume"], { env });
    await terminal.shows(/^1: which other one\?[\s\S]*^2: which colour\?[\s\S]*\nChoose:$/m);
    terminal.type("colour\r");
    await terminal.shows(/1 that match colour\.\n1: which colour\?[\s\S]*\nChoose:$/m);
    terminal.type("1\r");
    await terminal.shows(/^Notice: resumed after 1 prompt\.\nYou: which colour\?\nQuoll: Blue\.\n[\s\S]*\nYou:$/m);
    await terminal.leaves();
    expect(terminal.output).not.toContain("\u001b");
  },
);

deepTest("ctrl+c stops the turn and keeps the session; a second one at rest leaves", async () => {
  const scenario: Scenario = [reply([toolUse("Bash", { command: "touch begun; sleep 600", description: "Wait" })])];
  const settings = { ...SETTINGS, permissions: { allow: ["Bash"] } };
  await using place = await quollPlace({ scenario, settings });
  await using terminal = plain(place, ["--trust"]);
  await terminal.shows(/plain screen\.[\s\S]*\nYou:$/);
  terminal.type("wait for it\r");
  await terminal.shows(() => existsSync(place.project.path("begun")));
  terminal.type(CTRL_C);
  await terminal.shows(/^Stopped.*\nYou:$/m);
  terminal.type("/cost\r");
  await terminal.shows(/By source[\s\S]*\nYou:$/);
  terminal.type(CTRL_C);
  expect(await terminal.child.exited).toBe(130);
  expect(terminal.output).not.toContain("\u001b");
});

import { describe, expect, test } from "bun:test";
import { textWidth } from "@quoll/terminal-text/text-width";
import type { Display } from "../../../../src/contracts/display.ts";
import { NO_USAGE } from "../../../../src/contracts/message.ts";
import { openPicker, shownChoices } from "../../../../src/faces/repl/layers/picker.ts";
import { trustQuestion } from "../../../../src/faces/repl/layers/start-questions.ts";
import { trustLines } from "../../../../src/faces/repl/layers/trust-layer.ts";
import { emptyTrustState } from "../../../../src/faces/repl/layers/trust-state.ts";
import { completionLines } from "../../../../src/faces/repl/view/completion-lines.ts";
import { wrapIndented } from "../../../../src/faces/repl/view/layout.ts";
import { pickerLines } from "../../../../src/faces/repl/view/picker-lines.ts";
import { statusLine } from "../../../../src/faces/repl/view/status-line.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { explorationLines, toolLines } from "../../../../src/faces/repl/view/tool-lines.ts";
import { emptyTranscript, type FinishedTool } from "../../../../src/protocol/transcript/transcript.ts";

const style = { theme: themeFor(0), columns: 40 };

function call(name: string, title: string, rest: Partial<FinishedTool> = {}): FinishedTool {
  const use = { type: "tool_use", id: "t", name, input: {} } as const;
  return { use, title, isError: false, durationMs: 0, excerpt: "", display: undefined, refusedBy: undefined, ...rest };
}

test("a long name in the list of completions keeps its end, which differs from the other names", () => {
  const named = ["orders/2025/one.txt", "orders/2025/two.txt"].map((end) => ({
    ...{ name: `@warehouse:file:///a/long/way/to/${end}`, summary: "A list", argumentHint: "" },
  }));
  const [first] = named;
  const lines = first ? completionLines(named, first, { ...style, columns: 80, rows: 24 }) : [];
  expect(lines.map((line) => line.match(/\S+\.txt/)?.[0].slice(-8))).toEqual(["/one.txt", "/two.txt"]);
  expect(lines.every((line) => textWidth(line) <= 80)).toBe(true);
});

test("a call that a hook refused shows the hook's reason before its name", () => {
  const source = "jq -e '.tool_input.command | test(\"rm\")' (PreToolUse, settings.json:3)";
  const refusedBy = { kind: "hook", reason: "no rm here", source } as const;
  expect(toolLines(call("Bash", "rm a", { isError: true, refusedBy }), style).slice(1)).toEqual([
    "         refused by a hook: no rm here ·",
    "         jq -e '.tool_input.command | t…",
  ]);
});

test.each([40, 80])("a long fact beside a choice is cut at %p columns, not dropped", (columns) => {
  const choices = [{ label: "guard", detail: `project · ${"events: PreToolUse; ".repeat(8)}`, input: "/x" }];
  const picker = openPicker({ title: "Extensions", choices });
  const { lines } = pickerLines(picker, { ...style, columns, rows: 20 });
  expect(lines.find((line) => line.includes("guard"))).toMatch(/guard +project · events.*…$/);
  expect(lines.every((line) => textWidth(line) <= columns)).toBe(true);
});

test("the details of a list begin in one column beyond its longest label, if all of them fit there", () => {
  const labels = ["model", "permissions.disableBypassPermissionsMode", "tools.bash"];
  const choices = labels.map((label) => ({ label, detail: "default", input: "/x" }));
  const { lines } = pickerLines(openPicker({ title: "Settings", choices }), { ...style, columns: 66, rows: 20 });
  const starts = lines.filter((line) => line.includes("default")).map((line) => line.indexOf("default"));
  expect(starts).toEqual([44, 44, 44]);
});

test("a long title of a list is wrapped, because a question says its consequence at the end", () => {
  const title = "Run commands without the sandbox in this project? Commands can then change all your files.";
  const choices = Array.from({ length: 30 }, (_, at) => ({ label: `choice ${at}`, detail: "", input: "/x" }));
  const drawn = (text: string) => pickerLines(openPicker({ title: text, choices }), { ...style, rows: 24 }).lines;
  expect(
    drawn(title)
      .slice(1, 4)
      .map((line) => line.trimEnd()),
  ).toEqual(["Run commands without the sandbox in this", "project? Commands can then change all", "your files."]);
  expect(drawn(title)).toHaveLength(drawn("Sandbox").length);
  expect(drawn("word ".repeat(99))[3]).toEndWith("…");
});

describe("a list with lines about its choices", () => {
  const choices = Array.from({ length: 60 }, (_, at) => ({
    ...{ label: `model-${at}`, detail: "anthropic  200k  $3/$15", brief: "$3/$15", input: "/x" },
    about: [`about ${at}`, "window 200k"],
  }));
  const shortcuts = [{ letter: "s", label: "default" }];
  const picker = openPicker({ title: "Model", choices, shortcuts });

  test.each([
    [40, 24],
    [80, 24],
    [120, 24],
    [80, 50],
    [40, 12],
  ])(
    "takes the rows of a window of %p×%p but for a few of the conversation, and shows the lines about the marked choice",
    (columns, rows) => {
      const { lines } = pickerLines(picker, { ...style, columns, rows });
      // One row is free for what is typed.
      expect(lines).toHaveLength(Math.max(8, rows - 3 - Math.min(4, rows / 6)));
      expect(lines.every((line) => textWidth(line) <= columns)).toBe(true);
      const text = lines.join("\n");
      expect([text.includes("about 0"), text.includes("about 1"), /❯ model-0/.test(text)]).toEqual([true, false, true]);
      expect(text).toContain("ctrl+s default");
      expect(text).toContain("$3/$15");
    },
  );

  test("is as high for a choice about which there is nothing to say", () => {
    const some = openPicker({
      title: "Model",
      choices: [...choices.slice(0, 2), { ...choices[0], label: "x", detail: "", input: "/y", about: [] }],
    });
    const height = (index: number) => pickerLines({ ...some, index }, { ...style, columns: 80, rows: 24 }).lines.length;
    expect(height(2)).toBe(height(0));
  });

  test("stands beside many lines in a wide window, and above a few", () => {
    const drawn = (list: typeof choices) =>
      pickerLines({ ...picker, choices: list }, { ...style, columns: 120, rows: 24 }).lines;
    const many = choices.map((one) => ({ ...one, about: [...one.about, "$3", "$15"] }));
    expect(drawn(many).find((line) => line.includes("model-0"))).toMatch(/\$3\/\$15 +│ about 0/);
    const few = drawn(choices);
    expect(few.find((line) => line.includes("model-0"))).not.toContain("│");
    expect(few.find((line) => line.includes("about 0"))).toMatch(/^ {2}about 0$/);
  });

  test("is searched by them too, after the lines of the list", () => {
    const found = shownChoices({
      choices: [...choices.slice(0, 3), { label: "about 1", detail: "", input: "/z" }],
      filter: "about",
    });
    expect(found.map(({ label }) => label)).toEqual(["about 1", "model-0", "model-1", "model-2"]);
  });
});

describe("a line that is too long", () => {
  test("continues below its own text", () => {
    expect(wrapIndented("  one two three four", 12)).toEqual(["  one two", "  three four"]);
  });

  test("continues in the second column of a table with two columns", () => {
    expect(wrapIndented("  tab      complete it; while a turn runs: send", 30)).toEqual([
      "  tab      complete it; while",
      "           a turn runs: send",
    ]);
    expect(wrapIndented("  a long name of it  cut it", 22)).toEqual(["  a long name of it", "  cut it"]);
  });

  test("with more columns is no table of two", () => {
    expect(wrapIndented("  a  b b  c c c c", 10)).toEqual(["  a  b b", "  c c c c"]);
  });
});

describe("a tool's lines", () => {
  test("tell a long error whole, as far as four rows go", () => {
    const excerpt = "The server was lost during this call (it ended with code 3); the call may have been carried out.";
    expect(toolLines(call("mcp__good__poke", "", { isError: true, excerpt }), style).slice(1)).toEqual([
      "         The server was lost during this",
      "         call (it ended with code 3);",
      "         the call may have been carried",
      "         out.",
    ]);
  });

  test("say that a command continues in the background, and as which task", () => {
    const ended = { kind: "command", command: "x", exitCode: undefined, signal: undefined, timedOut: false } as const;
    const display = { ...ended, tail: ["one"], totalLines: 1, taskId: "b1" };
    expect(toolLines(call("Bash", "x", { display }), style).slice(1)).toEqual([
      "         one",
      "         moved to the background as b1",
    ]);
  });

  test("say where a command ran, if that was not the sandbox as usual", () => {
    const ended = { kind: "command", command: "x", exitCode: 0, signal: undefined, timedOut: false } as const;
    const display = { ...ended, tail: ["one"], totalLines: 1, place: ["outside the sandbox"] };
    expect(toolLines(call("Bash", "x", { display }), style).slice(1)).toEqual([
      "         one",
      "         outside the sandbox",
    ]);
  });

  test("say stopped where a command neither ended by itself nor reached a limit", () => {
    const display = { kind: "command", command: "x", exitCode: undefined, signal: undefined, timedOut: false } as const;
    const stopped: Display = { ...display, tail: [], totalLines: 0 };
    expect(toolLines(call("Bash", "sleep 30", { isError: true, display: stopped }), style)).toEqual([
      "✗ $      sleep 30",
      "         ■ stopped",
    ]);
  });

  test("show what a person ran themselves, and three lines of what the model ran", () => {
    const tail = Array.from({ length: 30 }, (_, at) => `line ${at}`);
    const display = { kind: "command", command: "ls", exitCode: 0, signal: undefined, timedOut: false } as const;
    const ran = (isOwn: boolean) =>
      toolLines(call("Bash", "ls", { isOwn, display: { ...display, tail, totalLines: 30 } }), style).slice(1);
    expect(ran(true)).toEqual(tail.map((line) => `         ${line}`));
    expect(ran(false)).toEqual([
      "         … 27 lines above · ctrl+o",
      ...tail.slice(-3).map((line) => `         ${line}`),
    ]);
  });

  test.each([
    ["\na\n\nb\nc\n", undefined],
    ["a\n\nb\nc\nd", "… 2 lines above · ctrl+o"],
    ["\n\na\nb\nc\n\nd\n", "… 3 lines above · ctrl+o"],
  ])("count the lines above what %j shows, blank ones only before others", (text, above) => {
    const tail = text.split("\n");
    const display = { kind: "command", command: "x", exitCode: 0, signal: undefined, timedOut: false } as const;
    const shown = toolLines(call("Bash", "x", { display: { ...display, tail, totalLines: tail.length } }), style);
    expect(shown.slice(1).map((line) => line.trim())).toEqual([
      ...(above === undefined ? [] : [above]),
      ...tail.filter((line) => line !== "").slice(-3),
    ]);
  });

  test.each([
    ["ran together", [1_000, 1_200], "0.7s"],
    ["followed each other", [1_000, 2_000], "1.0s"],
    ["are of an unknown time", [undefined, undefined], "1.0s"],
  ])("tell the time of neighbours that %s", (_, starts, shown) => {
    const tools = starts.map((startedAt, at) =>
      call("Read", `${at}.pdf`, { durationMs: 500, ...(startedAt !== undefined && { startedAt }) }),
    );
    expect(explorationLines(tools, { ...style, columns: 80 })[0]).toEndWith(` ${shown}`);
  });

  test("tell neighbours that read the same once", () => {
    const found: Display = { kind: "summary", text: "1 file", count: 1 };
    const glob = call("Glob", "*.md", { display: found });
    const tools = [glob, glob, glob, call("Read", "a.ts"), call("Read", "a.ts"), glob];
    expect(explorationLines(tools, { ...style, columns: 80 })).toEqual([
      "  find   *.md (1) ×3 · read a.ts ×2 · looked for *.md (1)",
    ]);
    expect(explorationLines(tools, style)).toEqual(["  find   *.md (1) ×3, +3 more"]);
  });
});

describe("the completions while a command is typed", () => {
  const commands = Array.from({ length: 20 }, (_, at) => ({ name: `/c${at}`, summary: "does it", argumentHint: "" }));
  const draw = (rows: number) => completionLines(commands, commands[0]!, { ...style, rows });

  test("says how many more there are", () => {
    expect(draw(9)).toEqual(["❯ /c0   does it", "  /c1   does it", "  /c2   does it                 +17 more"]);
  });

  test("tells the argument of the marked command only, so that moving the mark changes two rows", () => {
    const named = commands.map((command) => ({ ...command, argumentHint: "[name]" }));
    const [first, second] = [named[0], named[1]].map((chosen) =>
      chosen ? completionLines(named, chosen, { ...style, columns: 80, rows: 24 }) : [],
    );
    expect(first?.[0]).toBe("❯ /c0   does it · [name]");
    expect(first?.filter((line, at) => line !== second?.[at])).toHaveLength(2);
  });

  test("ends with a word; the selected command continues below with what is left, and its arguments", () => {
    const summary = "Start a new conversation; the old one stays saved (also /new)";
    const clear = { name: "/clear", summary, argumentHint: "[name]", aliases: ["new"] };
    const long = { name: "/model", summary: "Show which models there are, or change the model", argumentHint: "" };
    const drawn = completionLines([clear, long], clear, { ...style, columns: 40, rows: 24 });
    expect(drawn).toEqual([
      "❯ /clear  Start a new conversation …",
      "  /model  Show which models there are …",
      "    … the old one stays saved · [name]",
    ]);
    const typed = { ...clear, alias: "new" };
    expect(completionLines([typed], typed, { ...style, columns: 90, rows: 24 })).toEqual([
      "❯ /clear  /new: Start a new conversation; the old one stays saved · [name]",
    ]);
  });

  test("is a dozen at most", () => {
    expect(draw(50)).toHaveLength(12);
  });
});

test("the images of results are named below their calls, with the file of a read one", () => {
  const images = ["image 800×600 PNG, 120 KB"];
  expect(toolLines(call("mcp__shots__take", "", { images }), style).at(-1)).toEndWith(
    "         image 800×600 PNG, 120 KB",
  );
  const reads = [call("Read", "shots/a.png", { images }), call("Read", "notes.md")];
  expect(explorationLines(reads, { ...style, columns: 80 }).slice(1)).toEqual([
    "         shots/a.png 800×600 PNG, 120 KB",
  ]);
});

test("an agent that is done has its facts and the first lines of its answer without marks below it", () => {
  const body = { kind: "text", text: "The price was added twice.\n\nIn `add`.", isInResult: true } as const;
  const display = { kind: "summary", text: "completed · +12 −3", body } as const;
  expect(toolLines(call("Agent", "Explore: find it", { display }), { ...style, columns: 30 }).slice(1)).toEqual([
    "         completed · +12 −3",
    "         The price was added …",
    "         In add.",
  ]);
  // As older versions wrote it.
  const text = "completed · +12 −3\nThe price was added twice.";
  const old = call("Agent", "Explore: find it", { display: { kind: "summary", text } });
  expect(toolLines(old, { ...style, columns: 30 })).toHaveLength(3);
});

test("a folder that asks for nothing yet is said to, when its trust is asked about", () => {
  const question = trustQuestion({ root: "/home/robin/shop", reasons: [], items: [] });
  const { lines } = trustLines(question, emptyTrustState(question, 0), {
    theme: themeFor(0),
    columns: 80,
    rows: 24,
  });
  expect(lines.join("\n")).toContain("Nothing in this folder needs trust yet.");
  expect(lines.join("\n")).not.toContain("this takes effect:");
});

test("a window that holds little is not told to hold nothing", () => {
  const told = (usedTokens: number, warnTokens?: number) => {
    const context = { usedTokens, windowTokens: 1_000_000, ...(warnTokens !== undefined && { warnTokens }) };
    const engine = {
      mode: "default",
      model: "m",
      usage: NO_USAGE,
      costUsd: 0,
      usedTokens,
      windowTokens: 1_000_000,
    } as const;
    const view = {
      engine,
      transcript: { ...emptyTranscript, context },
      folder: "shop",
      branch: undefined,
      isBusy: false,
      isAsked: false,
    };
    return /ctx \S+( ▲)?/.exec(statusLine({ ...view, hint: undefined, nowMs: 0 }, themeFor(0), 80))?.[0];
  };
  expect([told(0), told(1), told(4_999), told(5_000), told(999_999)]).toEqual([
    undefined,
    "ctx <1%",
    "ctx <1%",
    "ctx 1%",
    "ctx 100%",
  ]);
  expect([told(799_999, 800_000), told(800_000, 800_000)]).toEqual(["ctx 80%", "ctx 80% ▲"]);
});

test("questions that the person closed are no refused call in their row", () => {
  const refusedBy = { kind: "person" } as const;
  expect(toolLines(call("AskUserQuestion", "Database", { isError: true, refusedBy }), style).slice(1)).toEqual([
    "         closed without an answer",
  ]);
});

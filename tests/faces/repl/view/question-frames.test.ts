import { describe, expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import type { Approvable } from "../../../../src/contracts/approval.ts";
import type { DiffHunk, Preview } from "../../../../src/contracts/display.ts";
import type { DialogBody } from "../../../../src/contracts/question.ts";
import type { ColorLevel } from "../../../../src/contracts/theme.ts";
import { editorWith } from "../../../../src/faces/repl/editor/editor-state.ts";
import { leaveAllHunks } from "../../../../src/faces/repl/layers/hunk-marks.ts";
import type { Asking } from "../../../../src/faces/repl/layers/open-question.ts";
import { approvalQuestion, trustQuestion } from "../../../../src/faces/repl/layers/start-questions.ts";
import { syncQuestion } from "../../../../src/faces/repl/layers/sync-question.ts";
import { trustLines } from "../../../../src/faces/repl/layers/trust-layer.ts";
import { emptyTrustState, type StartQuestion } from "../../../../src/faces/repl/layers/trust-state.ts";
import { emptyUi } from "../../../../src/faces/repl/layers/ui-state.ts";
import { MarkdownRenderer } from "../../../../src/faces/repl/markdown/markdown-renderer.ts";
import { questionBox } from "../../../../src/faces/repl/view/question-box.tsx";
import type { QuestionView } from "../../../../src/faces/repl/view/question-parts.ts";
import { QuestionPreview } from "../../../../src/faces/repl/view/question-preview.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { isDeep, seededTest, testOrDeep } from "../../../support/deep.ts";
import { dialogOf, type QuestionParts, questionOf } from "../../../support/question.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const markdown = new MarkdownRenderer();
await markdown.warm();

const QUESTION: QuestionParts = {
  id: "q",
  agentId: "main",
  parentAgentId: null,
  kind: "permission",
  toolUseId: "q",
  toolName: "Bash",
  title: "Run this command?",
  preview: { kind: "command", command: "rm -rf dist && npm publish --tag next", description: "", unclear: [] },
  reason: "No rule allows it.",
  hazards: [],
  suggestions: [],
  sessionRules: [],
};

/** Ten lines each, with one removed and one added. */
const hunk = (start: number): DiffHunk => ({
  oldStart: start,
  newStart: start,
  lines: Array.from({ length: 10 }, (_, at) => ({
    kind: at === 4 ? "removed" : at === 5 ? "added" : "same",
    text: `line ${start + at}`,
  })),
});
const HUNKS = [hunk(1), hunk(101), hunk(201)];

const askingFor = (question: QuestionParts, changes: Partial<Asking> = {}): Asking => {
  const asking = dialogOf(syncQuestion(emptyUi, [questionOf({ ...QUESTION, ...question })], 0));
  return { ...asking!, ...changes };
};

type Drawing = { columns?: number; maxRows?: number; level?: ColorLevel } & Partial<Omit<QuestionView, "asking">>;

function draw(asking: Asking, { columns = 80, maxRows = 22, level = 0, count = 1, canEdit = true }: Drawing = {}) {
  const style = {
    theme: themeFor(level),
    columns,
    rows: maxRows + 2,
    maxRows,
    markdown,
    questions: new QuestionPreview(),
  };
  return questionBox({ asking, count, canEdit }, style);
}

const textOf = (asking: Asking, drawing: Drawing = {}) => draw(asking, drawing).lines.join("\n");

/** Everything that scrolling through a question shows. */
function seenOf(asking: Asking, drawing: Drawing = {}): string {
  const seen: string[] = [];
  for (let scroll = 0, isLast = false; !isLast; ) {
    const { lines, preview } = draw({ ...asking, scroll }, drawing);
    seen.push(...lines);
    isLast = scroll >= preview.maxScroll;
    scroll = Math.min(preview.maxScroll, scroll + Math.max(1, preview.rows - 1));
  }
  return seen.join("\n");
}

const RULES = ["Bash(npm publish --tag next)", "Bash(rm -rf dist)"];
const CONFINABLE = {
  preview: { kind: "command", command: "npm test", description: "Run the tests", unclear: [] },
  reason: "No rule allows it.",
  hazards: [],
  suggestions: ["Bash(npm test *)"],
  sessionRules: ["Bash(npm test *)", "Bash(npm run lint *)"],
  confinement: "in the weaker sandbox (landlock)",
  consent:
    "Commands may change and delete files in ~/shop and temporary files, read everything but stored credentials such as ~/.ssh (.env files of projects can be read), and reach no host. This sandbox is weaker (landlock: bubblewrap (bwrap) is not installed).",
} as const;
const scenes: Readonly<Record<string, Asking>> = {
  "a script with unknown parts, outside the sandbox": askingFor({
    preview: {
      kind: "command",
      command: 'cd src\neval "$INSTALL" --yes && cp $(cat list) dist/\nrm\u200b -rf \u202e/tmp',
      description: "Install it",
      unclear: ['eval "$INSTALL"', "$(cat list)", "it runs what a variable holds"],
    },
    hazards: ["deletes files: /tmp (copies are kept)"],
    confinement: "outside the sandbox",
    isOutside: true,
    reason: "No rule allows it.",
  }),
  "rules that differ": askingFor({
    suggestions: ["Bash(npm publish *)"],
    sessionRules: RULES,
    confinement: "in the sandbox",
  }),
  "the same rules for the session and for always": askingFor({ suggestions: RULES, sessionRules: RULES }),
  "no rules at all": askingFor({}),
  "a command that could run confined": askingFor(CONFINABLE),
  "a command that could run confined, and for how long": askingFor(CONFINABLE, { isChoosingTerm: true }),
  "a change in three parts": askingFor(
    {
      title: "Change this file?",
      preview: { kind: "diff", path: "src/店/カート 🛒.ts", isNew: false, hunks: HUNKS },
      reason: "No rule allows it.",
      suggestions: ["Edit(/src/店/**)"],
      sessionRules: ["Edit(/src/店/カート 🛒.ts)"],
    },
    { marks: { count: 3, at: 1, left: new Set([0]) }, scroll: 12 },
  ),
  "a change of which nothing is taken": askingFor(
    { title: "Change this file?", preview: { kind: "diff", path: "a.ts", isNew: false, hunks: HUNKS } },
    { marks: leaveAllHunks({ count: 3, at: 0, left: new Set() }) },
  ),
  "a plan": askingFor({
    kind: "plan",
    title: "Carry out this plan?",
    preview: {
      kind: "text",
      text: "# Wait for the cart\n\nThe test waits **200 ms**.\n\n1. Add `settled()`\n2. Use it\n\n<!-- not hidden -->\n\n[link](https://example.com/x)",
      file: "/s/plan.md",
    },
    reason: "In plan mode nothing is changed before your yes.",
    sessionRules: ["Bash(npm test *)", "Bash(npm run build *)"],
  }),
  "a plan whose editor failed": askingFor(
    { kind: "plan", title: "Carry out this plan?", preview: { kind: "text", text: "# p", file: "/s/plan.md" } },
    { edited: "# Mine", problem: "There is no editor: set VISUAL or EDITOR." },
  ),
  "a credential": askingFor({
    kind: "credential",
    title: "Give GH_TOKEN to gh?",
    preview: { kind: "text", text: "gh can use GH_TOKEN from your environment." },
    reason: "Variables that look like credentials are kept from commands.",
    suggestions: ["env.pass: GH_TOKEN"],
    sessionRules: ["env.pass: GH_TOKEN"],
  }),
};

const expectSound = (lines: readonly string[], columns: number) => {
  expect(lines.filter((line) => textWidth(line) > columns)).toEqual([]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no control may come out.
  expect(lines.join("")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e\u200b]/);
};

const DANGERS = {
  reason: "No rule allows it. No backup is possible: a published version can't be withdrawn.",
  hazards: ["deletes files: dist", "publishes a package", "overwrites remote history"],
  risks: [
    { command: "rm -rf dist", risks: ["deletes files: dist"] },
    { command: "npm publish --tag next", risks: ["publishes a package", "overwrites remote history"] },
  ],
  confinement: "outside the sandbox",
  isOutside: true,
};

describe("a dangerous command", () => {
  test("has one row for each part with its danger beside it, and tells each fact once", () => {
    const { lines } = draw(askingFor(DANGERS));
    const rows = lines.filter((line) => line.includes("▲")).map((line) => line.replace(/^│ | *│$/g, ""));
    expect(rows).toEqual([
      "▲ rm -rf dist             deletes files: dist",
      "▲ npm publish --tag next  publishes a package, overwrites remote history",
      "▲ Outside the sandbox. No rule allows it. No backup is possible: a published",
    ]);
    for (const fact of ["deletes files", "publishes a package", "No backup", "No rule allows"]) {
      expect(lines.join("\n").split(fact)).toHaveLength(2);
    }
  });

  test("keeps its rows in a narrow window", () => {
    const rows = draw(askingFor(DANGERS), { columns: 40 }).lines;
    expect(rows.filter((line) => line.startsWith("│ ▲ rm -rf dist"))).toHaveLength(1);
  });
});

describe("a dangerous command in a low window", () => {
  const FIVE = [
    "deletes files: dist",
    "publishes a package",
    "overwrites remote history",
    "runs a download",
    "ends tasks",
  ];

  test("says that it runs outside the sandbox, in each window in which it takes a yes", () => {
    for (const columns of [40, 100]) {
      for (let maxRows = 6; maxRows <= 24; maxRows += 1) {
        const asking = askingFor({ ...DANGERS, suggestions: ["Bash(npm test *)"], sessionRules: ["Bash(npm test *)"] });
        const { lines, preview } = draw(asking, { columns, maxRows });
        if (preview.isReadable) expect(lines.join("\n")).toContain("▲ Outside the sandbox");
      }
    }
  });

  test("shows its dangers rather than the rules of the answers twice", () => {
    const rules = ["WebFetch(domain:docs.example)"];
    const preview = { kind: "text", text: "https://docs.example/x" } as const;
    const asking = askingFor({ preview, hazards: FIVE, suggestions: rules, sessionRules: rules });
    const shown = textOf(asking, { maxRows: 12 });
    for (const danger of FIVE) expect(shown).toContain(danger);
  });

  test("or a plan without a text keeps to its room where the rest is repeated below", () => {
    const preview = { kind: "text", text: "" } as const;
    const asking = askingFor({ kind: "plan", preview, hazards: FIVE, reason: "Why ".repeat(99), sessionRules: RULES });
    for (let maxRows = 6; maxRows <= 24; maxRows += 1) {
      const { lines, preview: view } = draw(asking, { columns: 60, maxRows });
      if (view.isReadable) expect(lines.length).toBeLessThanOrEqual(maxRows);
    }
  });

  test("is shown completely with brief answers rather than cut below long ones", () => {
    const command = "x".repeat(300);
    const preview = { kind: "command", command, description: "d".repeat(200), unclear: [command] } as const;
    const asking = askingFor({
      ...DANGERS,
      preview,
      suggestions: RULES,
      sessionRules: [...RULES, "Bash(npm run lint *)"],
    });
    const { lines, preview: view } = draw(asking, { maxRows: 22 });
    expect(view.isSeen).toBe(true);
    for (const text of ["not understood: the whole command", "allow `npm publish", "5 No"]) {
      expect(lines.join("\n")).toContain(text);
    }
  });

  test("is shown completely where only the details don't fit, and with them where they are asked for", () => {
    const command = "x".repeat(300);
    const asking = askingFor({
      ...DANGERS,
      preview: { kind: "command", command, description: "Do it", unclear: [command] },
      suggestions: RULES,
      sessionRules: [...RULES, "Bash(npm run lint *)"],
    });
    const heights = Array.from({ length: 20 }, (_, at) => 30 - at);
    const maxRows = heights.find((rows) => !textOf(asking, { maxRows: rows }).includes("adds")) ?? 0;
    const { lines, preview } = draw(asking, { maxRows });
    expect(preview.isSeen).toBe(true);
    expect(lines.join("\n")).toContain("not understood: the whole command");
    expect(textOf({ ...asking, isExplained: true }, { maxRows })).toContain("adds");
  });
});

test("a title that is too long for the edge goes on below it, and the parts of a change are found below that", () => {
  const title = "Let the extension tidy run format_everything_in_this_folder?";
  const preview = { kind: "diff", path: "a.ts", isNew: false, hunks: HUNKS } as const;
  const wide = draw(askingFor({ title, preview }), { columns: 80, maxRows: 60 });
  const { lines, preview: shown } = draw(askingFor({ title, preview }), { columns: 40, maxRows: 60 });
  expect(
    lines
      .slice(0, 2)
      .join(" ")
      .replace(/[─│╭╮ ]+/g, " ")
      .trim(),
  ).toBe(title);
  expect(wide.lines.join("\n").split(title).length).toBe(2);
  expect(shown.anchors).toEqual(wide.preview.anchors.map((at) => at + 1));
});

describe("a change in a small window", () => {
  const edit = (hunks: readonly DiffHunk[]) =>
    askingFor({ preview: { kind: "diff", path: "src/cart.ts", isNew: false, hunks }, sessionRules: ["Edit(/**)"] });

  test("shows something of the change at 40×15, and the file in its title", () => {
    for (const hunks of [[hunk(1)], HUNKS]) {
      for (const maxRows of [13, 12, 11, 10]) {
        const { lines, preview } = draw(edit(hunks), { columns: 40, maxRows, count: 1 });
        expect(preview.isReadable).toBe(true);
        expect(lines.filter((line) => /^│ *\d+ [−+]/.test(line)).length).toBeGreaterThan(0);
        expect(lines.slice(0, 2).join("")).toContain("src");
      }
    }
  });

  test("keeps the end of a path in the title that stands for its scrolled row", () => {
    const asking = { ...edit(HUNKS), scroll: 12 };
    const [first = ""] = draw(asking, { columns: 40, maxRows: 13, count: 2 }).lines;
    expect(first).toMatch(/src\/.*cart\.ts/);
    const long = { kind: "diff", path: `src/${"deep/".repeat(20)}cart.ts`, isNew: false, hunks: HUNKS } as const;
    const cut = draw(askingFor({ preview: long }, { scroll: 12 }), { columns: 40, maxRows: 13, count: 2 });
    expect(cut.lines[0]).toMatch(/src\/.*….*cart\.ts/);
  });

  test("shows both the old and the new line of a change that fits, below its context", () => {
    const { lines } = draw(edit([hunk(5), hunk(60)]), { columns: 80, maxRows: 13, count: 1 });
    const signs = lines.flatMap((line) => /^│ *\d+ ([−+])/.exec(line)?.[1] ?? []);
    expect(signs.slice(0, 2)).toEqual(["−", "+"]);
  });
});

describe("the answer that Enter chooses", () => {
  const long = askingFor({
    preview: { kind: "command", command: "echo line\n".repeat(60), description: "", unclear: [] },
    hazards: [],
  });

  test("is no yes to a command of which a part is out of sight, until its end was seen or the person moved there", () => {
    const top = draw(long);
    expect([top.preview.isSeen, top.lines.join("\n").includes("❯ 1 Yes")]).toEqual([false, false]);
    expect(top.lines.join("\n")).toMatch(/❯ \d No/);
    const end = draw({ ...long, scroll: top.preview.maxScroll });
    expect([end.preview.isSeen, end.lines.join("\n").includes("❯ 1 Yes")]).toEqual([true, true]);
    expect(draw({ ...long, isMoved: true }).lines.join("\n")).toContain("❯ 1 Yes");
  });
});

test("rules about editing and the web are shown in plain words, other rules as they are written", () => {
  const told = (rule: string) => textOf(askingFor({ suggestions: [], sessionRules: [rule] }), { columns: 120 });
  expect(told("Edit(/**)")).toContain("again for all edits of this project in this session");
  expect(told("Edit(/src/**)")).toContain("again for edits in src/ in");
  expect(told("Edit(/src/a.ts)")).toContain("again for edits of src/a.ts in");
  expect(told("WebFetch(documentation)")).toContain("again for pages of known documentation sites in");
  expect(told("WebFetch(domain:docs.example.com)")).toContain("again for pages of docs.example.com in");
  expect(told("WebSearch")).toContain("again for all web searches in");
  expect(told("Edit(//etc/**)")).toContain("again for edits in /etc/ in");
  for (const rule of ["Edit(/src/*.ts)", "Bash(npm * test)", "WebFetch(domain:*.example.com)"])
    expect(told(rule)).toContain(rule);
});

describe.each(Object.entries(scenes))("%s", (_, asking) => {
  test.each([40, 80, 120])("at %d columns", (columns) => {
    const { lines } = draw(asking, { columns, count: 3 });
    expect(lines.join("\n")).toMatchSnapshot();
    expectSound(lines, columns);
  });
});

describe("content that doesn't fit the screen", () => {
  const LONG = Array.from({ length: 60 }, (_, at) => `echo step ${at}`).join("\n");

  test.each([
    [80, 22],
    [40, 22],
    [120, 38],
    [80, 10],
  ])("is all there by scrolling: commands at %dx%d", (columns, maxRows) => {
    const asking = askingFor({
      preview: { kind: "command", command: LONG, description: "", unclear: [] },
      hazards: ["x"],
    });
    const seen = seenOf(asking, { columns, maxRows });
    for (let at = 0; at < 60; at += 1) expect(seen).toMatch(new RegExp(`echo step ${at}\\b`));
  });

  test("is said, with how much is left below", () => {
    const asking = askingFor({ preview: { kind: "command", command: LONG, description: "", unclear: [] } });
    expect(textOf(asking)).toContain("… lines 1–16 of 60 · 44 below · PgDn PgUp");
    expect(textOf({ ...asking, scroll: 44 })).toContain("… lines 45–60 of 60 · PgDn PgUp");
    expect(textOf({ ...asking, scroll: 999 })).toContain("echo step 59");
  });

  test("nothing around it stays cut: dangers, reason and rules stand whole below the command", () => {
    const words = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`);
    const asking = askingFor({
      hazards: words("danger", 30),
      reason: words("because", 100).join(" "),
      suggestions: words("RuleA", 60),
      sessionRules: words("RuleB", 60),
    });
    for (const drawing of [{}, { columns: 40 }, { maxRows: 12 }]) {
      const seen = seenOf(asking, drawing);
      const all = [words("danger", 30), words("because", 100), words("RuleA", 60), words("RuleB", 60)].flat();
      expect({ drawing, missing: all.filter((word) => !seen.includes(word)) }).toEqual({ drawing, missing: [] });
    }
    expect(textOf(asking)).toContain("▲ … 30 dangers in all: PgDn");
    expect(textOf(asking)).toContain("▲ what is allowed is listed above: PgDn");
  });

  test("every hunk can be gone to, and the note names the one whose head is out of sight", () => {
    const marks = { count: 3, at: 1, left: new Set([1]) };
    const asking = askingFor(
      { preview: { kind: "diff", path: "a", isNew: false, hunks: HUNKS } },
      { marks, scroll: 17 },
    );
    const { preview, lines } = draw(asking, { maxRows: 14 });
    expect(preview.anchors).toEqual([1, 12, 23]);
    expect(lines.join("\n")).toContain("☐ 2 of 3");
    expect(seenOf({ ...asking, scroll: 0 }, { maxRows: 14 })).toContain("▎ ☐ 2 of 3 · line 105 · +1 −1 · left out");
    // The part that keys take or leave has a sign of its own beside the answer that Enter gives.
    expect(seenOf(asking, { maxRows: 40 }).match(/❯/g)).toHaveLength(1);
  });
});

describe("a window that is small", () => {
  testOrDeep(!isDeep)("shows the question in less, and says when it can't", () => {
    for (const asking of Object.values(scenes)) {
      for (let maxRows = 1; maxRows <= 30; maxRows += isDeep ? 1 : 3) {
        for (const columns of [20, 30, 80]) {
          const { lines, preview } = draw(asking, { columns, maxRows, count: 2 });
          if (preview.isReadable) expect(lines.length).toBeLessThanOrEqual(maxRows);
          else expect(lines.join(" ")).toContain("This");
          expectSound(lines, columns);
        }
      }
    }
  });

  test("of 80x12 is enough for each of them", () => {
    for (const [name, asking] of Object.entries(scenes)) {
      expect({ name, ...draw(asking, { maxRows: 10 }).preview }).toMatchObject({ name, isReadable: true });
    }
  });
});

describe("the box", () => {
  test("tells an edit's hidden characters, in its lines and in its path", () => {
    const hidden: DiffHunk = {
      oldStart: 1,
      newStart: 1,
      lines: [{ kind: "added", text: "if (x\u200b) \u202e\u001b[8m" }],
    };
    const asking = askingFor({
      preview: { kind: "diff", path: "src/a\u202e\u001b[2mts.b", isNew: true, hunks: [hidden] },
    });
    const drawn = textOf(asking);
    expect(drawn).toContain("src/a⟨U+202E⟩␛[2mts.b (new file)");
    expect(drawn).toContain("+ if (x⟨U+200B⟩) ⟨U+202E⟩␛[8m");
  });

  test("tells a rule's and a danger's hidden characters", () => {
    const drawn = textOf(askingFor({ hazards: ["deletes a\u200bb"], suggestions: ["Bash(a\u200b)"] }));
    expect(drawn).toContain("▲ deletes a⟨U+200B⟩b");
    expect(drawn).toContain("2 Yes, always for `a⟨U+200B⟩`");
  });

  test("says the same with colours and without, but for the marks below unknown parts", () => {
    for (const [name, asking] of Object.entries(scenes)) {
      // Markdown has marks of its own for code where there are no colours.
      if (name === "a plan") continue;
      const colored = draw(asking, { level: 3, maxRows: 60 }).lines.map(stripAnsi);
      const plain = draw(asking, { level: 0, maxRows: 60 }).lines.filter((line) => !/^│ +▲[▲ ]*│$/.test(line));
      expect({ name, lines: colored }).toEqual({ name, lines: [...plain] });
    }
  });

  test("keeps a long no in sight as it is typed", () => {
    const why = editorWith("word ".repeat(200));
    const { lines, cursor } = draw(askingFor({}, { why }));
    expect(lines.join("\n")).toContain("enter sends it · esc goes back");
    expect(lines.join("\n")).toContain("rows above");
    expect(cursor!.y).toBeLessThan(lines.length - 2);
  });

  test("says in place of the keys why the typed words are no answer", () => {
    const why = editorWith("/agents");
    const says = textOf(askingFor({}, { why, problem: "Commands wait." }));
    expect(says).toContain("Commands wait.");
    expect(says.split("\n")).toHaveLength(textOf(askingFor({}, { why })).split("\n").length);
  });

  test("shows the reason that escape keeps, and no text of a form", () => {
    const keptWhy = editorWith("use bun\nhere");
    expect(textOf(askingFor({}, { keptWhy }))).toMatch(/kept for a no: use bun.*here/);
    expect(textOf(askingFor({}, { keptWhy: undefined }))).not.toContain("kept");
    expect(textOf(askingFor({ kind: "form", choices: [] }, { keptWhy }))).not.toContain("use bun");
  });

  test("shows a plan as plain text until what draws it is loaded, then as it should be", async () => {
    const cold = new MarkdownRenderer();
    const questions = new QuestionPreview();
    const style = { theme: themeFor(0), columns: 76, markdown: cold };
    const asking = askingFor({ kind: "plan", preview: { kind: "text", text: "# Title" } });
    expect(questions.draw(asking, style).lines).toEqual(["# Title"]);
    await cold.load(questions.waiting!);
    expect(questions.draw(asking, style).lines).toEqual(["Title"]);
    expect(questions.waiting).toBeUndefined();
  });

  test("draws a preview once as long as nothing about it changes", async () => {
    await markdown.load({ kind: "diff", path: "cart.ts" });
    const questions = new QuestionPreview();
    const style = { theme: themeFor(0), columns: 76, markdown };
    const asking = scenes["a change in three parts"]!;
    const first = questions.draw(asking, style);
    expect(questions.draw({ ...asking, scroll: 3, choice: "4" }, { ...style })).toBe(questions.draw(asking, style));
    expect(questions.draw(asking, { ...style, columns: 40 })).not.toBe(first);
    expect(questions.draw({ ...asking, marks: { ...asking.marks!, at: 2 } }, style)).not.toEqual(first);
  });

  seededTest(
    "is never wider or taller than it may be, whatever it holds",
    { seed: 1, cases: { quick: 10, deep: 1_000 } },
    (first, cases) => {
      const pieces = [
        "wörd ",
        "漢字",
        "👨‍👩‍👧‍👦",
        "\u202e",
        "\n",
        "a-very-long-word-without-any-break-in-it",
        "`x` ",
        "\u001b[2J",
        "\t",
      ];
      for (let seed = first; seed < first + cases; seed += 1) {
        const random = seededRandom(seed);
        const some = () => Array.from({ length: random.below(40) }, () => random.pick(pieces)).join("");
        const many = (max: number) => Array.from({ length: random.below(max) }, some);
        const part: DiffHunk = {
          oldStart: 9,
          newStart: 9,
          lines: many(9).map((text) => ({ kind: random.pick(["same", "added", "removed"]), text })),
        };
        const preview = random.pick<Preview>([
          { kind: "command", command: some(), description: some(), unclear: many(4) },
          { kind: "diff", path: some(), isNew: random.chance(0.5), hunks: [part, part].slice(random.below(2)) },
          { kind: "text", text: some(), file: some() },
        ]);
        const kind = random.pick<DialogBody["kind"]>(["permission", "plan", "credential"]);
        const asking = askingFor(
          {
            kind,
            preview,
            title: some(),
            reason: some(),
            hazards: many(9),
            suggestions: many(6),
            sessionRules: many(6),
            confinement: some(),
          },
          {
            scroll: random.below(30),
            why: random.chance(0.2) ? editorWith("wörd 漢字 ".repeat(random.below(90))) : undefined,
          },
        );
        const [columns, maxRows] = [20 + random.below(120), 3 + random.below(40)];
        const { lines, preview: shown } = draw(asking, { columns, maxRows, count: random.below(4) });
        if (shown.isReadable) expect({ seed, tall: lines.length > maxRows }).toEqual({ seed, tall: false });
        expectSound(lines, columns);
      }
    },
  );
});

describe("the question of trust", () => {
  const REASONS = ["allows Bash(npm test *) without asking (.quoll/settings.json:4)", "runs the hook a\u202eb.sh"];
  const ITEMS: readonly Approvable[] = [{ kind: "hook", name: "b", content: "b", lines: [] }];
  const trust = (reasons: readonly string[], columns = 80, rows = 24, scroll = 0) =>
    frameOf(trustQuestion({ root: "/home/robin/店/shop", reasons, items: [] }), columns, rows, scroll);
  const frameOf = (question: StartQuestion<string>, columns: number, rows: number, scroll: number) =>
    trustLines(question, { ...emptyTrustState(question, 0), scroll }, { theme: themeFor(0), columns, rows });

  test.each([40, 80, 120])("of new content at %d columns", (columns) => {
    const question = approvalQuestion({
      root: "/home/robin/shop",
      reasons: REASONS,
      items: ITEMS,
      hasChangedHook: false,
    });
    const { lines } = frameOf(question, columns, 24, 0);
    expect(lines.join("\n")).toMatchSnapshot();
    expectSound(lines, columns);
  });

  test.each([40, 80, 120])("at %d columns", (columns) => {
    const { lines } = trust(REASONS, columns);
    expect(lines.join("\n")).toMatchSnapshot();
    expectSound(lines, columns);
  });

  test("lets nothing in a folder's name or in a reason drive the terminal or hide", () => {
    const request = trustQuestion({
      root: "/home/a\u202e\u001b[2Jb",
      items: [],
      reasons: ["runs \u200bx\u001b]0;y\u0007\nin two lines"],
    });
    const { lines } = trustLines(request, emptyTrustState(request, 0), { theme: themeFor(0), columns: 80, rows: 24 });
    expect(lines.join("\n")).toContain("/home/a⟨U+202E⟩␛[2Jb");
    expect(lines.join("\n")).toContain("runs ⟨U+200B⟩x␛]0;y␇⏎in two lines");
    expectSound(lines, 80);
  });

  testOrDeep(!isDeep)("fits each window, with all reasons by scrolling, or says that it doesn't", () => {
    const reasons = Array.from({ length: 15 }, (_, at) => `reason <${at}> ${"of many words ".repeat(4)}`);
    for (const columns of [20, 40, 80]) {
      for (let rows = 2; rows <= 40; rows += isDeep ? 1 : 3) {
        const seen: string[] = [];
        let scroll = 0;
        for (let page = 0; page < 300; page += 1) {
          const { lines, preview } = trust(reasons, columns, rows, scroll);
          expect({ columns, rows, tall: lines.length > Math.max(3, rows - 1) }).toEqual({ columns, rows, tall: false });
          expectSound(lines, columns);
          seen.push(...lines);
          if (!preview.isReadable || scroll >= preview.maxScroll) break;
          scroll = Math.min(preview.maxScroll, scroll + Math.max(1, preview.rows - 1));
        }
        if (trust(reasons, columns, rows).preview.isReadable) {
          const all = seen.join("\n");
          expect([...reasons.keys()].filter((at) => !all.includes(`<${at}>`))).toEqual([]);
        } else expect(seen.join(" ")).toContain("This");
      }
    }
  });
});

test("the hint of a change in parts says that enter applies only where the mark stands on a yes", () => {
  const changed = {
    title: "Change this file?",
    preview: { kind: "diff", path: "a.ts", isNew: false, hunks: HUNKS },
  } as const;
  expect(textOf(askingFor(changed, { choice: "1" }))).toContain("enter applies");
  for (const choice of ["2", "3"]) expect(textOf(askingFor(changed, { choice }))).toContain("enter answers");
});

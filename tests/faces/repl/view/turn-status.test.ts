import { expect, test } from "bun:test";
import { stripVTControlCharacters } from "node:util";
import { formatUsd } from "@quoll/terminal-text/format-amount";
import { textWidth } from "@quoll/terminal-text/text-width";
import type { EngineEvent } from "../../../../src/contracts/event.ts";
import { NO_USAGE } from "../../../../src/contracts/message.ts";
import { PERMISSION_MODES } from "../../../../src/contracts/permission-mode.ts";
import { shortModel } from "../../../../src/faces/repl/view/shown-facts.ts";
import { type StatusView, statusLine } from "../../../../src/faces/repl/view/status-line.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { reduce } from "../../../../src/protocol/transcript/reduce.ts";
import { emptyTranscript } from "../../../../src/protocol/transcript/transcript.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const MESSAGE = { role: "user", id: "u", content: [{ type: "text", text: "go" }] } as const;
const STARTED: EngineEvent = { type: "turn_started", message: MESSAGE, prompt: "go" };

/** The status line after these events of a turn. */
function after(...events: readonly EngineEvent[]): string {
  return at(0, ...events);
}

/** The status line at a time, over which these events of a turn are spread. */
function at(nowMs: number, ...events: readonly EngineEvent[]): string {
  const transcript = [STARTED, ...events].reduce(
    (state, event, n) => reduce(state, event, (n * nowMs) / Math.max(1, events.length)),
    emptyTranscript,
  );
  const engine = {
    mode: "default",
    model: "m",
    usage: NO_USAGE,
    costUsd: 0,
    usedTokens: 0,
    windowTokens: 200_000,
  } as const;
  const place = { folder: "shop", branch: undefined, isBusy: true, isAsked: false, hint: undefined, nowMs };
  return stripVTControlCharacters(statusLine({ engine, transcript, ...place }, themeFor(0), 100));
}

test("a compaction is named, and how much of its summary is written", () => {
  const begun: EngineEvent = { type: "compaction_started", why: "full", usedTokens: 160_000 };
  const written = (writtenTokens: number): EngineEvent => ({ type: "compaction_progress", writtenTokens });
  expect(after(begun)).toContain("compacting the conversation ·");
  expect(after(begun, written(300))).toContain("300 tokens of the summary");
  expect(after(begun, written(300), written(1_200))).toContain("1.2k tokens of the summary");
});

test("a hook that takes a while is named by its line until it ends", () => {
  const text = "Checking the \u001b[31mtypes";
  const call = { type: "tool_use", id: "t", name: "Bash", input: { command: "make" } } as const;
  const started: EngineEvent = { type: "tool_started", use: call, title: "make", level: "execute" };
  expect(after(started, { type: "hook_status", text })).toMatch(/^\S Checking the types · 0.* · esc to interrupt/);
  expect(after(started, { type: "hook_status", text }, { type: "hook_status" })).toContain("make");
});

test("a turn with a budget shows what of it is spent", () => {
  expect(after({ type: "budget_changed", spentTokens: 120_000, totalTokens: 500_000 })).toContain("120k of +500k");
  expect(after()).not.toContain("of +");
});

test("a turn shows what the model has written: estimated while it writes, exact once an answer has ended", () => {
  const write = (text: string): EngineEvent => ({ type: "text_delta", text });
  // Each event has a second of its own, and the next second is shown.
  const after = (...events: readonly EngineEvent[]) =>
    at((events.length + 1) * 1_000, ...events, { type: "hook_status" });
  const usage = { ...NO_USAGE, inputTokens: 9_000, outputTokens: 1_180 };
  const message = { role: "assistant", id: "a", model: "m", content: [], usage, stopReason: "tool_use" } as const;
  const answer: EngineEvent = { type: "assistant_message", message };
  expect(after()).not.toContain("tok");
  expect(after(write("x".repeat(399)))).toContain(" · ↓100 tok · esc to interrupt");
  const input: EngineEvent = { type: "tool_input_delta", toolUseId: "t", toolName: "Write", json: "y".repeat(400) };
  expect(after(write("x".repeat(400)), input)).toContain("↓200 tok");
  expect(after(write("x".repeat(400)), answer)).toContain("↓1.2k tok");
  expect(after(write("x".repeat(400)), { type: "restarted", reason: "gone" })).not.toContain("tok");
  expect(after(write("xxxx"), { type: "budget_changed", spentTokens: 1, totalTokens: 9 })).not.toContain("tok");
});

test("while text streams, its count changes with the clock, once a second, and the spinner stands still", () => {
  const write: EngineEvent = { type: "text_delta", text: "x".repeat(40) };
  const think: EngineEvent = { type: "thinking_delta", text: "x".repeat(40) };
  const lines = (event: EngineEvent) =>
    Array.from({ length: 41 }, (_, n) => at(n * 100, ...Array.from({ length: n }, () => event)));
  expect(new Set(lines(write).slice(1)).size).toBe(5);
  expect(
    new Set(
      lines(write)
        .slice(1)
        .map(([spinner]) => spinner),
    ).size,
  ).toBe(1);
  expect(lines(write).at(-1)).toMatch(/writing · 4s · ↓3\d\d tok/);
  // Nothing else moves while the model thinks.
  expect(new Set(lines(think).map(([spinner]) => spinner)).size).toBe(4);
  expect(new Set(lines(think).slice(1)).size).toBeGreaterThan(12);
});

test("the written tokens give way to the facts on the right, and are back where those don't fit either", () => {
  const context: EngineEvent = { type: "context_changed", usedTokens: 22_000, windowTokens: 200_000 };
  const events = [STARTED, context, { type: "text_delta", text: "x".repeat(400) }] as const;
  const transcript = events.reduce((state, event) => reduce(state, event, 0), emptyTranscript);
  const engine = { mode: "default", model: "m", usage: NO_USAGE, costUsd: 0, usedTokens: 0, windowTokens: 1 } as const;
  const place = { folder: "shop", branch: undefined, isBusy: true, isAsked: false, hint: undefined, nowMs: 0 };
  const at = (columns: number) =>
    stripVTControlCharacters(statusLine({ engine, transcript, ...place }, themeFor(0), columns));
  expect(at(64)).toMatch(/writing · 0s · ↓100 tok · esc to interrupt +default · ctx 11%$/);
  expect(at(55)).toMatch(/writing · 0s · esc to interrupt +default · ctx 11%$/);
  expect(at(48)).toMatch(/writing · 0s · ↓100 tok · esc to interrupt *$/);
});

test("at rest an unknown cost gives way to the text of an extension, then the folder, and the branch stays", () => {
  const engine = {
    mode: "default",
    model: "m",
    usage: { ...NO_USAGE, outputTokens: 1 },
    costUsd: undefined,
    usedTokens: 22_000,
    windowTokens: 200_000,
  } as const;
  const rest = { folder: "shop", branch: "main", isBusy: false, isAsked: false, hint: undefined, nowMs: 0 };
  const view = { engine, transcript: emptyTranscript, texts: ["3 tests failed"], ...rest };
  const at = (columns: number) => stripVTControlCharacters(statusLine(view, themeFor(0), columns)).trim();
  expect(at(80)).toStartWith("default · m · shop main · ctx 11% · cost unknown · 3 tests failed");
  expect(at(78)).toStartWith("default · m · shop main · ctx 11% · 3 tests failed  ");
  expect(at(60)).toStartWith("default · m · main · ctx 11% · 3 tests failed  ");
  expect(at(78)).toEndWith("? for keys");
});

test("beside lines of the person's own, the line keeps the mode, what confines, and a window that is nearly full", () => {
  const engine = { mode: "default", model: "m", usage: NO_USAGE, costUsd: 0, usedTokens: 9, windowTokens: 10 } as const;
  const rest = { folder: "shop", branch: "main", isBusy: false, isAsked: false, hint: undefined, nowMs: 0 };
  const view = {
    engine,
    transcript: emptyTranscript,
    ...rest,
    sandbox: "sandbox",
    ownLines: ["own"],
    texts: ["3 left"],
  };
  const full = { ...emptyTranscript, context: { usedTokens: 9, windowTokens: 10, warnTokens: 8 } };
  const at = (more: object) => stripVTControlCharacters(statusLine({ ...view, ...more }, themeFor(0), 80)).trim();
  expect(at({})).toStartWith("default · sandbox · 3 left  ");
  expect(at({ transcript: full })).toStartWith("default · sandbox · ctx 90% ▲ · 3 left  ");
  expect(at({ ownLines: [] })).toStartWith("default · sandbox · m · shop main · ctx 90% · 3 left  ");
});

test("the mode of the vim keys leads the line, and the folder gives way to it", () => {
  const engine = { mode: "default", model: "m", usage: NO_USAGE, costUsd: 0, usedTokens: 0, windowTokens: 1 } as const;
  const rest = { folder: "a-folder-with-a-name", branch: "main", isAsked: false, hint: undefined, nowMs: 0 };
  const view = { engine, transcript: emptyTranscript, isBusy: false, ...rest, vim: "visualLine" } as const;
  const at = (columns: number) => stripVTControlCharacters(statusLine(view, themeFor(0), columns)).trim();
  expect(at(80)).toStartWith("V-LINE · default · m · a-folder-with-a-name main  ");
  expect(at(60)).toStartWith("V-LINE · default · m · a-folder-with-a-n… main  ");
  expect(at(40)).toStartWith("V-LINE · default · m  ");
  const busy = statusLine({ ...view, isBusy: true, isTyping: true }, themeFor(0), 100);
  expect(stripVTControlCharacters(busy)).toMatch(/ V-LINE · enter sends/);
});

test("a narrow terminal keeps the key that ends an operation, and cuts the name of the operation", () => {
  const engine = { mode: "default", model: "m", usage: NO_USAGE, costUsd: 0, usedTokens: 0, windowTokens: 1 } as const;
  const place = { folder: "shop", branch: undefined, isBusy: true, isAsked: false, hint: undefined, nowMs: 0 };
  const operation = { title: "/look moss: a separate agent works", progress: { text: "" }, startedAt: 0 };
  const view = { engine, transcript: emptyTranscript, ...place, operation };
  const at = (columns: number) => stripVTControlCharacters(statusLine(view, themeFor(0), columns)).trimEnd();
  expect(at(80)).toEndWith("works · 0s · esc to interrupt");
  expect(at(40)).toEndWith("· esc");
  expect(at(40)).toContain("/look moss");
  expect(at(40).length).toBeLessThanOrEqual(40);
});

test("after ten seconds a wait that can be left names the key, where the rest of the line has room too", () => {
  const transcript = reduce(emptyTranscript, STARTED, 0);
  const engine = { model: "m", usage: NO_USAGE, costUsd: 0, usedTokens: 0, windowTokens: 200_000 } as const;
  const place = { folder: "shop", branch: undefined, isBusy: true, isAsked: false, hint: undefined };
  const line = (nowMs: number, columns: number, canRelease = true) => {
    const view = { ...place, engine: { ...engine, mode: "plan" }, transcript, canRelease, nowMs } as const;
    return stripVTControlCharacters(statusLine(view, themeFor(0), columns));
  };
  expect(line(12_000, 100)).toMatch(/esc to interrupt · ctrl\+b background +≡ plan$/);
  expect(line(12_000, 70)).toMatch(/esc to interrupt +≡ plan$/);
  expect([line(9_000, 100), line(12_000, 100, false)].join()).not.toContain("ctrl+b");
});

test.each([
  ["shop", "feature/cart"],
  ["a-folder-with-a-long-name-of-its-own", "main"],
])("the permissions of the session become a number where the folder lacks room: in %s on %s", (folder, branch) => {
  const usage = { ...NO_USAGE, inputTokens: 20_000, outputTokens: 500 };
  const granted = ["Edit(/**)", "Bash(npm test *)"];
  const engine = {
    mode: "default",
    model: "claude-sonnet-5-5",
    costUsd: 0.04,
    usedTokens: 22_000,
    windowTokens: 200_000,
    usage,
    granted,
  } as const;
  const rest = { folder, branch, isBusy: false, isAsked: false, hint: undefined, nowMs: 0 };
  const line = (columns: number) =>
    stripVTControlCharacters(statusLine({ engine, transcript: emptyTranscript, ...rest }, themeFor(0), columns));
  expect(line(80)).toMatch(/default \+2 · sonnet-5-5 · .+ · ctx 11% · \$0\.04 .*for keys$/);
  expect(line(80)).toContain(` ${branch} ·`);
  expect(line(80)).toContain(folder.slice(0, 4));
  expect(line(120)).toContain("default +edits +1 · ");
});

test("in a turn, a mode that must be seen stays: the tokens go first, then the words about esc", () => {
  const events = [STARTED, { type: "text_delta", text: "x".repeat(6_800) }] as const;
  const transcript = events.reduce((state, event) => reduce(state, event, 0), emptyTranscript);
  const usage = { ...NO_USAGE, outputTokens: 1, estimated: true } as const;
  const engine = { model: "m", usage, costUsd: 0.07, usedTokens: 0, windowTokens: 1 } as const;
  const place = { folder: "shop", branch: undefined, isBusy: true, isAsked: false, hint: undefined, nowMs: 31_000 };
  const at = (columns: number, mode: "default" | "acceptEdits", more: Partial<StatusView> = {}) => {
    const view = { ...place, engine: { ...engine, mode }, transcript, keepsMode: true, ...more };
    return stripVTControlCharacters(statusLine(view, themeFor(0), columns)).trimEnd();
  };
  expect(at(80, "acceptEdits")).toMatch(/↓1\.7k tok · esc to interrupt +± acceptEdits · ~\$0\.07$/);
  expect(at(60, "acceptEdits")).toMatch(/writing · 31s · esc to interrupt +± acceptEdits · ~\$0\.07$/);
  expect(at(50, "acceptEdits")).toMatch(/writing · 31s · esc \S* +± acceptEdits · ~\$0\.07$/);
  expect(at(40, "acceptEdits")).toMatch(/writing.* ± acce\S+ · ~\$0\.07$/);
  expect(at(50, "default")).toMatch(/default · ~\$0\.07$/);
  expect(at(50, "default", { keepsMode: false })).not.toContain("default");
  const typing = { isTyping: true };
  expect(at(80, "acceptEdits", typing)).toMatch(/· esc\S* .*± acceptEdits · ~\$0\.07 · enter sends · tab queues$/);
  expect(at(60, "acceptEdits", typing)).toMatch(/± acceptEdits · ~\$0\.07$/);
  expect(at(80, "acceptEdits", { hint: "ctrl+c again to leave" })).toContain("± acceptEdits · ~$0.07 · ctrl+c again");
});

/** A status line of parts that are chosen at random. */
function randomView(seeded: ReturnType<typeof seededRandom>): StatusView {
  const pick = <T>(...values: readonly T[]): T => seeded.pick(values);
  const chance = () => seeded.chance(0.5);
  const turns = [
    emptyTranscript,
    ...[
      [{ type: "text_delta", text: "x".repeat(4_000) }],
      [{ type: "compaction_started", why: "full", usedTokens: 160_000 }],
      [{ type: "context_changed", usedTokens: 95, windowTokens: 100, warnTokens: 80 }],
    ].map((events) =>
      [STARTED, ...(events as EngineEvent[])].reduce((state, event) => reduce(state, event, 0), emptyTranscript),
    ),
  ];
  const operation = {
    title: "Compacting 価格 of the shop",
    progress: { text: "reads", done: 3, total: 12 },
    startedAt: 0,
  };
  return {
    engine: {
      mode: pick(...PERMISSION_MODES),
      granted: pick([], ["Edit(/**)", "Bash(npm test *)", "Bash(ls)"]),
      model: pick("m", "claude-sonnet-5-20260101", "us.anthropic/a-model-with-a-name-that-is-very-long-indeed"),
      usage: { ...NO_USAGE, outputTokens: 1, ...(chance() && { estimated: true }) },
      costUsd: pick(0, 0.001, 0.04, 12.3, 4_321),
      usedTokens: pick(0, 22_000),
      windowTokens: 200_000,
    },
    transcript: pick(...turns),
    folder: pick("shop", "価格の店", "a-folder-with-a-long-name-of-its-own"),
    branch: pick(undefined, "main*", "feature/a-branch-that-is-long"),
    sandbox: pick(undefined, "sandbox", "no sandbox"),
    texts: pick([], ["3 tests failed", "価格"]),
    vim: pick(undefined, "insert", "visualLine"),
    isBusy: chance(),
    isAsked: chance(),
    keepsMode: chance(),
    leadsBack: pick(undefined, "reason", "left", "row"),
    isHeld: chance(),
    isTyping: chance(),
    isWaiting: chance(),
    isCovered: chance(),
    canRelease: chance(),
    operation: pick(undefined, operation),
    starting: pick([], ["github-enterprise-server"], ["a", "b", "c"]),
    hint: pick(undefined, "ctrl+c again to leave", "esc again goes back to an earlier prompt"),
    nowMs: pick(0, 12_000, 7_200_000),
  };
}

/** The marks of the facts that a status line must show at `columns`, whatever else there is to say. */
function lastingMarks(view: StatusView, columns: number): readonly string[] {
  const { engine, hint, isBusy, isTyping, isAsked, operation } = view;
  const cost = formatUsd(engine.costUsd, engine.usage.estimated);
  const isWide = columns >= 80;
  // A narrow line keeps the mark of the mode and the beginning of its name.
  const name = `${engine.mode === "default" ? "" : " "}${engine.mode}`;
  const mode = isWide ? engine.mode : name.slice(0, 4);
  const isRunning = isBusy || (operation !== undefined && !view.transcript.turn);
  if (isRunning && view.keepsMode) return [mode, cost];
  if (operation) return [cost];
  // A running activity hides the model, and so do keys that send what was typed.
  const tells = hint !== undefined || (isTyping === true && !isAsked);
  if (isBusy) return isWide && !tells ? [engine.mode, cost] : [cost];
  const model = shortModel(engine.model).slice(0, 7);
  if (isWide) return [engine.mode, model, cost];
  return hint === undefined ? [engine.mode, cost] : [cost];
}

test("the cost and the mode stay in the status line from 40 columns on, from 80 the model too, whatever else it says", () => {
  const seeded = seededRandom(7);
  for (let at = 0; at < 1_000; at += 1) {
    const view = randomView(seeded);
    for (const columns of [40, 41 + seeded.below(90), 80]) {
      const line = stripVTControlCharacters(statusLine(view, themeFor(0), columns));
      const missing = lastingMarks(view, columns).filter((mark) => !line.includes(mark));
      if (missing.length > 0 || textWidth(line) > columns) expect({ line, missing, columns, view }).toBeUndefined();
    }
  }
});

test("at rest the facts leave a narrow line in one order: first the folder, then the branch", () => {
  const seeded = seededRandom(11);
  const rest = {
    folder: "shop",
    branch: "main*",
    ...{ isBusy: false, isAsked: false, isWaiting: false, operation: undefined, starting: [], hint: undefined },
    ...{ texts: [], sandbox: undefined, vim: undefined, transcript: emptyTranscript },
  };
  for (let at = 0; at < 40; at += 1) {
    const any = randomView(seeded);
    const view = {
      ...any,
      ...rest,
      engine: { ...any.engine, usedTokens: 22_000, model: at % 2 === 0 ? "opus-5" : "a-model-of-a-long-name" },
    };
    const model = shortModel(view.engine.model).slice(0, 7);
    for (let columns = 130; columns >= 40; columns -= 1) {
      const line = stripVTControlCharacters(statusLine(view, themeFor(0), columns)).replace(/\? for keys$/, "");
      // In a narrow window the used share of the model's window tells more than the model.
      const facts = columns < 80 ? [model, "ctx 11%"] : ["ctx 11%", model];
      const order = ["shop", "main*", ...facts, view.engine.mode];
      const shown = order.map((fact) => line.includes(fact));
      if (shown.indexOf(true) !== -1 && shown.slice(shown.indexOf(true)).includes(false))
        expect({ line, columns, granted: view.engine.granted }).toBeUndefined();
    }
  }
});

test("the hint to leave keeps the branch in the status line where both fit with fewer words", () => {
  const any = randomView(seededRandom(3));
  const view: StatusView = {
    ...any,
    ...{ isBusy: false, isAsked: false, operation: undefined, vim: undefined, texts: [], sandbox: "sandbox" },
    ...{ folder: "shop", branch: "main*", hint: "ctrl+c again to leave", transcript: emptyTranscript },
    engine: {
      ...any.engine,
      ...{ mode: "default", granted: [], model: "claude-sonnet-5", usedTokens: 22_000, windowTokens: 200_000 },
      ...{ usage: { ...NO_USAGE, outputTokens: 1 }, costUsd: 0.04 },
    },
  };
  const line = (columns: number) => stripVTControlCharacters(statusLine(view, themeFor(0), columns));
  expect(line(120)).toMatch(/ shop main\* .* ctrl\+c again to leave$/);
  expect(line(80)).toMatch(/ shop main\* .* ctrl\+c to leave$/);
});

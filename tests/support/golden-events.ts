import type { DiffHunk, DiffLine, Display } from "../../src/contracts/display.ts";
import type { EngineEvent } from "../../src/contracts/event.ts";
import { NO_USAGE } from "../../src/contracts/message.ts";

export const turn = (prompt: string): EngineEvent => ({
  type: "turn_started",
  prompt,
  message: { role: "user", id: prompt, content: [] },
});

export const text = (value: string): EngineEvent => ({ type: "text_delta", text: value });

/** An answer that has ended. */
export const answer = (value: string): readonly EngineEvent[] => [
  text(value),
  {
    type: "assistant_message",
    message: { role: "assistant", id: value, content: [], model: "m", usage: NO_USAGE } as never,
  },
];

export const started = (id: string, name: string, title: string, input: object = {}): EngineEvent => ({
  type: "tool_started",
  use: { type: "tool_use", id, name, input: { ...input } },
  title,
  level: "read",
});

type Result = {
  readonly isError?: boolean;
  readonly content?: string;
  readonly display?: Display;
  readonly ms?: number;
};

export const ended = (id: string, { isError = false, content = "", display, ms = 420 }: Result = {}): EngineEvent => ({
  type: "tool_finished",
  result: { type: "tool_result", toolUseId: id, content, isError },
  durationMs: ms,
  ...(display && { display }),
});

let calls = 0;
/** A call from its start to its end. */
export const call = (name: string, title: string, result: Result = {}): readonly EngineEvent[] => {
  calls += 1;
  return [started(`call-${calls}`, name, title), ended(`call-${calls}`, result)];
};

export const command = (rest: Partial<Extract<Display, { kind: "command" }>> = {}): Display => ({
  kind: "command",
  command: "npm test",
  exitCode: 0,
  signal: undefined,
  timedOut: false,
  tail: [],
  totalLines: 0,
  ...rest,
});

export const summary = (words: string, count?: number): Display => ({
  kind: "summary",
  text: words,
  ...(count !== undefined && { count }),
});

/** A hunk from rows that begin with ` `, `+` or `-`. */
export function hunk(start: number, ...rows: readonly string[]): DiffHunk {
  const kinds = { " ": "same", "+": "added", "-": "removed" } as const;
  const lines = rows.map((row): DiffLine => ({ kind: kinds[row.charAt(0) as " "] ?? "same", text: row.slice(1) }));
  return { oldStart: start, newStart: start, lines };
}

export const diff = (path: string, hunks: readonly DiffHunk[], isNew = false): Extract<Display, { kind: "diff" }> => {
  const count = (kind: DiffLine["kind"]) =>
    hunks.flatMap(({ lines }) => lines).filter((line) => line.kind === kind).length;
  return { kind: "diff", path, isNew, added: count("added"), removed: count("removed"), hunks };
};

export const finished = (
  outcome: Extract<EngineEvent, { type: "turn_finished" }>["report"]["outcome"],
): EngineEvent => ({
  type: "turn_finished",
  report: {
    ...{ outcome, text: "", steps: 1, durationMs: 8_900, waitedMs: 0, apiMs: 1, costUsd: 0.0412, denials: [] },
    ...{ usage: { ...NO_USAGE, inputTokens: 21_000 }, usageByModel: {} },
  },
});

export const todos = (...statuses: readonly ("completed" | "in_progress" | "pending")[]): EngineEvent => ({
  type: "todos_changed",
  todos: statuses.map((status, at) => {
    const [content = "", activeForm = ""] = STEPS[at] ?? [];
    return { content, status, activeForm };
  }),
});

const STEPS = [
  ["Find the wait", "Finding the wait"],
  ["Wait for the cart", "Waiting for the cart"],
  ["Run the checkout test 50 times and look at what is slow in it", "Running the checkout test 50 times"],
];

export const CART_HUNKS = [
  hunk(
    9,
    "   add(item);",
    "-  await sleep(200);",
    "+  await cart.settled(); // long enough to be cut where the window is narrow, not in a wide one",
    "+  log();",
    "   expect(cart.total).toBe(12);",
  ),
];

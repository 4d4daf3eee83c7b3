import { expect, test } from "bun:test";
import type { Display } from "../../src/contracts/display.ts";
import type { EngineEvent } from "../../src/contracts/event.ts";
import type { Redactor } from "../../src/contracts/ports.ts";
import type { EntryBody, ShownFact } from "../../src/contracts/session.ts";
import { MAX_SHOWN_CHARS, MAX_SHOWN_LINES, ScreenLog } from "../../src/engine/screen-log.ts";

const redactor: Redactor = {
  redact: (text) => text.replaceAll("s3cret", "[hidden]"),
  restore: async (text) => text,
  placeholdersIn: () => [],
};

async function factsOf(...events: readonly EngineEvent[]): Promise<readonly ShownFact[]> {
  const written: EntryBody[] = [];
  const append = (body: EntryBody) => String(written.push(body));
  const log = new ScreenLog({ conversation: { append }, redactor: async () => redactor });
  for (const event of events) log.take(event);
  await log.settled();
  return written.flatMap((body) => (body.kind === "shown" ? [body.fact] : []));
}

const turn: EngineEvent = { type: "turn_started", message: { role: "user", id: "u", content: [] }, prompt: "go" };
const started: EngineEvent = {
  type: "tool_started",
  use: { type: "tool_use", id: "1", name: "Bash", input: {} },
  title: "echo s3cret",
  level: "execute",
};
const finished = (display?: Display): EngineEvent => ({
  type: "tool_finished",
  result: { type: "tool_result", toolUseId: "1", content: "out", isError: false },
  durationMs: 7,
  ...(display && { display }),
});

test("a call's display is written when the call has ended, without secrets", async () => {
  const preview = { kind: "command", command: "echo s3cret", description: "", unclear: [] } as const;
  const settled: EngineEvent = {
    type: "question_settled",
    id: "q",
    toolUseId: "1",
    answer: { kind: "refused", preview, reason: "not s3cret" },
  };
  expect(await factsOf(turn, started, settled, finished())).toEqual([
    {
      type: "call",
      toolUseId: "1",
      title: "echo [hidden]",
      durationMs: 7,
      answer: { kind: "refused", preview: { ...preview, command: "echo [hidden]" }, reason: "not [hidden]" },
    },
  ]);
});

test("a call outside of a turn is the person's own command, and a discarded call leaves nothing", async () => {
  expect(await factsOf(started, finished())).toMatchObject([{ type: "shell", excerpt: "out", isError: false }]);
  expect(await factsOf(turn, started, { type: "tool_discarded", toolUseId: "1" }, finished())).toEqual([]);
});

test("a notice is written while a turn runs, in its place", async () => {
  const notice = (message: string): EngineEvent => ({ type: "notice", message });
  const facts = await factsOf(notice("early"), turn, started, notice("now s3cret"), finished());
  expect(facts.map((fact) => (fact.type === "notice" ? fact.message : fact.type))).toEqual(["now [hidden]", "call"]);
});

test("a large diff is cut in its text and keeps the number of its lines", async () => {
  const lines = Array.from({ length: MAX_SHOWN_LINES + 9 }, () => ({ kind: "added", text: "x".repeat(100) }) as const);
  const hunks = [
    { oldStart: 1, newStart: 1, lines },
    { oldStart: 9, newStart: 9, lines },
  ];
  const [fact] = await factsOf(
    turn,
    started,
    finished({ kind: "diff", path: "a", isNew: true, added: 1, removed: 0, hunks }),
  );
  const kept = fact?.type === "call" && fact.display?.kind === "diff" ? fact.display.hunks : [];
  expect(kept.map((hunk) => hunk.lines.length)).toEqual([MAX_SHOWN_LINES]);
  expect(kept[0]?.lines.map(({ text }) => text).join("")).toHaveLength(MAX_SHOWN_CHARS);
});

import { expect, test } from "bun:test";
import type { EngineEvent } from "../../../../src/contracts/event.ts";
import { MAX_TRANSCRIPT_LINES, transcriptText } from "../../../../src/faces/repl/view/transcript-text.ts";
import { addRow, reduce } from "../../../../src/protocol/transcript/reduce.ts";
import { emptyTranscript, type Transcript } from "../../../../src/protocol/transcript/transcript.ts";

const prompt: EngineEvent = { type: "turn_started", message: { role: "user", id: "u", content: [] }, prompt: "a\nb" };
const started = (id: string, name: string, title: string): EngineEvent => ({
  type: "tool_started",
  use: { type: "tool_use", id, name, input: {} },
  title,
  level: "execute",
});
const ended = (id: string, content: string, rest: object = {}): EngineEvent => ({
  type: "tool_finished",
  result: { type: "tool_result", toolUseId: id, content, isError: false },
  durationMs: 1,
  ...rest,
});
const command = (totalLines: number, tail: readonly string[], exitCode = 0) => ({
  display: { kind: "command", command: "", exitCode, signal: undefined, timedOut: false, tail, totalLines } as const,
});
const play = (events: readonly EngineEvent[], from: Transcript = emptyTranscript) =>
  events.reduce((state, event) => reduce(state, event, 0), from);
const numbers = Array.from({ length: 300 }, (_, at) => `line ${at + 1}`);

test("the transcript holds every line of an output, and no note for the model", () => {
  const output = `${numbers.join("\n")}\n[exit code 3]\n[Give a longer timeout.]`;
  const lines = transcriptText(play([prompt, started("1", "Bash", "seq"), ended("1", output, command(300, [], 3))]));
  expect(lines.map((line) => line.trim())).toEqual(["", "› a", "b", "", "$      seq", ...numbers, "✗ exit 3"]);
});

test("the transcript says that a command continues in the background", () => {
  const output = "one\n[moved to the background by the user]\n[left running: this command. It is task b1]";
  const { display } = command(1, ["one"]);
  const moved = { display: { ...display, exitCode: undefined, taskId: "b1" } };
  const lines = transcriptText(play([prompt, started("1", "Bash", "make"), ended("1", output, moved)]));
  expect(lines.map((line) => line.trim()).slice(-3)).toEqual(["$      make", "one", "moved to the background as b1"]);
});

test("the transcript says where a command ran, and what was hidden from it", () => {
  const place = ["in the sandbox, with the network: registry.example", "hidden from this command: .env"];
  const { display } = command(1, ["one"]);
  const lines = transcriptText(
    play([prompt, started("1", "Bash", "make"), ended("1", "one\n[exit code 0]", { display: { ...display, place } })]),
  );
  expect(lines.map((line) => line.trim()).slice(-3)).toEqual(["one", ...place]);
});

test("the transcript holds the whole command, and how it ended", () => {
  const text = `cat > a <<'END'\n${"x ".repeat(150)}\nEND\nrm a`;
  const { display } = command(0, []);
  const linesOf = (content: string, rest: object, isError = true) => {
    const result = { type: "tool_result", toolUseId: "1", content, isError } as const;
    const event = { ...ended("1", content), result, display: { ...display, command: text, ...rest } } as EngineEvent;
    return transcriptText(play([prompt, started("1", "Bash", "cat > a …"), event])).map((line) => line.trim());
  };
  const none = { exitCode: undefined };
  const whole = linesOf("(no output)\n[timed out after 1 s]", { ...none, timedOut: true });
  const shown = ["✗ $      cat > a <<'END'", "x ".repeat(150).trim(), "END", "rm a", "✗ timed out"];
  expect(whole.slice(-shown.length)).toEqual(shown);
  expect(linesOf("one\n[interrupted]", none).slice(-2)).toEqual(["one", "■ stopped"]);
  expect(linesOf("[ended by signal SIGKILL]", { ...none, signal: "SIGKILL" }).at(-1)).toBe("✗ ended by SIGKILL");
  const binary = "binary output of 9 bytes, kept in /tmp/x";
  expect(linesOf(`[${binary}]\n[exit code 0]`, { tail: [binary], totalLines: 1 }, false).at(-1)).toBe(binary);
});

test("a long name of a tool stands apart from its title", () => {
  const lines = transcriptText(play([prompt, started("1", "ext__EnterLong", "fix"), ended("1", "in it")]));
  expect(lines.map((line) => line.trim())).toContain("EnterLong fix");
});

test("the transcript holds changes, refused commands, open text and what runs", () => {
  const hunk = { oldStart: 1, newStart: 1, lines: [{ kind: "added", text: "x" } as const] };
  const diff = { display: { kind: "diff", path: "a", isNew: true, added: 1, removed: 0, hunks: [hunk] } as const };
  const preview = { kind: "command", command: "rm -rf x", description: "", unclear: [] } as const;
  const answer = { kind: "refused", preview, reason: "keep it" } as const;
  const state = play([
    prompt,
    started("1", "Write", "a"),
    ended("1", "done", diff),
    started("2", "Bash", "rm"),
    { type: "question_settled", id: "q", toolUseId: "2", answer },
    ended("2", "words for the model"),
    started("3", "Bash", "make"),
    { type: "tool_progress", toolUseId: "3", progress: { tail: ["cc x.c"], totalLines: 1, bytes: 1, elapsedMs: 1 } },
  ]);
  const shown = transcriptText(state).map((line) => line.trim());
  expect(shown.slice(4)).toEqual([
    "write  a",
    "+ x",
    "$      rm",
    "you said no: keep it",
    "rm -rf x",
    "$      make",
    "cc x.c",
  ]);
});

test("a transcript beyond its bound keeps the newest lines and says so", () => {
  let state = emptyTranscript;
  for (let at = 0; at < MAX_TRANSCRIPT_LINES / 100 + 1; at += 1)
    state = addRow(state, { kind: "answer", command: "x", lines: Array.from({ length: 100 }, () => `row ${at}`) });
  const lines = transcriptText(state);
  expect(lines).toHaveLength(MAX_TRANSCRIPT_LINES + 1);
  expect([lines[0], lines.at(-1)]).toEqual(["… 100 earlier lines are not shown", "  row 200"]);
});

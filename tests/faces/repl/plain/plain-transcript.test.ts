import { expect, test } from "bun:test";
import type { EngineEvent } from "../../../../src/contracts/event.ts";
import { transcriptLines } from "../../../../src/faces/repl/plain/plain-transcript.ts";
import { addRow, reduceAll } from "../../../../src/protocol/transcript/reduce.ts";
import { emptyTranscript } from "../../../../src/protocol/transcript/transcript.ts";

const OUTPUT = Array.from({ length: 12 }, (_, at) => `line ${at + 1}`);
const CALL: readonly EngineEvent[] = [
  {
    type: "tool_started",
    use: { type: "tool_use", id: "a", name: "Bash", input: { command: "npm test" } },
    title: "npm test",
    level: "execute",
  },
  {
    type: "tool_finished",
    result: { type: "tool_result", toolUseId: "a", content: OUTPUT.join("\n"), isError: false },
    durationMs: 10,
    display: {
      kind: "command",
      command: "npm test",
      exitCode: 0,
      signal: undefined,
      timedOut: false,
      tail: OUTPUT.slice(-3),
      totalLines: 12,
    },
  },
];
const asked = addRow(emptyTranscript, { kind: "user", text: "test it" });
const TRANSCRIPT = addRow(reduceAll(asked, CALL, 0), { kind: "notice", level: "info", text: "Over." });
const WHOLE_CALL = ["Tool: run npm test", ...OUTPUT.map((line) => `Output: ${line}`)];

test("/transcript tells the last call with its whole output", () => {
  expect(transcriptLines("/transcript", TRANSCRIPT)).toEqual(WHOLE_CALL);
  expect(transcriptLines("/transcript", emptyTranscript)).toEqual(["Notice: no call has ended yet."]);
});

test("/transcript with a number tells that many of the last events, and with all the whole conversation", () => {
  expect(transcriptLines("/transcript 1", TRANSCRIPT)).toEqual(["Notice: Over."]);
  expect(transcriptLines("/transcript 2", TRANSCRIPT)).toEqual([...WHOLE_CALL, "Notice: Over."]);
  expect(transcriptLines("/transcript all", TRANSCRIPT)).toEqual(["You: test it", ...WHOLE_CALL, "Notice: Over."]);
});

test("another line is no transcript", () => {
  for (const line of ["/transcripts", "transcript", "/transcript of it"])
    expect(transcriptLines(line, TRANSCRIPT)).toBeUndefined();
});

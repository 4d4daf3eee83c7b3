import { expect, test } from "bun:test";
import type { FinishedTool } from "../../../../src/faces/repl/transcript/transcript.ts";
import { unshownText } from "../../../../src/faces/repl/viewer/blocks.ts";

const finished = (excerpt: string, rest: Partial<FinishedTool>): FinishedTool => ({
  use: { type: "tool_use", id: "1", name: "Agent", input: {} },
  title: "Look",
  isError: false,
  durationMs: 1,
  excerpt,
  display: undefined,
  refusedBy: undefined,
  ...rest,
});
const summary = (text: string) => ({ display: { kind: "summary", text } as const });

test("a result is shown once: not again below a summary that contains it, or below an image", () => {
  const answer = "Found it.\nIn a.ts.";
  const noted = `${answer}\n[Explore a1: completed]`;
  expect(unshownText(finished(noted, summary(`completed · 3 requests\n${answer}`)))).toEqual([]);
  expect(unshownText(finished(noted, summary("completed · 3 requests")))).toEqual(noted.split("\n"));
  expect(unshownText(finished("1\tx", summary("1 line")))).toEqual(["1\tx"]);
  expect(unshownText(finished("a.png: image/png", { ...summary("image"), images: ["4×4 PNG, 93 bytes"] }))).toEqual([]);
});

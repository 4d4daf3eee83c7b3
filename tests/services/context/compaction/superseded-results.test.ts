import { expect, test } from "bun:test";
import type { Message } from "../../../../src/contracts/message.ts";
import { findResults } from "../../../../src/services/context/compaction/found-results.ts";
import { supersededResults } from "../../../../src/services/context/compaction/superseded-results.ts";

type Read = readonly [input: Readonly<Record<string, unknown>>, result: string, shows?: "part"];

/** The numbers of the reads whose results a later one supersedes. */
function superseded(...reads: readonly Read[]): readonly number[] {
  const messages = reads.flatMap(([input, content, shows], index): Message[] => [
    {
      ...{ role: "assistant", id: `a${index}`, model: "m", stopReason: "tool_use", usage: undefined as never },
      content: [{ type: "tool_use", id: `t${index}`, name: "Read", input }],
    },
    {
      role: "user",
      id: `u${index}`,
      content: [{ type: "tool_result", toolUseId: `t${index}`, content, isError: false, ...(shows && { shows }) }],
    },
  ]);
  return [...supersededResults(findResults(messages)).keys()]
    .map(({ block }) => Number(block.toolUseId.slice(1)))
    .sort();
}

const FILE = { file_path: "/a.pdf" };

test("a read of the whole document supersedes reads of its pages", () => {
  expect(superseded([{ ...FILE, pages: "1-2" }, "one"], [FILE, "all"])).toEqual([0]);
});

test("a read of some pages supersedes no other pages", () => {
  expect(superseded([FILE, "all"], [{ ...FILE, pages: "1-2" }, "one"], [{ ...FILE, pages: "3" }, "two"])).toEqual([]);
});

test("a read that stopped before the last page supersedes no later pages", () => {
  expect(superseded([{ ...FILE, pages: "30" }, "thirty"], [FILE, "pages 1 to 20", "part"])).toEqual([]);
});

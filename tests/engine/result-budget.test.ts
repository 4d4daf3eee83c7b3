import { describe, expect, test } from "bun:test";
import type { ToolResultBlock } from "../../src/contracts/message.ts";
import {
  fitMessage,
  fitResult,
  MAX_MESSAGE_RESULT_CHARS,
  MAX_RESULT_CHARS,
  SPILL_PREVIEW_CHARS,
} from "../../src/engine/result-budget.ts";

function store() {
  const saved: Record<string, string> = {};
  return {
    saved,
    artifacts: {
      directory: "/a",
      save: async (name: string, text: string) => {
        saved[name] = text;
        return `/a/${name}`;
      },
    },
  };
}

const block = (id: string, content: ToolResultBlock["content"]): ToolResultBlock => ({
  type: "tool_result",
  toolUseId: id,
  content,
  isError: false,
});
const item = (id: string, size: number, exempt = false) => ({ block: block(id, id.repeat(size)), exempt });

describe("one result", () => {
  test("at the limit it stays, one character more goes to a file with a preview and the true size", async () => {
    const { artifacts, saved } = store();
    const fits = item("a", MAX_RESULT_CHARS);
    expect(await fitResult(fits, artifacts)).toBe(fits.block);
    const { content, wholeIn } = await fitResult(item("b", MAX_RESULT_CHARS + 1), artifacts);
    expect(wholeIn).toBe("/a/result-b.txt");
    expect(content).toBe(
      `${"b".repeat(SPILL_PREVIEW_CHARS)}\n… the result has 100001 characters, too many to show; the whole of it is in /a/result-b.txt (Read and Grep work there).`,
    );
    expect(saved).toEqual({ "result-b.txt": "b".repeat(MAX_RESULT_CHARS + 1) });
  });

  test("an exempt result stays, whatever its size", async () => {
    const { artifacts, saved } = store();
    const whole = item("a", MAX_RESULT_CHARS * 3, true);
    expect(await fitResult(whole, artifacts)).toBe(whole.block);
    expect(saved).toEqual({});
  });

  test("the preview never ends in half a character", async () => {
    const { artifacts } = store();
    const text = "x".repeat(SPILL_PREVIEW_CHARS - 1) + "👍".repeat(MAX_RESULT_CHARS);
    const { content } = await fitResult({ block: block("a", text), exempt: false }, artifacts);
    expect(String(content).isWellFormed()).toBe(true);
  });

  test("pictures stay beside the preview of the text", async () => {
    const { artifacts } = store();
    const picture = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
    const content = [{ type: "text", text: "t".repeat(MAX_RESULT_CHARS + 1) } as const, picture];
    const fitted = await fitResult({ block: block("a", content), exempt: false }, artifacts);
    expect(fitted.content).toEqual([{ type: "text", text: expect.stringContaining("/a/result-a.txt") }, picture]);
  });
});

describe("all results of a message", () => {
  test("the largest go first, only as many as must, and the order is kept", async () => {
    const { artifacts, saved } = store();
    const items = [item("a", 60_000), item("b", 90_000), item("c", 80_000), item("d", 10)];
    const fitted = await fitMessage(items, artifacts);
    expect(Object.keys(saved)).toEqual(["result-b.txt"]);
    expect(fitted.map(({ toolUseId }) => toolUseId)).toEqual(["a", "b", "c", "d"]);
    const total = fitted.reduce((sum, { content }) => sum + content.length, 0);
    expect(total).toBeLessThanOrEqual(MAX_MESSAGE_RESULT_CHARS);
  });

  test("small ones and exempt ones are never sent away, even where the bound is missed", async () => {
    const { artifacts, saved } = store();
    const items = [item("a", MAX_MESSAGE_RESULT_CHARS, true), ...Array.from("bcdef", (id) => item(id, 4_000))];
    expect(await fitMessage(items, artifacts)).toEqual(items.map((each) => each.block));
    expect(saved).toEqual({});
  });
});

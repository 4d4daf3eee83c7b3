import { describe, expect, test } from "bun:test";
import { readContent, readInput } from "../../../src/faces/headless/read-input.ts";
import { seededRandom } from "../../support/seeded-random.ts";

const message = (content: unknown, more: object = {}) =>
  readInput(JSON.stringify({ type: "user", message: { role: "user", content }, ...more }));

describe("a line of stdin", () => {
  test("with a message: its words, its id, and when its turn comes", () => {
    expect(message("hi", { uuid: "u1", parent_tool_use_id: null, session_id: "", extra: 1 })).toEqual({
      kind: "message",
      id: "u1",
      words: "hi",
      prompt: "hi",
      attachments: [],
      when: "next",
      beginsTurn: true,
      raw: { role: "user", content: "hi" },
    });
    expect(message("hi", { priority: "now", shouldQuery: false })).toMatchObject({ when: "steer", beginsTurn: false });
    expect(message("hi", { priority: "someday", uuid: null })).toMatchObject({ when: "next", id: undefined });
  });

  test("with control: requests, replies of both kinds, and withdrawals", () => {
    const read = (value: object) => readInput(JSON.stringify(value));
    expect(read({ type: "control_request", request_id: "1", request: { subtype: "interrupt", x: 1 } })).toEqual({
      kind: "control_request",
      id: "1",
      subtype: "interrupt",
      request: { subtype: "interrupt", x: 1 },
    });
    const success = { subtype: "success", request_id: "2", response: { ok: true } };
    expect(read({ type: "control_response", response: success })).toEqual({
      kind: "control_response",
      id: "2",
      answer: { response: { ok: true } },
    });
    expect(read({ type: "control_response", response: { subtype: "success", request_id: "2" } })).toMatchObject({
      answer: { response: {} },
    });
    expect(read({ type: "control_response", response: { subtype: "error", request_id: "3", error: "no" } })).toEqual({
      kind: "control_response",
      id: "3",
      answer: { error: "no" },
    });
    expect(
      read({ type: "control_response", response: { subtype: "error", request_id: "3", error: {} } }),
    ).toMatchObject({
      answer: { error: "no reason given" },
    });
    expect(read({ type: "control_cancel_request", request_id: "4" })).toEqual({ kind: "control_cancel", id: "4" });
    expect(read({ type: "keep_alive" })).toEqual({ kind: "nothing" });
  });

  const STRANGE: readonly (readonly [line: string, problem: string])[] = [
    ["{", "it is not JSON"],
    ["null", 'it is not an object with a "type"'],
    ["[1]", 'it is not an object with a "type"'],
    ['{"type":"dance"}', 'its type "dance" is unknown'],
    ['{"type":"user"}', 'a "user" line needs a message'],
    ['{"type":"user","message":{"role":"assistant","content":"x"}}', 'a "user" line needs a message'],
    ['{"type":"user","message":{"role":"user","content":" "}}', "its message can't be used: it is empty"],
    ['{"type":"user","message":{"role":"user","content":7}}', "neither text nor a list of blocks"],
    ['{"type":"control_request","request":{"subtype":"x"}}', 'a "control_request" line needs'],
    ['{"type":"control_response","response":{}}', 'a "control_response" line needs'],
    ['{"type":"control_cancel_request"}', "the request_id of the request to cancel is missing"],
  ];
  test.each(STRANGE)("%s is told for what it lacks", (line, problem) => {
    expect(readInput(line)).toEqual({ kind: "unusable", problem: expect.stringContaining(problem) });
  });

  test("an unreadable request is answered if its id is readable", () => {
    expect(readInput('{"type":"control_request","request_id":"9","request":7}')).toMatchObject({
      kind: "unusable",
      id: "9",
    });
  });

  test("a quoted line is short, and without control characters", () => {
    const read = readInput(`\u001b[31m${"x".repeat(500)}`);
    expect(read.kind === "unusable" && read.problem.length).toBeLessThan(250);
    expect(read.kind === "unusable" && read.problem).not.toContain("\u001b");
  });
});

test("any line is either read or reported, and reading never throws", () => {
  const { next: random, pick } = seededRandom(7);
  const words = [
    "user",
    "keep_alive",
    "control_cancel_request",
    "control_request",
    "control_response",
    "success",
    "error",
    "text",
    "image",
    "",
    "\ud800",
    "x".repeat(300),
  ];
  const names = [
    "type",
    "message",
    "role",
    "content",
    "request",
    "request_id",
    "response",
    "subtype",
    "uuid",
    "source",
    "error",
  ];
  const value = (depth: number): unknown => {
    const kind = random();
    if (depth === 0 || kind < 0.4) return pick<unknown>([...words, 7, null, true, [], {}]);
    if (kind < 0.6) return Array.from({ length: 3 }, () => value(depth - 1));
    return Object.fromEntries(Array.from({ length: 4 }, () => [pick(names), value(depth - 1)]));
  };
  const kinds = new Set<string>();
  for (let n = 0; n < 3_000; n += 1) {
    const made = value(4);
    const line = JSON.stringify(random() < 0.7 ? { ...(made as object), type: pick(words) } : made);
    kinds.add(readInput(random() < 0.1 ? line.slice(0, -2) : line).kind);
  }
  expect(kinds.has("unusable")).toBe(true);
  expect(kinds.size).toBeGreaterThan(1);
});

describe("the content of a message", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } };
  const picture = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
  const text = (words: string) => ({ type: "text" as const, text: words });

  test("words come last, pictures and documents before them", () => {
    const pdf = {
      type: "document",
      title: "T",
      source: { type: "base64", media_type: "application/pdf", data: "aGk=" },
    };
    expect(readContent([text("what is it?"), image, pdf])).toEqual({
      words: "what is it?",
      prompt: "what is it?",
      attachments: [picture, { type: "document", mediaType: "application/pdf", data: "aGk=", title: "T" }],
    });
    expect(readContent([text("a"), text(" "), text("b")])).toEqual({
      words: "a\n\nb",
      prompt: "a\n\nb",
      attachments: [],
    });
  });

  test("pictures that are spoken of one by one stay where they are, and all words are known", () => {
    expect(readContent([text("first:"), image, text("second:"), image, text("compare")])).toEqual({
      words: "first:\n\nsecond:\n\ncompare",
      prompt: "compare",
      attachments: [text("first:"), picture, text("second:"), picture],
    });
  });

  test("pictures alone get words, since no model takes them without", () => {
    expect(readContent([image])).toEqual({ words: "", prompt: "Look at what is attached.", attachments: [picture] });
    expect(readContent([text("a"), image, text("b"), image])).toMatchObject({ prompt: "Look at what is attached." });
  });

  test("a document of plain text is text", () => {
    const source = { type: "text", media_type: "text/plain", data: "body" };
    expect(readContent([{ type: "document", title: "Notes", source }])).toMatchObject({ prompt: "Notes:\nbody" });
  });

  const REFUSED: readonly (readonly [what: string, content: unknown, problem: string])[] = [
    ["an address instead of a picture", [{ type: "image", source: { type: "url", url: "http://x" } }], "base64 source"],
    ["line breaks in base64", [{ ...image, source: { ...image.source, data: "aG\nk=" } }], "block 0: it needs"],
    [
      "results of tools",
      [text("a"), { type: "tool_result", tool_use_id: "1", content: "x" }],
      "block 1: its type is none of",
    ],
    ["no block at all", [7], "block 0: its type is none of"],
    ["nothing", [], "it is empty"],
    ["too many blocks", Array.from({ length: 1_001 }, () => text("a")), "more than 1000 blocks"],
  ];
  test.each(REFUSED)("%s is refused", (_, content, problem) => {
    expect(readContent(content)).toEqual({ problem: expect.stringContaining(problem) });
  });
});

import { describe, expect, test } from "bun:test";
import { reply, text, toolUse } from "@quoll/model-twin/scenario";
import { type TaggedPiece, ThinkTags } from "../../../../src/services/provider/ai-sdk/think-tags.ts";
import { doneOf, kinds } from "../anthropic/support.ts";
import { played } from "./support.ts";

/** The result for a text in pieces, joined by kind. */
function split(pieces: readonly string[]) {
  const tags = new ThinkTags();
  const told: TaggedPiece[] = [...pieces.flatMap((piece) => tags.split(piece)), ...tags.end()];
  const of = (kind: TaggedPiece["kind"]) =>
    told.flatMap((piece) => ("text" in piece && piece.kind === kind ? piece.text : [])).join("");
  const turns = told.map(({ kind }) => kind).filter((kind, at, all) => kind !== all[at - 1]);
  return { thinking: of("thinking"), text: of("text"), turns };
}

const BOTH = ["thinking", "text"] as const;

describe("an answer that begins with a tag", () => {
  test.each([
    ["<think>Hm.</think>Yes.", "Hm.", "Yes."],
    ["\n <think>\nHm. ü😀\n</think>\n\nYes.", "Hm. ü😀", "Yes."],
    ["<think>a < b, </thin is none</think>Yes </think>.", "a < b, </thin is none", "Yes </think>."],
    ["<think>one</think>two<think>three</think>", "one", "two<think>three</think>"],
  ])("%j is thinking and words, wherever it is cut", (whole, thinking, words) => {
    for (let size = 1; size <= whole.length; size += 1) {
      const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
        whole.slice(at * size, (at + 1) * size),
      );
      expect([size, split(pieces)]).toEqual([size, { thinking, text: words, turns: [...BOTH] }]);
    }
    for (let at = 0; at <= whole.length; at += 1)
      expect(split([whole.slice(0, at), whole.slice(at)])).toEqual({ thinking, text: words, turns: [...BOTH] });
  });

  test("and thinks of nothing is words alone; one that is cut off is thinking alone", () => {
    expect(split(["<think>\n\n</think>\n\nYes."])).toEqual({ thinking: "", text: "Yes.", turns: ["text"] });
    expect(split(["<think>Hm", ". </th"])).toEqual({ thinking: "Hm. </th", text: "", turns: ["thinking"] });
    expect(split(["<think>"])).toEqual({ thinking: "", text: "", turns: [] });
  });
});

test.each(["Yes.", "<thin", "<thought>x</thought>", "I write <think> here.", "  Yes.", "<", ""])(
  "%j is words, with every blank",
  (whole) => {
    expect(split([...whole]).text).toBe(whole);
    expect(split([whole])).toEqual({ thinking: "", text: whole, turns: whole === "" ? [] : ["text"] });
  },
);

describe("a closing tag without an opening one", () => {
  const tag = ["Hm. ü😀\n</think>\n\nYes.", "Hm. ü😀</think>Yes.", '`a` "b" </think> Yes.'];
  test.each(tag)("%j parts thinking from words, wherever it is cut", (whole) => {
    for (let at = 0; at <= whole.length; at += 1) {
      const pieces = [whole.slice(0, at), whole.slice(at)];
      const { turns, text } = split(pieces);
      expect([at, turns.includes("opened_before"), text.includes("</think>")]).toEqual([at, true, false]);
    }
  });

  test.each([
    "It writes `</think>` at the end.",
    'The text "</think>" ends it.',
    "See:\n```\n</think>\n```\nDone.",
    "Between <think> and </think> it thinks.",
  ])("%j is one of the words in code, in quotation marks, behind an opening tag", (whole) => {
    expect(split([...whole])).toEqual({ thinking: "", text: whole, turns: ["text"] });
  });

  test("makes a block of thinking of what came before it", async () => {
    const { events } = await played("compatible", [reply("I look.\n</think>\n\nYes.", { deltaChars: 3 })]);
    expect(doneOf(events).content).toEqual([
      { type: "thinking", thinking: "I look.", signature: "" },
      { type: "text", text: "Yes." },
    ]);
  });

  test("at the very beginning is cut", async () => {
    const { events } = await played("compatible", [reply("</think>\n\nYes.")]);
    expect(doneOf(events).content).toEqual([{ type: "text", text: "Yes." }]);
  });
});

describe("over the wire", () => {
  const content = [text("<think>\nI look. ü😀\n</think>\n\nOne moment."), toolUse("Read", { file_path: "a" }, "t1")];
  const whole = [
    { type: "thinking", thinking: "I look. ü😀", signature: "" },
    { type: "text", text: "One moment." },
    { type: "tool_use", id: "t1", name: "Read", input: { file_path: "a" } },
  ];

  test.each([1, 2, 3, 7, 1_000])(
    "a compatible server's tags become a block, in deltas of %d characters",
    async (size) => {
      const { events, error } = await played("compatible", [
        reply(content, { deltaChars: size, cutBytes: { seed: size } }),
      ]);
      expect(error).toBeUndefined();
      expect(doneOf(events).content).toEqual(whole as never);
      const blocks = events.flatMap((event) => (event.type === "block_done" ? event.block : []));
      expect(blocks).toEqual(whole as never);
      const told = (type: "text_delta" | "thinking_delta") =>
        events.flatMap((event) => (event.type === type ? event.text : [])).join("");
      expect([told("thinking_delta"), told("text_delta")]).toEqual(["I look. ü😀", "One moment."]);
      expect(new Set(kinds(events).slice(0, 1))).toEqual(new Set(["thinking_delta"]));
    },
  );

  test("thinking that was cut off, and a call right behind it, are kept", async () => {
    const cut = await played("compatible", [reply("<think>I look and", { stopReason: "max_tokens", deltaChars: 3 })]);
    expect(doneOf(cut.events)).toMatchObject({
      content: [{ type: "thinking", thinking: "I look and" }],
      stopReason: "max_tokens",
    });
    const call = [text("<think>I look.</think>\n\n"), toolUse("Read", {}, "t1")];
    const { events } = await played("compatible", [reply(call, { deltaChars: 4 })]);
    expect(doneOf(events).content.map(({ type }) => type)).toEqual(["thinking", "tool_use"]);
  });

  test("the quirk leaves them where they are, and OpenAI's own answers are never looked at", async () => {
    const told = "<think>x</think>Yes.";
    const off = await played("compatible", [reply(told)], { quirks: { thinkTags: false } });
    const own = await played("chat", [reply(told)]);
    for (const { events } of [off, own]) expect(doneOf(events).content).toEqual([{ type: "text", text: told }]);
  });
});

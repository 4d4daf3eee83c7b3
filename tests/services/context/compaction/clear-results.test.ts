import { describe, expect, test } from "bun:test";
import type { AssistantMessage, Message, ToolUseBlock, UserMessage } from "../../../../src/contracts/message.ts";
import { NO_USAGE } from "../../../../src/contracts/message.ts";
import type { ResultFacts } from "../../../../src/contracts/result-facts.ts";
import { clearResults } from "../../../../src/services/context/compaction/clear-results.ts";
import { compactedBy } from "../../../support/compacted.ts";
import { pairingProblems } from "../../../support/engine-harness.ts";

function use(id: string, file: string): ToolUseBlock {
  return { type: "tool_use", id, name: "Read", input: { file_path: file } };
}

const asking = (id: string) => reading(id, `/p/${id}.ts`);

function reading(id: string, file: string): AssistantMessage {
  const content = [use(id, file)];
  return { role: "assistant", id: `a-${id}`, model: "m", content, stopReason: "tool_use", usage: NO_USAGE };
}

function answering(id: string, tokens: number): UserMessage {
  const content = "word ".repeat(tokens);
  return { role: "user", id: `u-${id}`, content: [{ type: "tool_result", toolUseId: id, content, isError: false }] };
}

/** A conversation with so many results of so many tokens each. */
function conversation(count: number, tokens: number): readonly Message[] {
  const start: UserMessage = { role: "user", id: "u", content: [{ type: "text", text: "Do the work." }] };
  const rounds = Array.from({ length: count }, (_, at) => [asking(`c${at}`), answering(`c${at}`, tokens)]);
  return [start, ...rounds.flat()];
}

const fit = (messages: readonly Message[], usedTokens: number, windowTokens: number, isTooLong = false) => {
  const why = isTooLong ? "too_long" : "full";
  return compactedBy(clearResults(), messages, { why, usedTokens, windowTokens, reservedTokens: windowTokens / 10 });
};
const stubbed = (messages: readonly Message[]) =>
  messages.filter((message) => JSON.stringify(message.content).includes("[Cleared")).map(({ id }) => id);

test.each([
  ["unsigned", {}, 0],
  ["signed", { signature: "s" }, 1],
])("clearing reads the log only to tell which signed calls are finished: %s calls", async (_, signed, reads) => {
  const messages = conversation(45, 640).map((message) => {
    if (message.role === "user") return message;
    const content = message.content.map((block) => (block.type === "tool_use" ? { ...block, ...signed } : block));
    return { ...message, content };
  });
  const { freedTokens, historyReads } = await fit(messages, 28_800, 32_000);
  expect(freedTokens).toBeGreaterThan(0);
  expect(historyReads).toBe(reads);
});

describe.each([
  [8_000, 0.6],
  [32_000, 0.6],
  [200_000, 0.4],
  [1_000_000, 0.4],
])("in a window of %d tokens", (window, share) => {
  const tokens = Math.floor(window / 50);

  test("a result that fits is returned unchanged", async () => {
    const messages = conversation(10, tokens);
    expect((await fit(messages, window * 0.3, window)).messages).toBe(messages);
  });

  test("the oldest results go first, down to the target; the newest stay, and so do all calls and words", async () => {
    const messages = conversation(45, tokens);
    const fitted = await fit(messages, window * 0.9, window);
    const gone = stubbed(fitted.messages);
    expect(gone).toEqual(gone.map((_, at) => `u-c${at}`));
    expect(window * 0.9 - fitted.freedTokens).toBeLessThanOrEqual(window * 0.9 * share);
    expect(window * 0.9 - fitted.freedTokens).toBeGreaterThan(window * 0.9 * share - tokens);
    expect(fitted.messages.at(-1)).toBe(messages.at(-1) as Message);
    expect(fitted.messages.filter(({ role }) => role === "assistant")).toEqual(
      messages.filter(({ role }) => role === "assistant"),
    );
    expect(pairingProblems(fitted.messages)).toEqual([]);
  });

  test("a second time finds what the first left, and nothing is taken out twice", async () => {
    const first = await fit(conversation(45, tokens), window * 0.9, window);
    const second = await fit(first.messages, window * 0.9, window);
    expect(stubbed(second.messages).length).toBeGreaterThan(stubbed(first.messages).length);
    const all = await fit(second.messages, window * 50, window);
    expect((await fit(all.messages, window * 50, window)).messages).toBe(all.messages);
  });
});

test("a prompt that was refused is halved by what was sent, whatever the window is said to be", async () => {
  const messages = conversation(10, 4_000);
  const fitted = await fit(messages, 40_000, 1_000_000, true);
  expect(stubbed(fitted.messages).length).toBeGreaterThanOrEqual(5);
  expect(stubbed(fitted.messages)).not.toContain("u-c9");
});

test("short results are worth more than the line in their place", async () => {
  const messages = conversation(10, 100);
  expect((await fit(messages, 200_000, 100_000)).messages).toBe(messages);
});

test("the line names the id that brings the content back", async () => {
  const fitted = await fit(conversation(3, 5_000), 100_000, 20_000);
  const content = "[Cleared to make room, id c0. Repeat the call if you need the result.]";
  expect(fitted.messages[2]?.content).toMatchObject([{ toolUseId: "c0", content, shows: "nothing" }]);
  expect(fitted.note).toContain("old tool result");
  expect(fitted.note).toMatch(/about [\d.]+k tokens/);
});

const paths = (...files: readonly string[]) =>
  files.flatMap((file, at) => [reading(`c${at}`, file), answering(`c${at}`, 1_000)]);
const start: UserMessage = { role: "user", id: "u", content: [{ type: "text", text: "Do the work." }] };

test("a result that a later call repeats goes first, and its line names that call", async () => {
  const messages = [start, ...paths("old.ts", "twice.ts", "a.ts", "b.ts", "twice.ts", "c.ts", "d.ts")];
  const fitted = await fit(messages, 7_000, 12_000);
  expect(stubbed(fitted.messages)).toEqual(["u-c1"]);
  expect(JSON.stringify(fitted.messages)).toContain("a later call repeats it, id c4");
});

test("among old results a file that was touched again stays longest", async () => {
  const messages = [start, ...paths("used.ts", "old.ts", "a.ts", "b.ts", "c.ts", "d.ts", "e.ts")];
  const edit = { ...asking("edit"), content: [{ ...use("edit", "used.ts"), name: "Edit" }] };
  const fitted = await fit([...messages, edit, answering("edit", 10)], 7_000, 12_000);
  expect(stubbed(fitted.messages)).toEqual(["u-c1"]);
});

test("where clearing would soon be needed again the stage leaves the work to a summary", async () => {
  const words: UserMessage = { ...start, content: [{ type: "text", text: "word ".repeat(9_000) }] };
  const messages = [words, ...conversation(8, 1_000).slice(1)];
  const size = { why: "full", usedTokens: 17_500, windowTokens: 20_000, reservedTokens: 2_000 } as const;
  expect((await compactedBy(clearResults({ onlyIfEnough: true }), messages, size)).messages).toBe(messages);
  expect((await compactedBy(clearResults(), messages, size)).messages).not.toBe(messages);
});

describe("a later call that does not show the content makes no earlier result worthless", () => {
  const call = (id: string, name: string, input: object, content: string, facts: ResultFacts = {}) => {
    const result = { type: "tool_result", toolUseId: id, content, isError: false, ...facts } as const;
    return [
      { ...asking(id), content: [{ type: "tool_use", id, name, input: { ...input } }] },
      { role: "user", id: `u-${id}`, content: [result] },
    ] satisfies readonly Message[];
  };
  const long = "word ".repeat(2_000);
  const file = { file_path: "/p/x.ts" };
  const clearedWith = async (...calls: readonly (readonly Message[])[]) => {
    const messages = [...conversation(1, 10), ...calls.flat(), ...conversation(1, 10)];
    return stubbed((await fit(messages, 24_000, 40_000)).messages);
  };

  test.each([
    ["a Read that shows nothing, because the file is unchanged", "Read", file, { shows: "nothing" }],
    ["a task's newer output", "TaskOutput", { task_id: "b1" }, {}],
  ] as const)("%s", async (_, name, input, facts) => {
    expect(await clearedWith(call("a", name, input, long), call("b", name, input, "short", facts))).not.toContain(
      "u-a",
    );
  });

  test("a Read that stops before the end of the file", async () => {
    const part = call("a", "Read", { ...file, offset: 3_000 }, long);
    const beginning = call("b", "Read", file, "1\tone", { shows: "part" });
    expect(await clearedWith(part, beginning)).toEqual([]);
    expect(await clearedWith(part, call("b", "Read", file, "1\tone"))).toEqual(["u-a"]);
  });
});

describe("the long input of an old call", () => {
  const long = "line of the file\n".repeat(400);
  const round = (id: string, name: string, input: Record<string, unknown>, signature?: string): readonly Message[] => {
    const call: ToolUseBlock = { type: "tool_use", id, name, input, ...(signature !== undefined && { signature }) };
    return [
      { ...asking(id), content: [call] },
      { role: "user", id: `u-${id}`, content: [{ type: "tool_result", toolUseId: id, content: "ok", isError: false }] },
    ];
  };
  const inputOf = (messages: readonly Message[], id: string) =>
    messages
      .flatMap(({ content }): readonly unknown[] => [...content])
      .map((block) => block as ToolUseBlock)
      .find((block) => block.type === "tool_use" && block.id === id)?.input;
  const cleared = async (...rounds: readonly (readonly Message[])[]) => {
    const messages = [start, ...rounds.flat(), ...conversation(1, 10).slice(1)];
    const size = { why: "full", usedTokens: 30_000, windowTokens: 30_000, reservedTokens: 3_000 } as const;
    return compactedBy(clearResults({ canRecall: true }), messages, size);
  };
  const filler = ["x", "y"].flatMap((id) => round(id, "Write", { file_path: `/p/${id}.ts`, content: long.repeat(6) }));

  test("becomes a line with the id of the call, and its short fields stay", async () => {
    const { messages, note } = await cleared(round("w", "Write", { file_path: "/p/a.ts", content: long }), filler);
    expect(inputOf(messages, "w")).toEqual({
      file_path: "/p/a.ts",
      content: expect.stringMatching(/^\[Cleared to make room, id w: \d+ characters; Recall brings them back\]$/),
    });
    expect(note).toContain("old call");
    expect(pairingProblems(messages)).toEqual([]);
  });

  test.each([
    ["Edit", { file_path: "/p/a.ts", old_string: long, new_string: "" }, "old_string"],
    ["Bash", { command: `cat > a.ts <<'EOF'\n${long}` }, "command"],
    ["mcp__x__y", { rows: Array.from({ length: 300 }, (_, at) => ({ at, text: "a row" })) }, "rows"],
  ])("of %s becomes a line too", async (name, input, field) => {
    const { messages } = await cleared(round("w", name, input), filler);
    expect(String(inputOf(messages, "w")?.[field])).toContain("[Cleared to make room, id w");
  });

  test("of a command keeps the beginning of the command", async () => {
    const { messages } = await cleared(round("w", "Bash", { command: `cat > a.ts <<'EOF'\n${long}` }), filler);
    expect(String(inputOf(messages, "w")?.["command"])).toStartWith("cat > a.ts <<'EOF'");
  });

  test("stays in the newest to-do list and in the approved plan", async () => {
    const todos = (text: string) => ({ todos: Array.from({ length: 30 }, (_, at) => ({ content: `${text} ${at}` })) });
    const { messages } = await cleared(
      round("t1", "TodoWrite", todos("first")),
      round("p", "ExitPlanMode", { plan: long }),
      round("t2", "TodoWrite", todos("second")),
      filler,
    );
    expect(String(inputOf(messages, "t1")?.["todos"])).toContain("[Cleared");
    expect(inputOf(messages, "t2")).toEqual(todos("second"));
    expect(inputOf(messages, "p")).toEqual({ plan: long });
  });

  test("of a signed call stays in the turn that is not finished", async () => {
    const { messages } = await cleared(round("w", "Write", { file_path: "/p/a.ts", content: long }, "sig"), filler);
    expect(inputOf(messages, "w")?.["content"]).toBe(long);
  });
});

test("a result that the model has not seen yet stays, also behind a note", async () => {
  const note: UserMessage = { role: "user", id: "note", content: [{ type: "text", text: "A note." }] };
  const messages = [...conversation(6, 1_000), asking("new"), answering("new", 9_000), note];
  const { messages: after } = await fit(messages, 15_000, 16_000);
  expect(stubbed(after)).not.toContain("u-new");
  expect(stubbed(after)).toContain("u-c0");
});

test("a file that a command names stays longer than newer results that nothing needs again", async () => {
  const run: Message = {
    ...asking("run"),
    content: [{ type: "tool_use", id: "run", name: "Bash", input: { command: "npm test -- used.test.ts" } }],
  };
  const files = paths("/p/used.test.ts", "/p/b.ts", "/p/c.ts", "/p/d.ts", "/p/e.ts", "/p/f.ts");
  const { messages } = await fit([start, ...files, run, answering("run", 10)], 7_000, 12_000);
  expect(stubbed(messages)).toEqual(["u-c1"]);
});

test("pages and searches of the web go first, however new they are, but not before the model has seen them", async () => {
  const fetching = (id: string, name = "WebFetch"): AssistantMessage => {
    const content = [{ type: "tool_use", id, name, input: { url: `https://a.example/${id}` } }] as const;
    return { ...reading(id, ""), content };
  };
  const tokens = 1_000;
  const [start, ...rounds] = conversation(20, tokens);
  const seen = [fetching("w1"), answering("w1", tokens), fetching("w2", "WebSearch"), answering("w2", tokens)];
  const last = [asking("last"), answering("last", tokens), fetching("w3"), answering("w3", tokens)];
  const fitted = await fit([start as Message, ...rounds, ...seen, ...last], 29_000, 32_000);
  const gone = stubbed(fitted.messages);
  expect(gone).toContain("u-w1");
  expect(gone).toContain("u-w2");
  expect(gone).not.toContain("u-w3");
  const first = await fit([start as Message, ...rounds, ...seen, ...last], 18_500, 32_000);
  expect(stubbed(first.messages)).toEqual(["u-w1", "u-w2"]);
});

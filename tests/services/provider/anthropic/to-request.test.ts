import { describe, expect, test } from "bun:test";
import type { Message, UserBlock } from "../../../../src/contracts/message.ts";
import { toRequest } from "../../../../src/services/provider/anthropic/to-request.ts";
import { asked, assistant, deepFrozen, MODEL, READ, result, user } from "./support.ts";

const options = { images: true, documents: true, isOwn: ({ model }: { model: string }) => model === MODEL };
const mark = { cache_control: { type: "ephemeral" } };
const bodyOf = (messages: readonly Message[], extra = {}) => toRequest(asked(messages, extra), options);
const messagesOf = (...messages: readonly Message[]) => bodyOf(messages).messages;
const call = (id: string, input = {}) => ({ type: "tool_use", id, name: "Read", input }) as const;

test("a first request carries the system text, the tools and the words of the user, each with its mark", () => {
  expect(bodyOf([user("Hello.")])).toEqual({
    model: MODEL,
    max_tokens: 1_000,
    system: [{ type: "text", text: "Be brief.", ...mark }],
    tools: [{ name: "Read", description: "Reads a file.", input_schema: READ.inputSchema, ...mark }],
    messages: [{ role: "user", content: [{ type: "text", text: "Hello.", ...mark }] }],
    stream: true,
  } as never);
});

test("a blank system text and an empty list of tools are left out", () => {
  expect(Object.keys(bodyOf([user("Hi.")], { system: " \n", tools: [] }))).toEqual([
    "model",
    "max_tokens",
    "messages",
    "stream",
  ]);
});

test("a history without a word of the user cannot be sent", () => {
  expect(() => bodyOf([])).toThrow("There is nothing to send");
  expect(() => bodyOf([user("  ")])).toThrow("There is nothing to send");
});

test("only the last of several tools and the last two turns of the user are marked, at their ends", () => {
  const body = bodyOf(
    [
      user("one"),
      assistant([call("t1")]),
      user(result("t1", "A"), "two"),
      assistant([call("t2"), call("t3")]),
      user(result("t2", "B"), result("t3", "C")),
    ],
    { tools: [READ, { ...READ, name: "Grep" }] },
  );
  const marked = [
    ...(body.system as object[]),
    ...(body.tools ?? []),
    ...body.messages.flatMap(({ content }) => content as object[]),
  ].filter((block) => "cache_control" in block) as unknown[];
  expect(marked).toEqual([
    { type: "text", text: "Be brief.", ...mark },
    { name: "Grep", description: "Reads a file.", input_schema: READ.inputSchema, ...mark },
    { type: "text", text: "two", ...mark },
    { type: "tool_result", tool_use_id: "t3", content: "C", ...mark },
  ]);
});

test("neighbouring messages of the user become one, results first", () => {
  expect(
    messagesOf(
      user("Go."),
      assistant([call("t1"), call("t2")]),
      user("wait", result("t2", "B")),
      user(result("t1", "A"), "now"),
    )[2],
  ).toEqual({
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "t2", content: "B" },
      { type: "tool_result", tool_use_id: "t1", content: "A" },
      { type: "text", text: "wait" },
      { type: "text", text: "now", ...mark },
    ],
  } as never);
});

test("empty and blank text is dropped, and so is a message that is empty without it", () => {
  const messages = messagesOf(user("Hi.", ""), assistant([{ type: "text", text: "\n " }]), user("\t", "More."));
  expect(messages).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "Hi." },
        { type: "text", text: "More.", ...mark },
      ],
    },
  ] as never);
});

test("half surrogate pairs are replaced wherever they stand, keys and declarations included", () => {
  const body = bodyOf(
    [
      user("a\ud800b"),
      assistant([call("t1", { "k\udc00": ["\ud83d", { deep: "\ude00" }] })]),
      user(result("t1", "\ud800")),
    ],
    { system: "s\udfff", tools: [{ ...READ, description: "d\ud800" }] },
  );
  const text = JSON.stringify(body);
  expect(text).not.toMatch(/\\ud[89a-f]/i);
  expect(text.match(/\ufffd/g)).toHaveLength(7);
});

test("a whole pair is left as it is", () => {
  expect(JSON.stringify(messagesOf(user("😀")))).toContain("😀");
});

test("thinking goes back byte for byte with its signature, redacted thinking too", () => {
  const thinking = { type: "thinking", thinking: " Let me\u00a0see… \n", signature: "c2ln+/=" } as const;
  const redacted = { type: "redacted_thinking", data: "b3BhcXVl" } as const;
  const silent = { type: "thinking", thinking: "", signature: "only" } as const;
  const messages = messagesOf(
    user("Go."),
    assistant([thinking, redacted, silent, call("t1")]),
    user(result("t1", "A")),
  );
  expect(messages[1]?.content).toEqual([thinking, redacted, silent, call("t1")]);
});

test("thinking without a signature, of another model, or at the end of a message is dropped", () => {
  const thinking = (signature: string) => ({ type: "thinking", thinking: "Hm.", signature }) as const;
  const text = { type: "text", text: "Yes." } as const;
  const messages = messagesOf(
    user("1"),
    assistant([thinking(""), text]),
    user("2"),
    assistant([thinking("s"), text], "claude-opus-5-5"),
    user("3"),
    assistant([text, thinking("s"), { type: "text", text: " " }]),
    user("4"),
    assistant([thinking("s")]),
    user("5"),
  );
  expect(messages.filter(({ role }) => role === "assistant").map(({ content }) => content)).toEqual([
    [text],
    [text],
    [text],
  ]);
  expect(messages.at(-1)?.content).toEqual([
    { type: "text", text: "4" },
    { type: "text", text: "5", ...mark },
  ] as never);
});

test("a call whose input was malformed goes back with an empty input", () => {
  const broken = { ...call("t1", {}), malformed: { text: '{"a":', problem: "cut" } };
  const messages = messagesOf(user("Go."), assistant([broken]), user(result("t1", "Not JSON.", true)));
  expect(messages.slice(1)).toEqual([
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Read", input: {} }] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t1", content: "Not JSON.", is_error: true, ...mark }],
    },
  ] as never);
});

describe("a history that the API would refuse is fixed", () => {
  test("a call without a result gets one that says so", () => {
    const messages = messagesOf(user("Go."), assistant([call("t1"), call("t2")]), user(result("t2", "B"), "On."));
    expect(messages[2]?.content).toEqual([
      { type: "tool_result", tool_use_id: "t2", content: "B" },
      { type: "tool_result", tool_use_id: "t1", content: "There is no record of how this call ended.", is_error: true },
      { type: "text", text: "On.", ...mark },
    ] as never);
  });

  test("results without a call, second results and words before the user's first are left out", () => {
    const messages = messagesOf(
      assistant([call("t0")]),
      user(result("t0", "?"), "Go."),
      assistant([call("t1")]),
      user(result("t1", "A"), result("t1", "again"), result("other", "?")),
    );
    expect(messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Go.", ...mark }] },
      { role: "assistant", content: [call("t1")] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "A", ...mark }] },
    ] as never);
  });

  test("the assistant never has the last word, nor two turns in a row", () => {
    const said = (text: string) => assistant([{ type: "text", text }]);
    expect(
      messagesOf(user("Go."), said("One "), said("two ")).map(({ role, content }) => [
        role,
        (content as { text: string }[])[0]?.text,
      ]),
    ).toEqual([
      ["user", "Go."],
      ["assistant", "One "],
      ["user", "Go on where you stopped."],
      ["assistant", "two "],
      ["user", "Go on where you stopped."],
    ]);
  });

  test("ids that are doubled or hold odd characters are renamed, in calls and results alike", () => {
    const messages = messagesOf(
      user("Go."),
      assistant([call("a:1"), call("a:1")]),
      user(result("a:1", "first"), result("a:1", "second")),
      assistant([call("a_1")]),
      user(result("a_1", "third")),
    );
    const ids = messages.flatMap(({ content }) =>
      (content as { id?: string; tool_use_id?: string; content?: string }[]).map(
        ({ id, tool_use_id, content: said }) => id ?? (tool_use_id && `${tool_use_id}=${said}`),
      ),
    );
    expect(ids).toEqual([undefined, "a_1", "a_1_2", "a_1=first", "a_1_2=second", "a_1_3", "a_1_3=third"]);
  });

  test("a name that no tool can have is made one", () => {
    const odd = { ...call("t1"), name: "bash.run! ".repeat(30) };
    const [, reply] = messagesOf(user("Go."), assistant([odd, { ...odd, id: "t2", name: "" }]), user("x"));
    const names = (reply!.content as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(["bash_run__".repeat(30).slice(0, 128), "unnamed"]);
  });
});

describe("pictures", () => {
  const image = { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;
  const sent = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
  const withResult = (isError: boolean): UserBlock => ({
    type: "tool_result",
    toolUseId: "t1",
    content: [{ type: "text", text: "A" }, image],
    isError,
  });

  test("go as base64, in results too", () => {
    const messages = messagesOf(user(image, "What is it?"), assistant([call("t1")]), user(withResult(false)));
    expect(messages[0]?.content).toEqual([sent, { type: "text", text: "What is it?", ...mark }] as never);
    expect(messages[2]?.content).toEqual([
      { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "A" }, sent], ...mark },
    ] as never);
  });

  test("are named in words where they are not taken: in a failed result, and by a model without eyes", () => {
    const failed = messagesOf(user("Go."), assistant([call("t1")]), user(withResult(true)));
    expect(JSON.stringify(failed)).toContain("accepts none in a failed result");
    const blind = toRequest(asked([user(image)]), { ...options, images: false });
    expect(JSON.stringify(blind)).not.toContain("base64");
  });
});

test("an empty result has no content", () => {
  const messages = messagesOf(user("Go."), assistant([call("t1")]), user(result("t1", " \n")));
  expect(messages[2]?.content).toEqual([{ type: "tool_result", tool_use_id: "t1", ...mark }] as never);
});

test("nothing that was given is changed", () => {
  const request = deepFrozen(
    asked([user("Go."), assistant([call("t1", { list: [1, { a: null }] })]), user(result("t1", "A"), "On.")]),
  );
  const before = JSON.stringify(request);
  toRequest(request, options);
  expect(JSON.stringify(request)).toBe(before);
});

test("each request begins with the bytes of the one before, the marks aside", () => {
  const history = [
    user("Go."),
    assistant([{ type: "thinking", thinking: "Hm.", signature: "s" }, call("t1")]),
    user(result("t1", "A")),
    assistant([{ type: "text", text: "Done. " }]),
    user("", "More."),
    assistant([call("t1", { b: 1, a: 2 })]),
    user(result("t1", "B")),
  ];
  const plain = (count: number) => {
    const { messages, ...rest } = bodyOf(history.slice(0, count));
    const text = JSON.stringify({ ...rest, messages }).replaceAll(',"cache_control":{"type":"ephemeral"}', "");
    return text.slice(0, text.length - '],"stream":true}'.length);
  };
  const bodies = [1, 3, 5, 7].map(plain);
  for (const [index, body] of bodies.slice(1).entries()) expect(body.startsWith(bodies[index]!)).toBe(true);
  expect(plain(7)).toBe(plain(7));
});

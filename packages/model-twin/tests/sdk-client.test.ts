import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { failing, fault, reply, text, thinking, toolUse } from "../src/scenario.ts";
import { startTwin, type Twin } from "../src/server.ts";
import { READ_TOOL } from "./support/ask.ts";

const client = (twin: Twin) => new Anthropic({ apiKey: "k", baseURL: twin.url, maxRetries: 0 });
const tools = [{ ...READ_TOOL, input_schema: { type: "object" as const } }];
const question = { role: "user" as const, content: "Read a.txt." };
const request = { model: "claude-test", max_tokens: 4096, tools, messages: [question] };

test("the published client talks with the twin over two rounds, in pieces of any size", async () => {
  await using twin = await startTwin({
    scenario: [
      reply([thinking("Ich prüfe…"), toolUse("Read", { file_path: "ü.txt" })], {
        deltaChars: 3,
        cutBytes: { seed: 4, max: 9 },
      }),
      reply([text("Fertig 😀")], { cutBytes: [1] }),
    ],
  });
  const sdk = client(twin);
  const first = await sdk.messages.stream(request).finalMessage();
  const call = first.content.find((block) => block.type === "tool_use")!;
  const answer = { type: "tool_result" as const, tool_use_id: call.id, content: "ok" };
  const messages = [
    question,
    { role: "assistant" as const, content: first.content.map(withoutExtras) },
    { role: "user" as const, content: [answer] },
  ];
  const second = await sdk.messages.stream({ ...request, messages }).finalMessage();

  expect(first.stop_reason).toBe("tool_use");
  expect(call.input).toEqual({ file_path: "ü.txt" });
  expect(second.content).toMatchObject([{ type: "text", text: "Fertig 😀" }]);
  expect(twin.requests.map(({ rejected }) => rejected)).toEqual([[], []]);
});

/** The client keeps its working state on a block in properties of its own. */
function withoutExtras<Block extends object>(block: Block): Block {
  return JSON.parse(JSON.stringify(block)) as Block;
}

test("the published client recognises the errors as the API's", async () => {
  await using twin = await startTwin({
    scenario: [
      failing(fault.rateLimited(3)),
      failing(fault.overloaded()),
      reply("abc", { fault: fault.errorEvent(1) }),
    ],
  });
  const sdk = client(twin);
  const failure = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (error: unknown) => error as InstanceType<typeof Anthropic.APIError>,
    );

  const limited = await failure(sdk.messages.create(request));
  expect(limited).toBeInstanceOf(Anthropic.RateLimitError);
  expect(limited?.headers?.get("retry-after")).toBe("3");
  expect(limited?.requestID).toBe("req_twin_000001");
  expect(await failure(sdk.messages.create(request))).toMatchObject({ status: 529 });
  expect((await failure(sdk.messages.stream(request).finalMessage()))?.message).toContain("overloaded_error");
  expect(await failure(sdk.messages.create({ ...request, max_tokens: 0 }))).toBeInstanceOf(Anthropic.BadRequestError);
});

test("the published client counts tokens", async () => {
  await using twin = await startTwin({ scenario: [] });
  const { max_tokens: _max, ...countable } = request;

  expect((await client(twin).messages.countTokens(countable)).input_tokens).toBeGreaterThan(10);
});

const search = {
  query: "bun 1.4",
  results: [{ url: "https://bun.sh/blog", title: "Bun 1.4", age: "2 days ago", text: "It adds workers." }],
  cites: [{ text: "Bun adds workers.", results: [0] }],
};
const SEARCH_TOOL = { type: "web_search_20250305", name: "web_search", max_uses: 1 } as const;

test("the published client reads a web search, streamed and whole alike", async () => {
  const answer = reply("So: Bun adds workers. The end.", { search, deltaChars: 4 });
  await using twin = await startTwin({ scenario: [answer, answer] });
  const sdk = client(twin);
  const searching = { ...request, tools: [SEARCH_TOOL] };
  const streamed = await sdk.messages.stream(searching).finalMessage();
  const whole = await sdk.messages.create(searching);
  const content = (one: Anthropic.Message) => JSON.parse(JSON.stringify(one.content)) as unknown[];
  expect(content(streamed)).toMatchObject([
    { type: "server_tool_use", name: "web_search", input: { query: "bun 1.4" } },
    { type: "web_search_tool_result", content: [{ type: "web_search_result", page_age: "2 days ago" }] },
    { type: "text", text: "So: " },
    { type: "text", citations: [{ type: "web_search_result_location", cited_text: "It adds workers." }] },
    { type: "text", text: " The end." },
  ]);
  expect(content(streamed).map((block) => (block as { type: string }).type)).toEqual(
    content(whole).map((block) => (block as { type: string }).type),
  );
  expect(streamed.usage.server_tool_use).toMatchObject({ web_search_requests: 1 });
  expect(whole.usage.server_tool_use).toMatchObject({ web_search_requests: 1 });
});

test("a search needs the tool, which takes one list of domains without protocols", async () => {
  await using twin = await startTwin({ scenario: [reply("From memory.", { search })] });
  const sdk = client(twin);
  const plain = await sdk.messages.create(request);
  expect(plain.content.map(({ type }) => type)).toEqual(["text"]);
  const refused = (more: object) =>
    sdk.messages.create({ ...request, tools: [{ ...SEARCH_TOOL, ...more }] }).catch((error: unknown) => String(error));
  expect(await refused({ allowed_domains: ["a.example"], blocked_domains: ["b.example"] })).toContain(
    "cannot both be given",
  );
  expect(await refused({ allowed_domains: ["https://a.example"] })).toContain("allowed_domains");
  expect(await refused({ max_uses: 0 })).toContain("max_uses");
});

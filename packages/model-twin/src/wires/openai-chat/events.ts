import { errorBody, eventFault } from "../openai/api-error.ts";
import type { ChatQuirks } from "../openai/options.ts";
import type { RenderedBlock, RenderedReply } from "../openai/render.ts";
import { pieces } from "../pieces.ts";
import type { Frame, StreamFrames } from "../stream-steps.ts";
import { annotationsOf, envelope, finishReason, isRefusalText, joined, wireUsage } from "./render.ts";

type Delta = Readonly<Record<string, unknown>>;

/** The stream options of a request. */
export type StreamSettings = {
  readonly quirks: ChatQuirks;
  readonly includeUsage: boolean;
  readonly deltaChars: number;
};

/** One server-sent event, as the API writes it: without a name. Format: WHATWG HTML, "Server-sent events". */
export const sse = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
const DONE = "data: [DONE]\n\n";
const PING = ": ping\n\n";

function callDeltas(
  block: Extract<RenderedBlock, { type: "call" }>,
  index: number,
  { quirks, deltaChars }: StreamSettings,
): readonly Delta[] {
  const place = quirks.callIndex === false ? {} : { index };
  const head = { ...place, ...(quirks.callIds !== "missing" && { id: block.id }), type: "function" };
  const whole = quirks.argumentPieces === false;
  const parts = whole ? [] : pieces(block.arguments, deltaChars);
  return [
    { tool_calls: [{ ...head, function: { name: block.name, arguments: whole ? block.arguments : "" } }] },
    ...parts.map((part) => ({ tool_calls: [{ ...place, function: { arguments: part } }] })),
  ];
}

/** Every delta of an answer but the first. The deltas leave out hidden thinking. */
function deltasOf(reply: RenderedReply, settings: StreamSettings): readonly Delta[] {
  const { quirks, deltaChars } = settings;
  const { reasoningField = "reasoning_content" } = quirks;
  const textField = isRefusalText(reply, quirks) ? "refusal" : "content";
  let calls = 0;
  return reply.blocks.flatMap((block): readonly Delta[] => {
    if (block.type === "text") return pieces(block.text, deltaChars).map((part) => ({ [textField]: part }));
    if (block.type === "call") return callDeltas(block, calls++, settings);
    if (block.type === "redacted_thinking" || reasoningField === "none") return [];
    return pieces(block.thinking, deltaChars).map((part) => ({ [reasoningField]: part }));
  });
}

/** The content of the first chunk: whether text follows. */
function firstDelta({ blocks }: RenderedReply): Delta {
  const content = blocks.some(({ type }) => type === "call") && !blocks.some(({ type }) => type === "text") ? null : "";
  return { role: "assistant", content, refusal: null };
}

/** Every chunk of an answer, in order: the role, the deltas, the finish reason, the usage, the end. */
function chunkFrames(reply: RenderedReply, settings: StreamSettings): readonly Frame[] {
  const { usage: told = "on_request" } = settings.quirks;
  const hasOwnChunk = told === "always" || (told === "on_request" && settings.includeUsage);
  const chunk = (choices: readonly unknown[], usage?: unknown) => ({
    ...envelope(reply, "chat.completion.chunk"),
    choices,
    ...(usage !== undefined ? { usage } : hasOwnChunk && { usage: null }),
  });
  const choice = (delta: Delta, reason: string | null = null) => [
    { index: 0, delta, logprobs: null, finish_reason: reason },
  ];
  const usage = wireUsage(reply.usage, reply.search);
  const annotations = annotationsOf(reply.search, joined(reply.blocks, "text"));
  const last = choice({}, finishReason(reply, settings.quirks));
  return [
    { text: sse(chunk(choice(firstDelta(reply)))), isDelta: false },
    ...deltasOf(reply, settings).map((delta) => ({ text: sse(chunk(choice(delta))), isDelta: true })),
    ...(annotations.length > 0 ? [{ text: sse(chunk(choice({ content: "", annotations }))), isDelta: false }] : []),
    { text: sse(told === "with_finish" ? chunk(last, usage) : chunk(last)), isDelta: false },
    ...(hasOwnChunk ? [{ text: sse(chunk([], usage)), isDelta: false }] : []),
    { text: DONE, isDelta: false },
  ];
}

export function streamFrames(reply: RenderedReply, settings: StreamSettings): StreamFrames {
  return {
    frames: chunkFrames(reply, settings),
    ping: PING,
    error: (type, message) => sse(errorBody(eventFault(type, message))),
  };
}

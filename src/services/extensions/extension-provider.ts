import type { ModelBlock, ModelRequest, ProviderDefinition } from "@quoll/extension-api";
import { z } from "zod";
import { errorMessage, ProviderError } from "../../contracts/errors.ts";
import { type AssistantBlock, type Message, textOf, type Usage, type UserBlock } from "../../contracts/message.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "../../contracts/provider.ts";
import { blocksTokens, estimateInputTokens } from "../../contracts/token-estimate.ts";
import { type FaultyCode, withinTime } from "./within-time.ts";

/** The time limit for each part of an answer. */
const PART_MS = 300_000;

const tokens = z.number().int().min(0);
const partSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.literal("tool_call"),
    id: z.string().min(1),
    name: z.string().min(1),
    input: z.record(z.string(), z.unknown()),
  }),
  z.object({ type: z.literal("usage"), inputTokens: tokens, outputTokens: tokens }),
]);
type Part = z.infer<typeof partSchema>;

/** Converts the provider of an extension to a provider of Quoll. */
export function extensionProvider(definition: ProviderDefinition, parts: FaultyCode): Provider {
  const { name } = definition;
  return {
    name,
    async *stream(request, signal) {
      try {
        yield* answerEvents(definition, request, { parts, signal });
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const why = errorMessage(error);
        parts.fault(`the provider ${name}: ${why}`);
        throw new ProviderError(`The provider ${name} of an extension failed: ${why}`, undefined, { cause: error });
      }
    },
  };
}

type Answering = { readonly parts: FaultyCode; readonly signal: AbortSignal };

/** @throws {Error} the extension's code threw, took too long, or gave something else than parts of an answer. */
async function* answerEvents(
  definition: ProviderDefinition,
  request: ProviderRequest,
  answering: Answering,
): AsyncGenerator<ProviderEvent> {
  const content: AssistantBlock[] = [];
  let text = "";
  let reported: Usage | undefined;
  const settled = (): readonly ProviderEvent[] => {
    if (text === "") return [];
    const block = { type: "text", text } as const;
    text = "";
    content.push(block);
    return [{ type: "block_done", block }];
  };
  for await (const part of partsOf(definition, request, answering)) {
    if (part.type === "usage") {
      reported = { ...part, cacheReadTokens: 0, cacheWriteTokens: 0 };
    } else if (part.type === "text") {
      text += part.text.toWellFormed();
      yield { type: "text_delta", text: part.text.toWellFormed() };
    } else {
      yield* settled();
      const { id, name, input } = part;
      const block = { type: "tool_use", id, name, input } as const;
      content.push(block);
      yield { type: "tool_input_delta", toolUseId: id, toolName: name, json: JSON.stringify(input) };
      yield { type: "block_done", block };
    }
  }
  yield* settled();
  if (content.length === 0) throw new Error("it gave an empty answer");
  const usage = reported ?? estimatedUsage(request, content);
  request.spent?.(usage);
  const stopReason = content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
  const { model } = request;
  yield { type: "done", message: { role: "assistant", provider: definition.name, model, content, stopReason, usage } };
}

/** The parts in the form of the API, each within its time. */
async function* partsOf(
  definition: ProviderDefinition,
  request: ProviderRequest,
  { parts: { clock, code }, signal }: Answering,
): AsyncGenerator<Part> {
  const ended = new AbortController();
  const both = AbortSignal.any([signal, ended.signal]);
  const given = givenRequest(request);
  const iterator = code.call(() => definition.answer(given, { signal: both })[Symbol.asyncIterator]());
  try {
    for (;;) {
      const next = await withinTime(() => iterator.next(), { clock, code, ms: PART_MS, signal });
      if (next.done) return;
      const part = partSchema.safeParse(next.value);
      if (!part.success) throw new Error("it returned something other than a part of an answer");
      yield part.data;
    }
  } finally {
    ended.abort(new Error("The answer is over."));
    // An extension that does not end is left alone.
    void Promise.resolve(code.call(() => iterator.return?.())).catch(() => undefined);
  }
}

function givenRequest({ model, system, messages, tools, maxTokens }: ProviderRequest): ModelRequest {
  const given = messages.map(({ role, content }) => ({ role, content: content.flatMap(givenBlock) }));
  return structuredClone({ model, system, messages: given, tools, maxTokens });
}

/** Blocks that only another provider understands are omitted. */
function givenBlock(block: UserBlock | Message["content"][number]): readonly ModelBlock[] {
  switch (block.type) {
    case "text":
      return [{ type: "text", text: block.text }];
    case "image":
    case "document":
      return [{ type: block.type, mediaType: block.mediaType, data: block.data }];
    case "tool_use":
      return [{ type: "tool_call", id: block.id, name: block.name, input: block.input }];
    case "tool_result":
      return [{ type: "tool_result", id: block.toolUseId, content: textOf(block.content), isError: block.isError }];
    default:
      return [];
  }
}

function estimatedUsage({ system, messages, tools }: ProviderRequest, content: readonly AssistantBlock[]): Usage {
  const inputTokens = estimateInputTokens(messages, system.length + JSON.stringify(tools).length);
  const outputTokens = blocksTokens(content);
  return { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: true };
}

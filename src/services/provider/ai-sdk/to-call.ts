import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { AssistantMessage } from "../../../contracts/message.ts";
import type { ModelCapabilities, ProviderRequest } from "../../../contracts/provider.ts";
import type { JsonSchema } from "../../../contracts/tool.ts";
import { callIds } from "../history/call-ids.ts";
import { callsAsText } from "../history/calls-as-text.ts";
import { keepNeutral, neutralTurns, oneCallEach } from "../history/turns.ts";
import { withSchemaInstruction } from "../schema-instruction.ts";
import { isThinkingOff, knownEfforts, wantedEffort } from "../thinking-effort.ts";
import { toPrompt } from "./to-prompt.ts";
import type { Wire } from "./wire.ts";

const ANSWER_NAME = "answer";

export type CallOptions = Omit<LanguageModelV4CallOptions, "abortSignal">;

export type CallContext = {
  readonly wire: Wire;
  readonly capabilities: ModelCapabilities;
  isOwn(message: AssistantMessage): boolean;
};

/**
 * Translates a request into an AI SDK call. The function is pure: the same history gives the same call.
 * @throws {Error} the history contains nothing to send.
 */
export function toCall(request: ProviderRequest, { wire, capabilities, isOwn }: CallContext): CallOptions {
  const { quirks } = wire;
  const ids = () => callIds({ maxChars: quirks.callIdChars, isExact: quirks.exactCallIds });
  const history = neutralTurns(request.messages, { isOwn, keep: keepNeutral, ids });
  const single = capabilities.parallelCalls && quirks.parallelCalls ? history : oneCallEach(history);
  const turns = capabilities.tools ? single : callsAsText(single);
  if (turns.length === 0) throw new Error("There is nothing to send: the conversation has no user message yet.");
  const prompt = toPrompt(turns, {
    system: systemOf(request, quirks),
    images: capabilities.images,
    documents: capabilities.documents,
    imageTypes: wire.imageTypes,
    quirks,
  });
  const tools = capabilities.tools ? request.tools.map(toTool) : [];
  return {
    prompt,
    maxOutputTokens: request.maxTokens,
    ...(tools.length > 0 && { tools }),
    ...reasoning(request, capabilities),
    ...(request.outputSchema && quirks.structuredOutput !== "none" && responseFormat(request.outputSchema)),
    providerOptions: wire.options(request, capabilities),
  };
}

/** A server without structured output gets the schema as text; its JSON mode requires the word JSON too. */
function systemOf({ system, outputSchema }: ProviderRequest, { structuredOutput }: Wire["quirks"]): string {
  if (outputSchema === undefined || structuredOutput === "schema") return system;
  return withSchemaInstruction(system, outputSchema);
}

function toTool({ name, description, inputSchema }: ProviderRequest["tools"][number]) {
  return {
    type: "function" as const,
    name,
    ...(description.trim() !== "" && { description: description.toWellFormed() }),
    // OpenAI rejects an object without these fields.
    inputSchema: { properties: {}, ...inputSchema, type: "object" as const },
  };
}

/** The SDK sets the vendors' own names; compatible servers get theirs from their quirks. */
function reasoning(
  request: ProviderRequest,
  capabilities: ModelCapabilities,
): Pick<LanguageModelV4CallOptions, "reasoning"> {
  if (isThinkingOff(request)) return { reasoning: "none" };
  const effort = wantedEffort(request, knownEfforts(capabilities));
  return effort === undefined ? {} : { reasoning: effort };
}

function responseFormat(schema: JsonSchema): Pick<LanguageModelV4CallOptions, "responseFormat"> {
  return { responseFormat: { type: "json", schema: { ...schema }, name: ANSWER_NAME } };
}

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

export type Call = {
  readonly options: Omit<LanguageModelV4CallOptions, "abortSignal">;
  readonly names: ToolNames;
};

export type CallContext = {
  readonly wire: Wire;
  readonly capabilities: ModelCapabilities;
  isOwn(message: AssistantMessage): boolean;
};

/**
 * Translates a request into an AI SDK call. The function is pure: the same history gives the same call.
 * @throws {Error} the history contains nothing to send.
 */
export function toCall(request: ProviderRequest, { wire, capabilities, isOwn }: CallContext): Call {
  const { quirks } = wire;
  const names = new ToolNames(request.tools.map(({ name }) => name));
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
    toolName: (name) => names.sent(name),
  });
  const tools = capabilities.tools ? request.tools.map((tool) => toTool(tool, names)) : [];
  return {
    names,
    options: {
      prompt,
      maxOutputTokens: request.maxTokens,
      ...(tools.length > 0 && { tools }),
      ...reasoning(request, capabilities),
      ...(request.outputSchema && quirks.structuredOutput !== "none" && responseFormat(request.outputSchema)),
      providerOptions: wire.options(request, capabilities),
    },
  };
}

/** A server without structured output gets the schema as text; its JSON mode requires the word JSON too. */
function systemOf({ system, outputSchema }: ProviderRequest, { structuredOutput }: Wire["quirks"]): string {
  if (outputSchema === undefined || structuredOutput === "schema") return system;
  return withSchemaInstruction(system, outputSchema);
}

function toTool({ name, description, inputSchema }: ProviderRequest["tools"][number], names: ToolNames) {
  return {
    type: "function" as const,
    name: names.sent(name),
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

/** Source: OpenAI's and Google's API references: letters, digits, `_` and `-`, at most 64 characters, a letter or `_` first. */
const MAX_NAME_CHARS = 64;

/**
 * Maps tool names to names that a vendor accepts, and back. Valid names stay; a changed name is unique.
 * Declared names come before names that a model invented.
 */
export class ToolNames {
  readonly #sent = new Map<string, string>();
  readonly #given = new Map<string, string>();

  constructor(declared: readonly string[]) {
    for (const name of declared) this.sent(name);
  }

  /** The name to send. */
  sent(name: string): string {
    const known = this.#sent.get(name);
    if (known !== undefined) return known;
    const plain = printableName(name);
    let sent = plain;
    for (let count = 2; this.#given.has(sent); count += 1) {
      const suffix = `_${count}`;
      sent = `${plain.slice(0, MAX_NAME_CHARS - suffix.length)}${suffix}`;
    }
    this.#sent.set(name, sent);
    this.#given.set(sent, name);
    return sent;
  }

  /** Quoll's name for a tool that a model calls; a name that was never sent is returned unchanged. */
  given(sent: string): string {
    return this.#given.get(sent) ?? sent;
  }
}

function printableName(name: string): string {
  const plain = name.replace(/[^a-zA-Z0-9_-]/g, "_");
  return (/^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`).slice(0, MAX_NAME_CHARS);
}

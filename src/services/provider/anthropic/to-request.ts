import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  Tool,
} from "@anthropic-ai/sdk/resources/messages";
import type { ProviderRequest, ToolDeclaration } from "../../../contracts/provider.ts";
import { type HistoryOptions, type Turn, toTurns } from "./history.ts";

/** Source: Anthropic's API reference, "Prompt caching": at most 4 marks; each caches everything up to its block. */
const CACHED_USER_TURNS = 2;
const CACHE_MARK = { type: "ephemeral" } as const;

/**
 * Translates a request into the body of `POST /v1/messages`.
 *
 * Pure: nothing that is given is changed, and the same history gives the same bytes, so that the prompt cache holds.
 * Marks: the last tool, the system text, and the ends of the last two turns of the user.
 * @throws {Error} the history has nothing that the API would take.
 */
export function toRequest(request: ProviderRequest, options: HistoryOptions): MessageCreateParamsStreaming {
  const turns = toTurns(request.messages, options);
  if (turns.length === 0) throw new Error("There is nothing to send: the conversation has no words of the user yet.");
  const system = systemBlocks(request.system);
  const tools = request.tools.map(toTool);
  return {
    model: request.model,
    max_tokens: request.maxTokens,
    ...(system.length > 0 && { system }),
    ...(tools.length > 0 && { tools: markLast(tools) }),
    messages: markTurns(turns),
    stream: true,
  };
}

function systemBlocks(system: string): TextBlockParam[] {
  const text = system.toWellFormed();
  return text.trim() === "" ? [] : [{ type: "text", text, cache_control: CACHE_MARK }];
}

function toTool({ name, description, inputSchema }: ToolDeclaration): Tool {
  return {
    name,
    ...(description.trim() !== "" && { description: description.toWellFormed() }),
    input_schema: { ...inputSchema, type: "object" },
  };
}

/** Puts a mark on a copy of the last item. */
function markLast<Item extends object>(items: readonly Item[]): Item[] {
  return items.map((item, index) => (index === items.length - 1 ? { ...item, cache_control: CACHE_MARK } : item));
}

function markTurns(turns: readonly Turn[]): MessageParam[] {
  const marked = new Set(turns.filter(({ role }) => role === "user").slice(-CACHED_USER_TURNS));
  return turns.map((turn) => ({
    role: turn.role,
    content: marked.has(turn) ? markLast(turn.content) : ([...turn.content] satisfies ContentBlockParam[]),
  }));
}

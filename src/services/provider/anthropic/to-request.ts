import type {
  MessageCreateParamsStreaming,
  MessageParam,
  OutputConfig,
  TextBlockParam,
  Tool,
  WebSearchTool20250305,
} from "@anthropic-ai/sdk/resources/messages";
import type { Message } from "../../../contracts/message.ts";
import { orUndefined } from "../../../contracts/or-undefined.ts";
import type { Effort, ProviderRequest, ProviderSearch, ToolDeclaration } from "../../../contracts/provider.ts";
import type { JsonSchema } from "../../../contracts/tool.ts";
import { callsAsText } from "../history/calls-as-text.ts";
import type { MediaAbilities } from "../history/media.ts";
import { neutralTurns, type TurnRules } from "../history/turns.ts";
import type { ModelRow } from "../model-rows.ts";
import { withSchemaInstruction } from "../schema-instruction.ts";
import { EFFORT_TOKENS, isThinkingOff, thinkingTokens, wantedEffort } from "../thinking-effort.ts";
import type { ClaudeRequest } from "./client.ts";
import { type ClaudeTurn, claudeRules, claudeTurn } from "./to-blocks.ts";

/** Source: Anthropic's API reference, "Prompt caching": at most 4 marks; each caches everything up to its block. */
const CACHED_USER_TURNS = 2;

const ONE_CALL = { type: "auto", disable_parallel_tool_use: true } as const;

type CacheMark = { readonly type: "ephemeral"; readonly ttl?: "1h" };

export type RequestOptions = Omit<MediaAbilities, "imageTypes"> & {
  readonly isOwn: TurnRules["isOwn"];
  /** The table's row for the model; undefined for an unknown model, which gets no special parameters. */
  readonly row?: ModelRow | undefined;
  /** How long the provider keeps a cached prefix; five minutes by default. */
  readonly cacheTtl?: "5m" | "1h" | undefined;
  /** The request's schema for structured outputs; undefined if it cannot be converted. The model then gets the schema as text. */
  readonly format?: JsonSchema | undefined;
  /** The parts that this server has rejected before. */
  readonly without?: ReadonlySet<Extra> | undefined;
};

/** Parts of a request that a server may not know. */
export type Extra = "thinking" | "effort" | "format" | "cacheTtl";

/**
 * Translates a request into the body of `POST /v1/messages` and the betas that it requires.
 *
 * Pure: the input is not changed, and the same history gives the same bytes, so that the prompt cache holds.
 * Cache marks: the last tool, the system prompt, and the ends of the last two user turns.
 * @throws {Error} the history contains nothing that the API accepts.
 */
export function toClaudeRequest(request: ProviderRequest, options: RequestOptions): ClaudeRequest {
  const { row, without = new Set() } = options;
  const turns = turnsOf(request.messages, options);
  if (turns.length === 0) throw new Error("There is nothing to send: the conversation has no user message yet.");
  const mark: CacheMark =
    options.cacheTtl === "1h" && !without.has("cacheTtl") ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
  const output = outputConfig(request, options);
  const system = systemBlocks(systemOf(request, output), mark);
  const tools = row?.tools === false ? [] : request.tools.map(toTool);
  const search = request.webSearch ? [searchTool(request.webSearch)] : [];
  const thinking = without.has("thinking") ? { fields: {}, betas: [] } : thinkingFields(request, row, turns);
  return {
    body: {
      model: row?.sentAs ?? request.model,
      max_tokens: request.maxTokens,
      ...(system.length > 0 && { system }),
      ...(tools.length + search.length > 0 && { tools: [...markLast(tools, mark), ...search] }),
      ...(tools.length > 0 && row?.parallelCalls === false && { tool_choice: ONE_CALL }),
      messages: markTurns(turns, mark),
      ...thinking.fields,
      ...(output && { output_config: output }),
      stream: true,
    },
    betas: [...(row?.betas ?? []), ...thinking.betas],
  };
}

/** A model without tools gets calls as text, because the API rejects calls without tools. */
function turnsOf(messages: readonly Message[], options: RequestOptions): readonly ClaudeTurn[] {
  const rules = claudeRules(options.isOwn);
  const turns = neutralTurns(messages, rules);
  const sent = options.row?.tools === false ? callsAsText(turns) : turns;
  return sent.map((turn) => claudeTurn(turn, options));
}

/** The body without the betas. */
export function toRequest(request: ProviderRequest, options: RequestOptions): MessageCreateParamsStreaming {
  return toClaudeRequest(request, options).body;
}

/** Only for models that are known to accept an effort; for other models, a budget replaces it. */
function outputConfig(
  request: ProviderRequest,
  { row, format, without = new Set() }: RequestOptions,
): OutputConfig | undefined {
  const takesEffort = row?.thinkingStyle === "adaptive" && !without.has("effort");
  const effort = takesEffort ? wantedEffort(request, row.efforts) : undefined;
  const hasEffort = effort !== undefined;
  const hasFormat = format !== undefined && row !== undefined && !without.has("format");
  if (!hasEffort && !hasFormat) return undefined;
  return {
    ...(hasEffort && { effort }),
    ...(hasFormat && { format: { type: "json_schema", schema: { ...format } } }),
  };
}

/** Without the format, the schema is part of the text. */
function systemOf({ system, outputSchema }: ProviderRequest, output: OutputConfig | undefined): string {
  return outputSchema === undefined || output?.format ? system : withSchemaInstruction(system, outputSchema);
}

function systemBlocks(system: string, mark: CacheMark): TextBlockParam[] {
  const text = system.toWellFormed();
  return text.trim() === "" ? [] : [{ type: "text", text, cache_control: mark }];
}

function toTool({ name, description, inputSchema }: ToolDeclaration): Tool {
  return {
    name,
    ...(description.trim() !== "" && { description: description.toWellFormed() }),
    input_schema: { ...inputSchema, type: "object" },
  };
}

/**
 * Source: Anthropic's documentation, "Web search tool". This version exists on every platform and needs no beta; the later
 * ones filter results by code, which needs a container.
 */
function searchTool({ allowedDomains, blockedDomains }: ProviderSearch): WebSearchTool20250305 {
  return {
    type: "web_search_20250305",
    name: "web_search",
    max_uses: 1,
    ...(allowedDomains && { allowed_domains: [...allowedDomains] }),
    ...(blockedDomains && { blocked_domains: [...blockedDomains] }),
  };
}

/** Puts a cache mark on a copy of the last item. */
function markLast<Item extends object>(items: readonly Item[], mark: CacheMark): Item[] {
  return items.map((item, index) => (index === items.length - 1 ? { ...item, cache_control: mark } : item));
}

function markTurns(turns: readonly ClaudeTurn[], mark: CacheMark): MessageParam[] {
  const marked = new Set(turns.filter(({ role }) => role === "user").slice(-CACHED_USER_TURNS));
  return turns.map((turn) => (marked.has(turn) ? { ...turn, content: markLast(turn.content, mark) } : toParam(turn)));
}

/** The SDK's type does not say that the list is read-only. The SDK does not change it. */
function toParam(turn: ClaudeTurn): MessageParam {
  return turn as MessageParam;
}

/** Source: Anthropic's API reference, "Extended thinking": the minimum budget, which must stay below max_tokens. */
const MIN_BUDGET_TOKENS = 1_024;
/** Reserved for the answer itself. */
const MIN_ANSWER_TOKENS = 1_024;
const DEFAULT_BUDGET: Effort = "medium";
/** Lets a model with a budget think between calls; newer models do so without this beta. */
const INTERLEAVED_BETA = "interleaved-thinking-2025-05-14";

type ThinkingFields = {
  readonly fields: Pick<MessageCreateParamsStreaming, "thinking">;
  readonly betas: readonly string[];
};

const NOTHING: ThinkingFields = { fields: {}, betas: [] };

/**
 * The thinking parameters of a request. If no effort is chosen, the model's default applies.
 *
 * A model with a budget rejects an open tool loop that does not begin with its own thinking (another model began the
 * loop); such a request is sent without thinking.
 */
function thinkingFields(
  request: ProviderRequest,
  row: ModelRow | undefined,
  turns: readonly ClaudeTurn[],
): ThinkingFields {
  const { thinking, effort, maxTokens, tools } = request;
  if (!row?.thinking) return NOTHING;
  if (isThinkingOff(request)) return { fields: { thinking: { type: "disabled" } }, betas: [] };
  if (row.thinkingStyle !== "budget") {
    return thinking ? { fields: { thinking: { type: "adaptive" } }, betas: [] } : NOTHING;
  }
  if (thinking === undefined && effort === undefined) return NOTHING;
  const wanted = Math.max(thinkingTokens(request) ?? EFFORT_TOKENS[effort ?? DEFAULT_BUDGET], MIN_BUDGET_TOKENS);
  const budget = Math.min(wanted, row.thinkingTokens?.max ?? wanted, maxTokens - MIN_ANSWER_TOKENS);
  if (budget < MIN_BUDGET_TOKENS || !loopBeginsWithThinking(turns)) return NOTHING;
  return {
    fields: { thinking: { type: "enabled", budget_tokens: budget } },
    betas: tools.length > 0 ? [INTERLEAVED_BETA] : [],
  };
}

/** True if the open tool loop begins with thinking, or if no loop is open. */
function loopBeginsWithThinking(turns: readonly ClaudeTurn[]): boolean {
  let first: ClaudeTurn | undefined;
  for (let index = turns.length - 1; index > 0 && hasResults(turns[index]); index -= 2) first = turns[index - 1];
  const type = first?.content[0]?.type;
  return first === undefined || type === "thinking" || type === "redacted_thinking";
}

function hasResults(turn: ClaudeTurn | undefined): boolean {
  return turn?.content.some(({ type }) => type === "tool_result") ?? false;
}

type Schema = Readonly<Record<string, unknown>>;

/**
 * A schema in the form of structured outputs: each object is closed, and unsupported constraints move to its description. The engine
 * still checks answers against the original schema.
 * Source: Anthropic's guide "Structured outputs", "JSON Schema limitations"; the conversion is the SDK's.
 * @returns undefined for a schema that cannot be converted: an object with arbitrary keys, which closing would empty, or
 * a part without a type.
 */
export async function answerFormat(schema: JsonSchema): Promise<JsonSchema | undefined> {
  const { transformJSONSchema } = await import("@anthropic-ai/sdk/lib/transform-json-schema");
  return hasOpenObject(schema) ? undefined : converted(schema, transformJSONSchema);
}

function converted(schema: JsonSchema, convert: (schema: Record<string, unknown>) => Schema): JsonSchema | undefined {
  return orUndefined(() => convert({ ...schema }));
}

function hasOpenObject(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasOpenObject);
  if (!isSchema(value)) return false;
  const { type, properties, additionalProperties, patternProperties } = value;
  const isObject = type === "object" || (Array.isArray(type) && type.includes("object"));
  const hasNames = isSchema(properties) && Object.keys(properties).length > 0;
  const isFree = isObject && !hasNames && additionalProperties !== false;
  if (isFree || isSchema(additionalProperties) || patternProperties !== undefined) return true;
  return Object.values(value).some(hasOpenObject);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

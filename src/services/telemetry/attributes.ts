/**
 * Names of attributes and metrics. `gen_ai.*`: OpenTelemetry's semantic conventions for generative AI (status:
 * development);
 * `quoll.*`: Quoll's own names where the conventions have none. `gen_ai.usage.cost` is not part of the conventions, but
 * Langfuse and others read it.
 */
export const ATTRIBUTE = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  agent: "gen_ai.agent.name",
  conversation: "gen_ai.conversation.id",
  session: "session.id",
  requestModel: "gen_ai.request.model",
  maxTokens: "gen_ai.request.max_tokens",
  outputType: "gen_ai.output.type",
  responseModel: "gen_ai.response.model",
  finishReasons: "gen_ai.response.finish_reasons",
  timeToFirstChunk: "gen_ai.response.time_to_first_chunk",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  usageCost: "gen_ai.usage.cost",
  tokenType: "gen_ai.token.type",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  toolName: "gen_ai.tool.name",
  toolCallId: "gen_ai.tool.call.id",
  toolType: "gen_ai.tool.type",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
  errorType: "error.type",
  status: "http.response.status_code",
  source: "quoll.source",
  effort: "quoll.effort",
  attempts: "quoll.attempts",
  attempt: "quoll.attempt",
  delayMs: "quoll.delay_ms",
  costUsd: "quoll.cost.usd",
  outcome: "quoll.outcome",
  steps: "quoll.steps",
  turns: "quoll.turns",
  reason: "quoll.reason",
  level: "quoll.tool.level",
  resultChars: "quoll.tool.result_chars",
  decision: "quoll.decision",
  decidedBy: "quoll.decided_by",
  decidedByText: "quoll.decided_by.text",
  waitedMs: "quoll.waited_ms",
  promptChars: "quoll.prompt.chars",
  prompt: "quoll.prompt",
  errorMessage: "quoll.error.message",
  freedTokens: "quoll.freed_tokens",
  toolsAdded: "quoll.tools.added",
  toolsChanged: "quoll.tools.changed",
  resentTokens: "quoll.resent_tokens",
  missedTokens: "quoll.cache.missed_tokens",
  missedPart: "quoll.cache.missed_part",
  mode: "quoll.permission_mode",
  interactive: "quoll.interactive",
  turnUsage: {
    input: "quoll.usage.input_tokens",
    output: "quoll.usage.output_tokens",
    cacheRead: "quoll.usage.cache_read_tokens",
    cacheWrite: "quoll.usage.cache_write_tokens",
  },
  langfuseUsage: "langfuse.observation.usage_details",
  langfuseInput: "langfuse.observation.input",
  langfuseOutput: "langfuse.observation.output",
} as const;

/** The conventions' names of providers, where they differ from ours. */
const PROVIDER_NAMES: ReadonlyMap<string, string> = new Map([
  ["google", "gcp.gemini"],
  ["vertex", "gcp.vertex_ai"],
  ["bedrock", "aws.bedrock"],
  ["mistral", "mistral_ai"],
  ["xai", "x_ai"],
]);

/** @param name the name in our settings: `anthropic`, `vertex` … */
export function providerName(name: string): string {
  return PROVIDER_NAMES.get(name) ?? name;
}

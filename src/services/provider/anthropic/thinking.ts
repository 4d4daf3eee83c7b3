import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import type { Effort, ProviderRequest } from "../../../contracts/provider.ts";
import type { ModelRow } from "../model-rows.ts";
import { EFFORT_TOKENS, isThinkingOff, thinkingTokens } from "../thinking-effort.ts";
import type { ClaudeTurn } from "./to-blocks.ts";

/** Source: Anthropic's API reference, "Extended thinking": the minimum budget, which must stay below max_tokens. */
const MIN_BUDGET_TOKENS = 1_024;
/** Reserved for the answer itself. */
const MIN_ANSWER_TOKENS = 1_024;
const DEFAULT_BUDGET: Effort = "medium";
/** Lets a model with a budget think between calls; newer models do so without this beta. */
const INTERLEAVED_BETA = "interleaved-thinking-2025-05-14";

export type ThinkingFields = {
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
export function thinkingFields(
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

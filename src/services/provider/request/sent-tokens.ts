import type { ProviderRequest } from "../../../contracts/provider.ts";
import { estimateInputTokens } from "../../../contracts/token-estimate.ts";

/** The estimated input tokens of a request. */
export function sentTokens({
  messages,
  system,
  tools,
}: Pick<ProviderRequest, "messages" | "system" | "tools">): number {
  return estimateInputTokens(messages, system.length + JSON.stringify(tools).length);
}

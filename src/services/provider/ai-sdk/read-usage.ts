import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Usage } from "../../../contracts/message.ts";
import { reportedSearches, reportedUsage } from "../request/reported-usage.ts";

/** The usage of an answer. The vendors' packages know only the cache fields of their own API. */
export function readUsage({ inputTokens: input, outputTokens: output, raw }: LanguageModelV4Usage): Usage {
  const { costUsd, ...reported } = reportedUsage(raw);
  const webSearches = reportedSearches(raw);
  const [knownRead, knownWrite] = [input.cacheRead ?? 0, input.cacheWrite ?? 0];
  const cacheReadTokens = Math.max(knownRead, reported.cacheReadTokens);
  const cacheWriteTokens = Math.max(knownWrite, reported.cacheWriteTokens);
  const fresh = Math.max(0, input.noCache ?? (input.total ?? 0) - knownRead - knownWrite);
  const unknown = cacheReadTokens - knownRead + (cacheWriteTokens - knownWrite);
  const outputTokens = output.total ?? (output.text ?? 0) + (output.reasoning ?? 0);
  return {
    // A server that counts the cache beside the prompt reports more than the prompt has.
    inputTokens: unknown <= fresh ? fresh - unknown : fresh,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    ...(costUsd !== undefined && { costUsd }),
    ...(webSearches !== undefined && { webSearches }),
  };
}

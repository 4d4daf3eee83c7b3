import { expect, test } from "bun:test";
import { statedLimits } from "../../../../src/services/provider/request/stated-limits.ts";

test.each([
  [
    "Your request exceeded model token limit: 262144 (requested: 269030)",
    { contextWindow: 262_144, inputTokens: 269_030 },
  ],
  ["prompt token count of 140000 exceeds the limit of 128000", { contextWindow: 128_000, inputTokens: 140_000 }],
  [
    "The input (45000 tokens) is longer than the model's context length (32768 tokens).",
    { contextWindow: 32_768, inputTokens: 45_000 },
  ],
  ["Range of input length should be [1, 30720]", { contextWindow: 30_720, inputTokens: 30_720 }],
  [
    "Input length (45000 tokens) exceeds the maximum allowed length (32762 tokens).",
    { contextWindow: 32_762, inputTokens: 45_000 },
  ],
  ["Input length 131101 exceeds the maximum length 131072.", { contextWindow: 131_072 }],
  ["length of prompt_tokens (57535) must be less than max_seq_len (32768).", { contextWindow: 32_768 }],
  ["prompt is too long: 210000 tokens > 200000 maximum", { contextWindow: 200_000, inputTokens: 210_000 }],
  ["The decoder prompt (length 45000) is longer than the maximum model length of 32768.", { contextWindow: 32_768 }],
  [
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    { contextWindow: 1_048_576, inputTokens: 1_200_000 },
  ],
] as const)("%p states the window", (words, expected) => {
  expect(statedLimits(undefined, words)).toEqual(expected);
});

test.each([
  ["Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"],
  ["<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]"],
  [
    "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window`",
  ],
  ["max_tokens must be ≤ 8192"],
  ["max_tokens: Input should be less than or equal to 8192"],
  ["max_tokens (100000) exceeds the limit of 8192"],
  ["max_completion_tokens must be between 1 and 8192"],
])("%p states the longest answer", (words) => {
  expect(statedLimits(undefined, words)).toEqual({ maxOutputTokens: 8_192 });
});

test.each([
  ["prompt too long; exceeded max context length by 12000 tokens"],
  ["invalid params, context window exceeds limit (2013)"],
  ["Rate limit reached on tokens per minute (TPM): Limit 10000, Requested 21247"],
])("%p states no window", (words) => {
  expect(statedLimits(undefined, words)?.contextWindow).toBeUndefined();
});

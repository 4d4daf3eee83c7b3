import { expect, test } from "bun:test";
import { refusalKind } from "../../../../src/services/provider/request/failure-kind.ts";

test.each([
  [400, "prompt is too long: 210000 tokens > 200000 maximum"],
  [400, "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"],
  [413, "request_too_large Request exceeds the maximum size"],
  [400, "invalid_request_error context_length_exceeded This model's maximum context length is 128000 tokens."],
  [400, "Your input exceeds the context window of this model. Please adjust your input and try again."],
  [400, "INVALID_ARGUMENT The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."],
  [400, "This model's maximum prompt length is 131072 but the request contains 200000 tokens."],
  [400, "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"],
  [400, "Please reduce the length of the messages or completion."],
  [400, "This endpoint's maximum context length is 200000 tokens. However, you requested about 210000 tokens."],
  [400, "exceed_context_size_error the request exceeds the available context size (4096 tokens), try increasing it"],
  [500, "the request exceeds the available context size. try increasing the context size or enable context shift"],
  [400, "tokens_limit_reached Too many tokens."],
  [400, "Conversation is too long."],
  [400, "Your prompt is too large"],
  [400, "Requested tokens (5230) exceed context window of 4096"],
  [400, "Prompt length 9000 is greater than max_seq_len 8192"],
  [400, "Prompt length (9000) exceeds maximum input length (8192)."],
  [400, "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens."],
  [400, "The model's maximum context limit has been exceeded"],
  [500, "openai_error Prompt exceeds max length"],
  [400, "The decoder prompt (length 5000) is longer than the maximum model length of 4096."],
  [
    400,
    "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
  ],
  [400, "The number of tokens to keep from the initial prompt is greater than the context length."],
  [400, "ValidationException Input is too long for requested model."],
  [422, "`inputs` tokens + `max_new_tokens` must be <= 4097"],
  [422, "Validation `inputs` must have less than 4095 tokens. Given: 5000"],
  [400, "invalid_request_error Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)"],
  [400, "1261 Prompt exceeds max length"],
  [400, "1261 Prompt 超长"],
  [400, "输入长度超过模型上限"],
  [400, "model_max_prompt_tokens_exceeded prompt token count of 140000 exceeds the limit of 128000"],
  [400, "The input (45000 tokens) is longer than the model's context length (32768 tokens)."],
  [400, "bad_request_error invalid params, context window exceeds limit (2013)"],
  [
    400,
    "invalid_parameter_error <400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]",
  ],
  [400, "prompt too long; exceeded max context length by 12000 tokens"],
  [400, "BadRequestError Input length (45000 tokens) exceeds the maximum allowed length (32762 tokens)."],
  [400, "length of prompt_tokens (57535) must be less than max_seq_len (32768)."],
  [400, "Total tokens of image and text exceed max message tokens."],
  [400, "InvalidParameter Input length 131101 exceeds the maximum length 131072."],
  [
    400,
    "The estimated number of input and maximum output tokens (41000) exceeded this model context window limit (32000).",
  ],
  [400, "Unable to submit request because the input token count is 1233000 but model only supports up to 1048576."],
  [400, "Input Tokens Exceeded: Number of input tokens exceeds maximum length."],
  [400, "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 9000."],
  [400, "Prompt has 5000 tokens, but the configured context size is 4096 tokens"],
  [400, "The prompt is too long: 18051, model maximum context length: 16384"],
  [400, "INVALID_ARGUMENT Request payload size exceeds the limit: 20971520 bytes."],
  [413, "tokens_limit_reached Request body too large for gpt-4o model. Max size: 8000 tokens."],
  [
    400,
    "string_above_max_length Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576",
  ],
  [400, "array_above_max_length Invalid 'messages': array too long. Expected an array with maximum length 2048"],
] as const)("%d %p is a prompt that is too long", (status, words) => {
  expect(refusalKind(status, words)).toBe("too_long");
});

test.each([
  [400, "messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes"],
  [400, "At least one of the image dimensions exceed max allowed size: 8000 pixels"],
  [400, "image_too_large The image is too large."],
  [413, "Image size is too large"],
  [400, "invalid_request_error messages.0.content.1.image.source.base64.data: Could not process image"],
  [400, "INVALID_ARGUMENT Unable to process input image. Please retry or report"],
  [400, "image_parse_error You uploaded an unsupported image. Please make sure your image is valid."],
  [400, "Request payload exceeds the limit for an inline image"],
] as const)("%d %p is a picture that is too large", (status, words) => {
  expect(refusalKind(status, words)).toBe("image_too_large");
});

test.each([
  [400, "messages: text content blocks must be non-empty"],
  [400, "tools.0.name: string too long"],
  [400, "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens"],
  [401, "prompt is too long"],
  [429, "Request too large for gpt-x on tokens per minute (TPM)"],
  [500, "Internal error"],
  [500, "image too large for the worker"],
  [500, "Internal server error: unexpected token in the request"],
  [500, "The worker ran out of memory while it read 40000 tokens"],
  [404, "model not found"],
  [400, "max_tokens must be ≤ 8192"],
  [400, "invalid_parameter_error <400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]"],
  [400, "max_tokens: Input should be less than or equal to 8192"],
  [400, "The input field 'max_tokens' exceeds the limit of 8192 tokens"],
  [
    400,
    "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.",
  ],
  [
    400,
    "max_tokens must be less than or equal to 16384, the maximum value for max_tokens is less than the context_window for this model",
  ],
  [
    400,
    "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.example.com/en/thinking#max-tokens-and-context-window-size",
  ],
  [400, "unsupported_parameter Unsupported parameter: 'max_tokens' is not supported with this model."],
  [400, "Rate limit reached: input tokens per minute limit of 50000 exceeded"],
  [400, "Request too large for model on tokens per minute (TPM): Limit 10000, Requested 15088"],
  [400, "Request exceeds your tokens-per-minute limit of 30000"],
  [400, "You exceeded your monthly token limit: 1000000 tokens of input"],
  [429, "Request too large for gpt-x on tokens per min (TPM): Limit 10000, Requested 21247."],
  [400, "Unexpected token < in JSON input at position 5000"],
  [
    400,
    "string_above_max_length Invalid 'input[3].call_id': string too long. Expected a string with maximum length 64",
  ],
  [400, "string_above_max_length Invalid 'input[0].name': string too long. Expected a string with maximum length 64"],
  [400, "messages.3.content.0.tool_use.id: String should have at most 64 characters"],
  [400, "max_tokens limit exceeded"],
  [400, "output tokens limit reached: 8192"],
  [400, "Too many tokens, please wait before trying again."],
  [400, "Request Header Or Cookie Too Large"],
  [400, "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024"],
] as const)("%d %p is neither", (status, words) => {
  expect(refusalKind(status, words)).toBeUndefined();
});

test.each([
  ["Token limit 32768, got 45000", 40_000, "too_long"],
  ["45000 tokens > limit 32768", 40_000, "too_long"],
  ["This model supports 32768 tokens, but got 45000", 40_000, "too_long"],
  ["Token limit 32768, got 45000", 300, undefined],
  ["Token limit 32768, got 45000", undefined, undefined],
  ["max_tokens 40000: limit of tokens is 8192", 40_000, undefined],
] as const)("%p after a request of %p tokens is %p", (words, sentTokens, expected) => {
  expect(refusalKind(400, words, sentTokens)).toBe(expected);
});

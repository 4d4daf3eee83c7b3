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
  [400, "The decoder prompt (length 5000) is longer than the maximum model length of 4096."],
  [
    400,
    "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
  ],
  [400, "The number of tokens to keep from the initial prompt is greater than the context length."],
  [400, "ValidationException Input is too long for requested model."],
  [422, "`inputs` tokens + `max_new_tokens` must be <= 4097"],
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
  [404, "model not found"],
] as const)("%d %p is neither", (status, words) => {
  expect(refusalKind(status, words)).toBeUndefined();
});

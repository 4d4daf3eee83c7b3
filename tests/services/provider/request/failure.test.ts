import { expect, test } from "bun:test";
import {
  BrokenStreamError,
  HttpError,
  RequestFailedError,
} from "../../../../src/services/provider/request/broken-stream.ts";
import { readFailure, refusalKind } from "../../../../src/services/provider/request/failure.ts";

const context = {
  model: "claude-x",
  host: "api.example.com",
  endpoint: "https://api.example.com/v1/messages",
  api: "Messages API",
  addressFrom: "ANTHROPIC_BASE_URL",
  keyVariable: "ANTHROPIC_API_KEY",
  secrets: ["sk-secret"],
  nowMs: 0,
};
const coded = (code: string, message = "low level") => Object.assign(new Error(message), { code });
/** Nests the system's error as Node's fetch does, and the SDK around fetch. */
const nested = (cause: unknown) => new Error("Connection error.", { cause: new TypeError("fetch failed", { cause }) });
const read = (cause: unknown) => readFailure(new RequestFailedError(cause), context);

const rows: readonly (readonly [string, unknown, string, boolean])[] = [
  [
    "no such name",
    coded("ENOTFOUND"),
    "The name of api.example.com cannot be resolved (ENOTFOUND): check the network connection.",
    true,
  ],
  [
    "no such name, in Node",
    nested(coded("EAI_AGAIN")),
    "The name of api.example.com cannot be resolved (EAI_AGAIN): check the network connection.",
    true,
  ],
  [
    "a refused connection, in Node",
    nested(coded("ECONNREFUSED")),
    "api.example.com refuses the connection (ECONNREFUSED): check the address and whether the server is running.",
    true,
  ],
  [
    "a connection that broke, in Bun",
    coded(
      "ECONNRESET",
      "ECONNRESET: The socket connection was closed unexpectedly. For more information, pass `verbose: true` in the second argument to fetch()",
    ),
    "The connection to api.example.com broke (ECONNRESET): The socket connection was closed unexpectedly.",
    true,
  ],
  [
    "a refused connection, in an older Bun",
    coded("ConnectionRefused"),
    "api.example.com refuses the connection (ConnectionRefused): check the address and whether the server is running.",
    true,
  ],
  [
    "an old certificate",
    nested(coded("CERT_HAS_EXPIRED")),
    "The certificate of api.example.com is not trusted (CERT_HAS_EXPIRED).",
    false,
  ],
  [
    "a certificate of one's own",
    coded("DEPTH_ZERO_SELF_SIGNED_CERT"),
    "The certificate of api.example.com is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT). If the certificate is your company's or your own, set NODE_EXTRA_CA_CERTS to the authority's PEM file.",
    false,
  ],
  [
    "a broken connection",
    coded("ECONNRESET", "socket hang up"),
    "The connection to api.example.com broke (ECONNRESET): socket hang up.",
    true,
  ],
  [
    "words without a code",
    nested(new Error("with sk-secret\nin it")),
    "The connection to api.example.com broke: with … in it.",
    true,
  ],
  ["no error at all", "just a string", "The connection to api.example.com broke: just a string.", true],
];
test.each(rows)("%s", (_name, error, message, canRetry) => {
  expect(read(error)).toEqual({ status: undefined, message, canRetry, retryAfterMs: undefined });
});

test("an error of our own code is no failure of the provider", () => {
  expect(readFailure(new TypeError("x is not a function"), context)).toBeUndefined();
});

test("a chain of causes without an end is no trouble", () => {
  const error = coded("ECONNRESET", "loop");
  error.cause = error;
  expect(read(error)?.message).toBe("The connection to api.example.com broke (ECONNRESET): loop.");
});

test("a message of many lines and thousands of characters becomes one line", () => {
  const message = readFailure(new BrokenStreamError(`a\n\tb ${"c".repeat(5_000)}`), context)?.message ?? "";
  expect(message).toStartWith("a b ccc");
  expect([message.length, message.endsWith("…")]).toEqual([500, true]);
});

test("an error page that is not JSON is reported by its text", () => {
  const error = Object.assign(new Error("502 <html>Bad gateway</html>"), {
    status: 502,
    error: undefined,
    headers: new Headers({ "retry-after": "3" }),
  });
  expect(read(error)).toEqual({
    status: 502,
    message: "api.example.com failed (502): <html>Bad gateway</html>.",
    canRetry: true,
    retryAfterMs: 3_000,
  });
});

test.each([
  [
    "an authority of one's own",
    "SELF_SIGNED_CERT_IN_CHAIN",
    /not trusted \(SELF_SIGNED_CERT_IN_CHAIN\)\. If the certificate is your company's or .*/,
  ],
  ["a server without TLS", "ERR_SSL_WRONG_VERSION_NUMBER", /api\.example\.com does not support TLS at this address .*/],
] as const)("%s is told with what can be done", (_name, code, message) => {
  const failure = read(nested(coded(code)));
  expect([failure?.canRetry, failure?.message]).toEqual([false, expect.stringMatching(message) as never]);
});

test("a proxy on the way is named, and blamed where it is at fault", () => {
  const proxied = { ...context, proxy: { host: "proxy.example.com:3128", variable: "HTTPS_PROXY" } };
  const through = (cause: unknown) => readFailure(new RequestFailedError(cause), proxied)?.message;
  expect(through(coded("ECONNREFUSED"))).toBe(
    "The proxy proxy.example.com:3128 cannot be reached (ECONNREFUSED): check HTTPS_PROXY, or add api.example.com to NO_PROXY.",
  );
  expect(through(coded("ECONNRESET"))).toMatch(
    / broke .* The request went through the proxy proxy\.example\.com:3128 \(HTTPS_PROXY\)\.$/,
  );
  expect(
    through(Object.assign(coded("ERR_PROXY_TUNNEL", "Proxy refused to open a tunnel: 403 Forbidden"), { status: 403 })),
  ).toBe(
    "The proxy proxy.example.com:3128 did not connect to api.example.com (403): check HTTPS_PROXY, or add the host to NO_PROXY.",
  );
  expect(through(coded("ProxyConnectFailed"))).toBe(
    "The proxy proxy.example.com:3128 did not connect to api.example.com (ProxyConnectFailed): check HTTPS_PROXY, or add the host to NO_PROXY.",
  );
  expect(through(new HttpError(407, ""))).toBe(
    "The proxy proxy.example.com:3128 requires a user name and a password (407): add them to HTTPS_PROXY.",
  );
});

test.each([
  [403, false],
  [407, false],
  [502, true],
  [504, true],
] as const)("a tunnel that a proxy refuses with %d is asked for again: %p", (status, canRetry) => {
  const proxied = { ...context, proxy: { host: "proxy.example.com:3128", variable: "HTTPS_PROXY" } };
  const refusal = coded("ERR_PROXY_TUNNEL", `Proxy refused to open a tunnel: ${status} No`);
  expect(readFailure(new RequestFailedError(refusal), proxied)?.canRetry).toBe(canRetry);
});

const answered = (status: number | undefined, body: unknown) => read(new HttpError(status, body));

test("an error in the body of a 200 counts by its own type", () => {
  expect(answered(200, { error: { type: "overloaded_error", message: "Busy." } })).toEqual({
    status: 529,
    message: "api.example.com is overloaded (529): Busy.",
    canRetry: true,
    retryAfterMs: undefined,
    isOverload: true,
  });
  expect(answered(200, { error: "weird" })).toEqual({
    status: 200,
    message: "api.example.com returned an error instead of an event stream (200): weird.",
    canRetry: false,
    retryAfterMs: undefined,
  });
});

test("a request waits for a per-minute quota of Google, but not for a daily quota", () => {
  const quota = (quotaId: string) =>
    answered(429, {
      error: {
        code: 429,
        message: "You exceeded your current quota, please check your plan and billing details.",
        status: "RESOURCE_EXHAUSTED",
        details: [
          { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ quotaId }] },
          { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" },
        ],
      },
    });
  expect(quota("GenerateRequestsPerMinutePerProject")).toMatchObject({ canRetry: true, retryAfterMs: 7_000 });
  expect(quota("GenerateRequestsPerDayPerProject")).toMatchObject({ canRetry: false });
});

test("a server that wants a key which is not set names the variable to set", () => {
  const cause = new RequestFailedError(new HttpError(401, {}));
  const message = (isKeyless: boolean) => readFailure(cause, { ...context, isKeyless })?.message;
  expect(message(true)).toBe("api.example.com wants a key (401), and Quoll has none: set ANTHROPIC_API_KEY.");
  expect(message(false)).toBe("api.example.com does not accept the key (401): check ANTHROPIC_API_KEY.");
});

test.each([
  [
    "a key that Google refuses with 400",
    400,
    { error: { message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" } },
    "api.example.com does not accept the key (400): check ANTHROPIC_API_KEY.",
  ],
  [
    "a model that OpenAI lacks",
    404,
    { error: { message: "The model `x` does not exist or you do not have access to it.", code: "model_not_found" } },
    'api.example.com has no model "claude-x" (404): choose another model; "quoll models" lists names.',
  ],
  [
    "a model that Ollama lacks",
    404,
    { error: "model 'x' not found" },
    'api.example.com has no model "claude-x" (404): choose another model; "quoll models" lists names.',
  ],
  [
    "a path that is none",
    404,
    "404 page not found",
    "There is no Messages API at https://api.example.com/v1/messages (404): check ANTHROPIC_BASE_URL.",
  ],
] as const)("%s", (_name, status, body, message) => {
  expect(answered(status, body)).toMatchObject({ status, message, canRetry: false });
});

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

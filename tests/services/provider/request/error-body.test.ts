import { expect, test } from "bun:test";
import { errorWords, statusOfType } from "../../../../src/services/provider/request/error-body.ts";

const words = { type: undefined, text: undefined, status: undefined, retryAfterMs: undefined };

test.each([
  [
    "Anthropic",
    { type: "error", error: { type: "overloaded_error", message: "Busy" } },
    { type: "overloaded_error", text: "Busy" },
  ],
  [
    "OpenAI",
    { error: { message: "No.", type: "invalid_request_error", param: null, code: "model_not_found" } },
    { type: "invalid_request_error model_not_found", text: "No." },
  ],
  [
    "an event of OpenAI's Responses",
    { type: "response.failed", response: { error: { code: "server_error", message: "Sorry." } } },
    { type: "server_error", text: "Sorry." },
  ],
  [
    "Google",
    [
      {
        error: {
          code: 429,
          message: "Quota.",
          status: "RESOURCE_EXHAUSTED",
          details: [
            { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ quotaId: "RequestsPerMinute" }] },
            { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "13.5s" },
          ],
        },
      },
    ],
    { type: "RESOURCE_EXHAUSTED RequestsPerMinute", text: "Quota.", status: 429, retryAfterMs: 13_500 },
  ],
  ["Ollama", { error: "model 'x' not found" }, { text: "model 'x' not found" }],
  [
    "Mistral",
    { object: "error", message: "No.", type: "invalid_model", code: "1500" },
    { type: "invalid_model 1500", text: "No." },
  ],
  ["FastAPI", { detail: "Not Found" }, { text: "Not Found" }],
  ["AWS", { message: "Too many requests" }, { text: "Too many requests" }],
  [
    "Cloudflare",
    { success: false, errors: [{ code: 5021, message: "The estimated number of tokens is too high." }] },
    { text: "The estimated number of tokens is too high." },
  ],
  [
    "MiniMax",
    { base_resp: { status_code: 2013, status_msg: "invalid params, context window exceeds limit" } },
    { type: "2013", text: "invalid params, context window exceeds limit" },
  ],
  ["MiniMax, without one", { base_resp: { status_code: 0, status_msg: "" } }, {}],
  [
    "a router that passes on the server's own",
    {
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: { raw: JSON.stringify({ error: { message: "prompt is too long" } }), provider_name: "House" },
      },
    },
    { text: "Provider returned error: prompt is too long", status: 400 },
  ],
  ["plain text", "Bad gateway", { text: "Bad gateway" }],
  ["nothing", undefined, {}],
  ["null", null, {}],
  ["a number", 7, {}],
  ["an error of no form", { error: { message: 7, code: {} } }, {}],
  ["an empty list", [], {}],
])("the error of %s is read", (_name, body, expected) => {
  expect(errorWords(body)).toEqual({ ...words, ...expected } as never);
});

test("the first known type of several tells the status, and names of an object's own methods none", () => {
  expect(
    ["insufficient_quota x", "x UNAVAILABLE", "throttlingException", "toString", "", undefined].map(statusOfType),
  ).toEqual([429, 503, 429, undefined, undefined, undefined]);
});

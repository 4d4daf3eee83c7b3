import { expect, test } from "bun:test";
import {
  BrokenStreamError,
  HttpError,
  RequestFailedError,
} from "../../../../src/services/provider/request/broken-stream.ts";
import { readFailure } from "../../../../src/services/provider/request/failure.ts";

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

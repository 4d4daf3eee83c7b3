import { expect, test } from "bun:test";
import {
  BrokenStreamError,
  RequestFailedError,
  readFailure,
} from "../../../../src/services/provider/anthropic/failure.ts";

const context = {
  model: "claude-x",
  host: "api.example.com",
  baseUrl: "https://api.example.com",
  keyVariable: "ANTHROPIC_API_KEY",
  secret: "sk-secret",
  nowMs: 0,
};
const coded = (code: string, message = "low level") => Object.assign(new Error(message), { code });
/** As Node's fetch, and the SDK around it, nest what the system said. */
const nested = (cause: unknown) => new Error("Connection error.", { cause: new TypeError("fetch failed", { cause }) });
const read = (cause: unknown) => readFailure(new RequestFailedError(cause), context);

const rows: readonly (readonly [string, unknown, string, boolean])[] = [
  [
    "no such name",
    coded("ENOTFOUND"),
    "The name of api.example.com cannot be resolved (ENOTFOUND): is there a network?",
    true,
  ],
  [
    "no such name, in Node",
    nested(coded("EAI_AGAIN")),
    "The name of api.example.com cannot be resolved (EAI_AGAIN): is there a network?",
    true,
  ],
  [
    "a refused connection, in Node",
    nested(coded("ECONNREFUSED")),
    "api.example.com refuses the connection (ECONNREFUSED): is the address right and the server up?",
    true,
  ],
  [
    "a refused connection, in an older Bun",
    coded("ConnectionRefused"),
    "api.example.com refuses the connection (ConnectionRefused): is the address right and the server up?",
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
    "The certificate of api.example.com is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT).",
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
  expect([message.length, message.endsWith("…")]).toEqual([501, true]);
});

test("an error page that is no JSON is told by its text", () => {
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

import { orUndefined } from "../../../contracts/or-undefined.ts";
import { byWord } from "../../../contracts/words.ts";

/** The content of a vendor's error, in a common form. */
export type ErrorWords = {
  /** Types, codes and status words, joined by spaces. */
  readonly type: string | undefined;
  /** The vendor's message. */
  readonly text: string | undefined;
  /** An HTTP status in the body. */
  readonly status: number | undefined;
  /** The delay in Google's RetryInfo. */
  readonly retryAfterMs: number | undefined;
};

const NO_WORDS: ErrorWords = { type: undefined, text: undefined, status: undefined, retryAfterMs: undefined };

/** Status of an error by its type, code or status word. Sources: the API references of Anthropic, OpenAI, Google and AWS. */
const STATUS_OF_TYPE: ReadonlyMap<string, number> = new Map(
  Object.entries(
    byWord({
      400: "invalid_request_error context_length_exceeded invalid_prompt INVALID_ARGUMENT FAILED_PRECONDITION ValidationException",
      401: "authentication_error invalid_api_key UNAUTHENTICATED",
      402: "billing_error",
      403: "permission_error PERMISSION_DENIED AccessDeniedException",
      404: "not_found_error model_not_found NOT_FOUND ResourceNotFoundException",
      408: "ModelTimeoutException",
      409: "conflict_error",
      413: "request_too_large",
      429: "rate_limit_error insufficient_quota rate_limit_exceeded RESOURCE_EXHAUSTED ThrottlingException ServiceQuotaExceededException",
      500: "api_error server_error INTERNAL InternalServerException ModelStreamErrorException",
      503: "server_is_overloaded slow_down UNAVAILABLE ModelNotReadyException ServiceUnavailableException",
      504: "timeout_error DEADLINE_EXCEEDED",
      529: "overloaded_error",
    }),
  ).map(([type, status]) => [type, Number(status)]),
);
const RETRY_INFO = /google\.rpc\.RetryInfo$/;

/** @param type Types and codes, joined by spaces; the first known word is used. */
export function statusOfType(type: string | undefined): number | undefined {
  for (const word of type?.split(" ") ?? []) {
    // In a stream, AWS writes exceptions with a lower-case first letter: `throttlingException`.
    const status = STATUS_OF_TYPE.get(word) ?? STATUS_OF_TYPE.get(word.charAt(0).toUpperCase() + word.slice(1));
    if (status !== undefined) return status;
  }
  return undefined;
}

/**
 * Reads the body of an error. Known forms: `{error: {type, code, status, message, details}}` (Anthropic, OpenAI, Google),
 * a list of one such object, `{errors: [{message}]}` (Cloudflare), `{error: "…"}`, `{type, message}`, `{detail: …}`, FastAPI's
 * `{detail: [{loc, msg}]}`, `{base_resp: {status_code, status_msg}}` (MiniMax), and plain text. A router's `metadata.raw` is the
 * error of the server behind the router.
 */
export function errorWords(body: unknown): ErrorWords {
  if (typeof body === "string") return { ...NO_WORDS, text: body };
  if (Array.isArray(body)) return errorWords(body[0]);
  const details = field(body, "detail");
  if (Array.isArray(details))
    return { ...NO_WORDS, text: details.map(fieldProblem).filter(Boolean).join("; ") || undefined };
  const first = field(body, "errors");
  const error = [
    field(field(body, "response"), "error"),
    field(body, "error"),
    Array.isArray(first) ? first[0] : undefined,
    details,
    failedResponse(field(body, "base_resp")),
  ].find(isPresent);
  if (typeof error === "string") return { ...NO_WORDS, type: typesOf(body), text: error };
  return wordsOf(error ?? body);
}

/** `stream_options: Extra inputs are not permitted`; the first part of a location is the kind of input, `body`. */
function fieldProblem(problem: unknown): string {
  const [place, message] = [field(problem, "loc"), field(problem, "msg")];
  const words = typeof message === "string" ? message : "";
  return Array.isArray(place) && place.length > 1 ? `${place.slice(1).join(".")}: ${words}` : words;
}

/** Undefined for `{status_code: 0}`, which is a success. */
function failedResponse(response: unknown): unknown {
  const [code, message] = [field(response, "status_code"), field(response, "status_msg")];
  return code === 0 || typeof message !== "string" ? undefined : { code: String(code), message };
}

/** OpenRouter's own message is often only "Provider returned error". */
function routedText(error: unknown): string | undefined {
  const raw = field(field(error, "metadata"), "raw");
  if (typeof raw !== "string" || raw === "") return undefined;
  return orUndefined(() => errorWords(JSON.parse(raw)).text ?? raw) ?? raw;
}

function wordsOf(error: unknown): ErrorWords {
  const details = field(error, "details");
  const own = field(error, "message");
  const text = [own, routedText(error)].filter((words) => typeof words === "string" && words !== "").join(": ");
  const status = [field(error, "code"), field(error, "status")].find((value) => typeof value === "number");
  return {
    type: typesOf(error),
    text: text || undefined,
    status: typeof status === "number" && status >= 100 && status < 600 ? status : undefined,
    retryAfterMs: Array.isArray(details) ? retryInfoMs(details) : undefined,
  };
}

function typesOf(error: unknown): string | undefined {
  const details = field(error, "details");
  const reasons = Array.isArray(details) ? details.flatMap(reasonsOf) : [field(details, "error_code")];
  const words = [field(error, "type"), field(error, "code"), field(error, "status"), ...reasons];
  return words.filter((word) => typeof word === "string" && word !== "").join(" ") || undefined;
}

/** Google's ErrorInfo has a reason, its QuotaFailure has the names of quotas. */
function reasonsOf(detail: unknown): readonly unknown[] {
  const violations = field(detail, "violations");
  return [
    field(detail, "reason"),
    ...(Array.isArray(violations) ? violations.map((each) => field(each, "quotaId")) : []),
  ];
}

function retryInfoMs(details: readonly unknown[]): number | undefined {
  const info = details.find((detail) => RETRY_INFO.test(String(field(detail, "@type"))));
  const delay = /^(\d+(?:\.\d+)?)s$/.exec(String(field(info, "retryDelay")));
  return delay ? Math.round(Number(delay[1]) * 1000) : undefined;
}

/** An object's own field; undefined for any other value. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function isPresent(value: unknown): boolean {
  return typeof value === "string"
    ? value !== ""
    : typeof value === "object" && value !== null && !Array.isArray(value);
}

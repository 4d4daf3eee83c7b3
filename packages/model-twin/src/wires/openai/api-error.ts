import type { Answer } from "../../deliver.ts";
import type { Fault } from "../../scenario.ts";
import type { Problem } from "../../shape.ts";

type ErrorKind = { readonly status: number; readonly type: string; readonly code: string | null };

const SERVER_ERROR: ErrorKind = { status: 500, type: "server_error", code: "server_error" };
const OVERLOADED: ErrorKind = { status: 503, type: "server_error", code: "server_is_overloaded" };
const RATE_LIMIT: ErrorKind = { status: 429, type: "requests", code: "rate_limit_exceeded" };
const QUOTA: ErrorKind = { status: 429, type: "insufficient_quota", code: "insufficient_quota" };
const INVALID: ErrorKind = { status: 400, type: "invalid_request_error", code: null };
const TOO_LONG: ErrorKind = { ...INVALID, code: "context_length_exceeded" };
const BAD_KEY: ErrorKind = { ...INVALID, status: 401, code: "invalid_api_key" };

/** The error types that a scenario may name: the neutral names, which are Anthropic's, and OpenAI's codes (its guide "Error codes"). */
const KINDS: Readonly<Record<string, ErrorKind>> = {
  overloaded_error: OVERLOADED,
  api_error: SERVER_ERROR,
  rate_limit_error: RATE_LIMIT,
  billing_error: QUOTA,
  authentication_error: BAD_KEY,
  permission_error: { ...INVALID, status: 403 },
  not_found_error: { ...INVALID, status: 404 },
  request_too_large: { ...INVALID, status: 413 },
  timeout_error: { ...SERVER_ERROR, status: 504 },
  invalid_request_error: INVALID,
  server_error: SERVER_ERROR,
  server_is_overloaded: OVERLOADED,
  rate_limit_exceeded: RATE_LIMIT,
  insufficient_quota: QUOTA,
  context_length_exceeded: TOO_LONG,
  invalid_api_key: BAD_KEY,
  model_not_found: { ...INVALID, status: 404, code: "model_not_found" },
};

const KINDS_OF_STATUS: Readonly<Record<number, ErrorKind>> = {
  401: BAD_KEY,
  402: QUOTA,
  429: RATE_LIMIT,
  500: { ...SERVER_ERROR, code: null },
  503: OVERLOADED,
  529: OVERLOADED,
};

const MESSAGES: Readonly<Record<number, string>> = {
  429: "The rate limit of this account is reached: try again later",
  500: "The server had an error while it worked on the request",
  503: "The server is overloaded: try again later",
};

/** The provider-neutral message for a prompt that is too long, in the words of Anthropic's API. */
const PROMPT_TOO_LONG = /^prompt is too long/i;

export type ApiError = {
  readonly status: number;
  readonly message: string;
  readonly type?: string | undefined;
  readonly code?: string | null | undefined;
  readonly param?: string | null | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

export type ErrorBody = {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
};

function kindOfStatus(status: number): ErrorKind {
  return KINDS_OF_STATUS[status] ?? { ...(status >= 500 ? { ...SERVER_ERROR, code: null } : INVALID), status };
}

/** OpenAI's name for an error type of a scenario; an unknown type is passed on. */
function kindOfType(type: string): ErrorKind {
  return KINDS[type] ?? { status: 500, type, code: type };
}

export function errorBody({ status, message, type, code, param = null }: ApiError): { readonly error: ErrorBody } {
  const kind = kindOfStatus(status);
  return { error: { message, type: type ?? kind.type, param, code: code === undefined ? kind.code : code } };
}

/** The headers of every answer. */
export const answerHeaders = (requestId: string, contentType = "application/json"): Record<string, string> => ({
  "content-type": contentType,
  "openai-version": "2020-10-01",
  "x-request-id": requestId,
});

export function jsonAnswer(body: unknown, requestId: string, status = 200): Answer {
  return {
    status,
    headers: answerHeaders(requestId),
    steps: [{ kind: "write", text: JSON.stringify(body), paced: false }],
  };
}

/** An error answer with the body and the headers of the API. */
export function errorAnswer(error: ApiError, requestId: string): Answer {
  const answer = jsonAnswer(errorBody(error), requestId, error.status);
  return { ...answer, headers: { ...answer.headers, ...error.headers } };
}

/** The error of a fault `status`. 529, which OpenAI doesn't use, becomes its 503. */
export function statusFault(fault: Extract<Fault, { kind: "status" }>): ApiError {
  const status = fault.status === 529 ? OVERLOADED.status : fault.status;
  const message = fault.message ?? MESSAGES[status] ?? `Error ${status}`;
  const isTooLong = status === 400 && fault.errorType === undefined && PROMPT_TOO_LONG.test(message);
  const named = fault.errorType === undefined ? undefined : kindOfType(fault.errorType);
  const { type, code } = named ?? (isTooLong ? TOO_LONG : kindOfStatus(status));
  const retry = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
  return { status, message, type, code, headers: { ...retry, ...fault.headers } };
}

/** The error of a fault `error_event`, as sent in a stream or, without a stream, as a status. */
export function eventFault(type = "overloaded_error", message?: string): ApiError {
  const kind = kindOfType(type);
  return { ...kind, message: message ?? MESSAGES[kind.status] ?? `Error ${kind.status}` };
}

/** `messages.0.tool_calls.1.id` as OpenAI writes a path: `messages[0].tool_calls[1].id`. */
export const paramOf = (where: string): string => where.replaceAll(/\.(\d+)(?=\.|$)/g, "[$1]");

export function explainProblem({ where, message }: Problem): string {
  return where === "" ? message : `${paramOf(where)}: ${message}`;
}

/**
 * The API's code for a fault in the shape of a request, recognised by the wording of `shape.ts`. Source: refusals
 * that clients of the API have reported.
 */
const CODES: readonly { readonly pattern: RegExp; readonly code: string }[] = [
  { pattern: /^is required/, code: "missing_required_parameter" },
  { pattern: /^is not a field/, code: "unknown_parameter" },
  { pattern: /^is not supported/, code: "unsupported_parameter" },
  { pattern: /^must hold at least/, code: "empty_array" },
  { pattern: /^must be at least/, code: "integer_below_min_value" },
  { pattern: /^must be at most/, code: "integer_above_max_value" },
  { pattern: /^must be .*, not (null|an? \w+)$/, code: "invalid_type" },
];

/** Represents the API's 404 for an item that it does not store; the API itself does not send this code. */
export const ITEM_NOT_FOUND = "item_not_found";

/** The error for the first of a request's faults. */
export function problemError(problem: Problem): ApiError {
  const isMissingItem = problem.code === ITEM_NOT_FOUND;
  const code = problem.code ?? CODES.find(({ pattern }) => pattern.test(problem.message))?.code ?? "invalid_value";
  return {
    status: isMissingItem ? 404 : 400,
    message: explainProblem(problem),
    type: "invalid_request_error",
    code: isMissingItem ? null : code,
    param: problem.where === "" ? null : paramOf(problem.where),
  };
}

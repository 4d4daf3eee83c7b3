import type { Answer } from "../../deliver.ts";
import type { Fault } from "../../scenario.ts";
import { explain, type Problem } from "../../shape.ts";
import { PAYLOAD_PROBLEM } from "./proto.ts";

const RPC = "type.googleapis.com/google.rpc";
const RETRY_INFO = `${RPC}.RetryInfo`;
const SERVICE = "generativelanguage.googleapis.com";

type Detail = { readonly "@type": string; readonly [field: string]: unknown };
type ErrorKind = { readonly code: number; readonly status: string; readonly details?: readonly Detail[] };

const quotaDetail = (quotaId: string): Detail => ({
  "@type": `${RPC}.QuotaFailure`,
  violations: [{ quotaMetric: `${SERVICE}/generate_content_requests`, quotaId }],
});

export const BAD_KEY_DETAIL: Detail = {
  "@type": `${RPC}.ErrorInfo`,
  reason: "API_KEY_INVALID",
  domain: "googleapis.com",
  metadata: { service: SERVICE },
};

const INVALID: ErrorKind = { code: 400, status: "INVALID_ARGUMENT" };
const BAD_KEY: ErrorKind = { ...INVALID, details: [BAD_KEY_DETAIL] };
const OVERLOADED: ErrorKind = { code: 503, status: "UNAVAILABLE" };
const INTERNAL: ErrorKind = { code: 500, status: "INTERNAL" };
const DEADLINE: ErrorKind = { code: 504, status: "DEADLINE_EXCEEDED" };
const NOT_ALLOWED: ErrorKind = { code: 403, status: "PERMISSION_DENIED" };
const NOT_FOUND: ErrorKind = { code: 404, status: "NOT_FOUND" };
const EXHAUSTED: ErrorKind = { code: 429, status: "RESOURCE_EXHAUSTED" };
const RATE_LIMIT: ErrorKind = {
  ...EXHAUSTED,
  details: [quotaDetail("GenerateRequestsPerMinutePerProjectPerModel")],
};
const BILLING: ErrorKind = { ...EXHAUSTED, details: [quotaDetail("GenerateRequestsPerDayPerProjectPerModel")] };

/**
 * The error types that a scenario may name: the neutral names, which are Anthropic's, and Google's own. Source: the Gemini API's
 * "Troubleshooting guide".
 */
const KINDS: Readonly<Record<string, ErrorKind>> = {
  overloaded_error: OVERLOADED,
  api_error: INTERNAL,
  rate_limit_error: RATE_LIMIT,
  billing_error: BILLING,
  authentication_error: BAD_KEY,
  permission_error: NOT_ALLOWED,
  not_found_error: NOT_FOUND,
  request_too_large: INVALID,
  timeout_error: DEADLINE,
  invalid_request_error: INVALID,
  INVALID_ARGUMENT: INVALID,
  FAILED_PRECONDITION: { code: 400, status: "FAILED_PRECONDITION" },
  UNAUTHENTICATED: { code: 401, status: "UNAUTHENTICATED" },
  PERMISSION_DENIED: NOT_ALLOWED,
  NOT_FOUND,
  RESOURCE_EXHAUSTED: RATE_LIMIT,
  CANCELLED: { code: 499, status: "CANCELLED" },
  INTERNAL,
  UNAVAILABLE: OVERLOADED,
  DEADLINE_EXCEEDED: DEADLINE,
};

const KINDS_OF_STATUS: Readonly<Record<number, ErrorKind>> = {
  401: { code: 401, status: "UNAUTHENTICATED" },
  402: BILLING,
  403: NOT_ALLOWED,
  404: NOT_FOUND,
  409: { code: 409, status: "ABORTED" },
  429: RATE_LIMIT,
  499: { code: 499, status: "CANCELLED" },
  503: OVERLOADED,
  504: DEADLINE,
  // Google doesn't use Anthropic's status for an overload.
  529: OVERLOADED,
};

const MESSAGES: Readonly<Record<number, string>> = {
  429: "Too many requests for this model: try again later",
  500: "An internal error has occurred",
  503: "The model is overloaded: try again later",
};
const BILLING_MESSAGE = "You exceeded your current quota: check your plan and billing details";

/** The provider-neutral message for a prompt that is too long, in the words of Anthropic's API. */
const PROMPT_TOO_LONG = /^prompt is too long(?::\D*(\d+)\D+(\d+))?/i;

export type ApiError = {
  readonly code: number;
  readonly message: string;
  readonly status?: string | undefined;
  readonly details?: readonly Detail[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

function kindOfStatus(code: number): ErrorKind {
  return KINDS_OF_STATUS[code] ?? { code, status: code >= 500 ? INTERNAL.status : INVALID.status };
}

const kindOfType = (type: string): ErrorKind => KINDS[type] ?? { code: INTERNAL.code, status: type };

/** The API's message for a prompt that is too long. */
export const tooLong = (tokens: number | string, limit: number | string): string =>
  `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${limit}).`;

export function errorBody({ code, message, status, details }: ApiError) {
  return {
    error: { code, message, status: status ?? kindOfStatus(code).status, ...(details && { details }) },
  };
}

export function jsonAnswer(body: unknown, status = 200): Answer {
  return {
    status,
    headers: { "content-type": "application/json; charset=UTF-8", vary: "Origin, X-Origin, Referer" },
    steps: [{ kind: "write", text: JSON.stringify(body), paced: false }],
  };
}

/** An error answer with the body of the API. */
export function errorAnswer(error: ApiError): Answer {
  const answer = jsonAnswer(errorBody(error), error.code);
  return { ...answer, headers: { ...answer.headers, ...error.headers } };
}

function messageOf(kind: ErrorKind, given: string | undefined): string {
  if (given === undefined) return kind === BILLING ? BILLING_MESSAGE : (MESSAGES[kind.code] ?? `Error ${kind.code}`);
  const [isTooLong, tokens, limit] = PROMPT_TOO_LONG.exec(given) ?? [];
  return isTooLong === undefined ? given : tooLong(tokens ?? "more", limit ?? "fewer");
}

/** The RetryInfo details of an error. Quota details are left out, because they name the real service. */
export const retryInfoOf = ({ details = [] }: ApiError): readonly Detail[] =>
  details.filter((detail) => detail["@type"] === RETRY_INFO);

/**
 * The error of a fault `status`. A delay in seconds is in a RetryInfo, as in the API; a date is in the header,
 * because the API has no other place for it.
 */
export function statusFault(fault: Extract<Fault, { kind: "status" }>): ApiError {
  const { retryAfter } = fault;
  const kind = fault.errorType === undefined ? kindOfStatus(fault.status) : kindOfType(fault.errorType);
  const seconds = retryAfter === undefined || retryAfter === "" ? Number.NaN : Number(retryAfter);
  const wait = Number.isNaN(seconds) ? [] : [{ "@type": RETRY_INFO, retryDelay: `${seconds}s` }];
  const details = [...(kind.details ?? []), ...wait];
  const header = retryAfter !== undefined && Number.isNaN(seconds) ? { "retry-after": String(retryAfter) } : {};
  return {
    code: fault.status === 529 ? OVERLOADED.code : fault.status,
    status: kind.status,
    message: messageOf(kind, fault.message),
    ...(details.length > 0 && { details }),
    headers: { ...header, ...fault.headers },
  };
}

/** The error of a fault `error_event`, as sent in a stream or, without a stream, as a status. */
export function eventFault(type = "overloaded_error", message?: string): ApiError {
  const kind = kindOfType(type);
  return { ...kind, message: messageOf(kind, message) };
}

/** The API's message for a problem. Only the messages of payload problems already name their place. */
export function explainProblem(problem: Problem): string {
  if (problem.code === PAYLOAD_PROBLEM) return problem.message;
  return problem.where === "" ? problem.message : `* GenerateContentRequest.${explain(problem)}`;
}

/** The error for all faults of a request. @param problems at least one. */
export function problemsError(problems: readonly Problem[]): ApiError {
  const isPayload = problems.some(({ code }) => code === PAYLOAD_PROBLEM);
  const descriptions = problems.map(explainProblem);
  const violations = problems.map(({ where }, index) => ({
    ...(where !== "" && { field: where }),
    description: descriptions[index],
  }));
  return {
    ...INVALID,
    message: descriptions.join("\n"),
    ...(isPayload && { details: [{ "@type": `${RPC}.BadRequest`, fieldViolations: violations }] }),
  };
}

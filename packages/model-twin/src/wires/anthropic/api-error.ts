import type { Answer } from "../../deliver.ts";
import type { Fault } from "../../scenario.ts";

/** The API's error types by status. Source: Anthropic's API reference, "Errors". */
const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  408: "timeout_error",
  409: "conflict_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

const MESSAGES: Readonly<Record<number, string>> = {
  429: "This request would exceed the rate limit of the account",
  500: "Internal server error",
  529: "Overloaded",
};

export const DEFAULT_STREAM_ERROR = "overloaded_error";

/** The API's type for a status: `api_error` for 5xx and `invalid_request_error` for 4xx that are not listed. */
export function errorType(status: number): string {
  return ERROR_TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
}

export const errorMessage = (status: number): string => MESSAGES[status] ?? `Error ${status}`;

/** The HTTP status of an error type, for an error without a stream. */
export function statusOfType(type: string): number {
  const known = Object.entries(ERROR_TYPES).find(([, name]) => name === type);
  return known ? Number(known[0]) : 500;
}

const errorBody = (type: string, message: string, requestId: string): string =>
  JSON.stringify({ type: "error", error: { type, message }, request_id: requestId });

export type ApiError = {
  readonly status: number;
  readonly message: string;
  readonly type?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

/** An error answer with the body and the headers of the API. */
export function errorAnswer({ status, message, type, headers }: ApiError, requestId: string): Answer {
  return {
    status,
    headers: { "content-type": "application/json", "request-id": requestId, ...headers },
    steps: [{ kind: "write", text: errorBody(type ?? errorType(status), message, requestId), paced: false }],
  };
}

/** The error of a fault `status`. */
export function statusFault(fault: Extract<Fault, { kind: "status" }>): ApiError {
  const retry = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
  const message = fault.message ?? errorMessage(fault.status);
  return { status: fault.status, message, type: fault.errorType, headers: { ...retry, ...fault.headers } };
}

import type { Answer } from "../../deliver.ts";
import type { Fault } from "../../scenario.ts";
import { encodeEvent } from "./event-stream.ts";

/** Source, for names and statuses: AWS's API reference, InvokeModelWithResponseStream. */
const STATUSES: Readonly<Record<string, number>> = {
  AccessDeniedException: 403,
  InternalServerException: 500,
  ModelErrorException: 424,
  ModelNotReadyException: 429,
  ModelStreamErrorException: 424,
  ModelTimeoutException: 408,
  ResourceNotFoundException: 404,
  ServiceQuotaExceededException: 400,
  ServiceUnavailableException: 503,
  ThrottlingException: 429,
  UnrecognizedClientException: 403,
  ValidationException: 400,
};

/** AWS's exceptions for a scenario's neutral names, which are Anthropic's. AWS's own names stay as they are. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  overloaded_error: "ServiceUnavailableException",
  api_error: "InternalServerException",
  rate_limit_error: "ThrottlingException",
  billing_error: "ServiceQuotaExceededException",
  authentication_error: "UnrecognizedClientException",
  permission_error: "AccessDeniedException",
  not_found_error: "ResourceNotFoundException",
  request_too_large: "ValidationException",
  timeout_error: "ModelTimeoutException",
  invalid_request_error: "ValidationException",
};

const EXCEPTIONS_OF_STATUS: Readonly<Record<number, string>> = {
  401: "UnrecognizedClientException",
  402: "ServiceQuotaExceededException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  408: "ModelTimeoutException",
  413: "RequestEntityTooLargeException",
  424: "ModelErrorException",
  429: "ThrottlingException",
  503: "ServiceUnavailableException",
};

/** The exceptions that a stream may hold; any other failure of the model is a ModelStreamErrorException. */
const IN_STREAM: readonly string[] = [
  "InternalServerException",
  "ModelStreamErrorException",
  "ModelTimeoutException",
  "ServiceUnavailableException",
  "ThrottlingException",
  "ValidationException",
];

const MESSAGES: Readonly<Record<string, string>> = {
  InternalServerException: "The system encountered an unexpected error during processing. Try your request again.",
  ModelStreamErrorException: "The model had an error while it streamed its answer",
  ModelTimeoutException: "The model took too long to answer",
  ServiceQuotaExceededException: "The request goes beyond the service quota of the account",
  ServiceUnavailableException: "The service is overloaded: try again later",
  ThrottlingException: "Too many requests: wait before you try again",
};

/** AWS doesn't use Anthropic's status for an overload. */
const ANTHROPIC_OVERLOADED = 529;
const OVERLOADED = 503;

export type AwsError = {
  readonly status: number;
  readonly exception: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

/** The headers of every answer. */
export const answerHeaders = (requestId: string, contentType = "application/json"): Record<string, string> => ({
  "content-type": contentType,
  "x-amzn-requestid": requestId,
});

export function errorAnswer({ status, exception, message, headers }: AwsError, requestId: string): Answer {
  return {
    status,
    headers: { ...answerHeaders(requestId), "x-amzn-errortype": exception, ...headers },
    steps: [{ kind: "write", text: JSON.stringify({ message }), paced: false }],
  };
}

const exceptionOf = (type: string) => EXCEPTIONS[type] ?? type;
const exceptionOfStatus = (status: number) =>
  EXCEPTIONS_OF_STATUS[status] ?? (status >= 500 ? "InternalServerException" : "ValidationException");

/** The error of a fault `status`. */
export function statusFault(fault: Extract<Fault, { kind: "status" }>): AwsError {
  const status = fault.status === ANTHROPIC_OVERLOADED ? OVERLOADED : fault.status;
  const exception = fault.errorType === undefined ? exceptionOfStatus(status) : exceptionOf(fault.errorType);
  const retry = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
  const message = fault.message ?? MESSAGES[exception] ?? `Error ${status}`;
  return { status, exception, message, headers: { ...retry, ...fault.headers } };
}

/** The error of a fault `error_event`, as a status. */
export function eventFault(type = "overloaded_error", message?: string): AwsError {
  const exception = exceptionOf(type);
  const status = STATUSES[exception] ?? 500;
  return { status, exception, message: message ?? MESSAGES[exception] ?? `Error ${status}` };
}

/** The same in a stream: an exception, which ends it. */
export function exceptionEvent(type?: string, message?: string): Uint8Array {
  const fault = eventFault(type, message);
  const isOwn = IN_STREAM.includes(fault.exception);
  const name = isOwn ? fault.exception : "ModelStreamErrorException";
  const original =
    name === "ModelStreamErrorException"
      ? { originalStatusCode: isOwn ? 500 : fault.status, originalMessage: fault.message }
      : {};
  const headers = {
    ":message-type": "exception",
    ":exception-type": name.charAt(0).toLowerCase() + name.slice(1),
    ":content-type": "application/json",
  };
  return encodeEvent(headers, { message: fault.message, ...original });
}

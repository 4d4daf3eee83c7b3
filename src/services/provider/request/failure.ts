import { errorCode, errorMessage } from "../../../contracts/errors.ts";
import { type Failure, isAboutMoney, isRetriedStatus, retryAfterMs } from "../retry.ts";

/** The stream broke off, said that it failed, or fell silent. Always worth another try, unless the error's type says no. */
export class BrokenStreamError extends Error {
  override name = "BrokenStreamError";
  constructor(
    message: string,
    /** The `type` of an error event: `overloaded_error` … */
    readonly errorType?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The SDK or the network threw while a request was sent or its answer read; `cause` is what they threw. */
export class RequestFailedError extends Error {
  override name = "RequestFailedError";
  constructor(cause: unknown) {
    super(errorMessage(cause), { cause });
  }
}

/** The server said yes, but not with a stream of events: this is not the API. */
export class NoStreamError extends Error {
  override name = "NoStreamError";
  constructor(readonly contentType: string) {
    super(`the answer is ${contentType}`);
  }
}

/** What the lines of an error are made of. */
export type FailureContext = {
  readonly model: string;
  /** Host and port. */
  readonly host: string;
  readonly baseUrl: string;
  /** The environment variable that the key came from. */
  readonly keyVariable: string;
  /** Never shown. */
  readonly secret: string;
  readonly nowMs: number;
};

/** Source: Anthropic's API reference, "Errors". */
const STATUS_OF_TYPE: ReadonlyMap<unknown, number> = new Map(
  Object.entries({
    invalid_request_error: 400,
    authentication_error: 401,
    billing_error: 402,
    permission_error: 403,
    not_found_error: 404,
    conflict_error: 409,
    request_too_large: 413,
    rate_limit_error: 429,
    api_error: 500,
    timeout_error: 504,
    overloaded_error: 529,
  }),
);
const NO_NAME_CODES: ReadonlySet<string> = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_NODATA", "DNSException"]);
const REFUSED_CODES: ReadonlySet<string> = new Set(["ECONNREFUSED", "ConnectionRefused", "FailedToOpenSocket"]);
const CERTIFICATE_CODE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|SSL_|HOSTNAME_MISMATCH/;
const MAX_MESSAGE_CHARS = 500;

/** Reads what a try threw. Undefined for what is neither the API's fault nor the network's, but ours. */
export function readFailure(error: unknown, context: FailureContext): Failure | undefined {
  if (error instanceof BrokenStreamError) return shown(brokenStream(error, context), context);
  return error instanceof RequestFailedError ? shown(httpOrNetwork(error.cause, context), context) : undefined;
}

function shown(failure: Failure, { secret }: FailureContext): Failure {
  return { ...failure, message: oneLine(failure.message, secret) };
}

function brokenStream({ errorType, message }: BrokenStreamError, context: FailureContext): Failure {
  const status = STATUS_OF_TYPE.get(errorType);
  if (status !== undefined) return httpFailure({ status, type: errorType, text: message, headers: undefined }, context);
  return { status, message, canRetry: true, retryAfterMs: undefined };
}

type HttpError = {
  readonly status: number;
  readonly type: string | undefined;
  /** The API's own words. */
  readonly text: string;
  readonly headers: Headers | undefined;
};

function httpOrNetwork(error: unknown, context: FailureContext): Failure {
  if (error instanceof NoStreamError) return noStream(error, context);
  const http = httpError(error);
  return http ? httpFailure(http, context) : networkFailure(error, context);
}

function noStream({ contentType }: NoStreamError, { host }: FailureContext): Failure {
  const message = `${host} answers with ${contentType} instead of a stream of events: check ANTHROPIC_BASE_URL.`;
  return { status: 200, message, canRetry: false, retryAfterMs: undefined };
}

/** The parts of the SDK's APIError, told by their form. */
function httpError(error: unknown): HttpError | undefined {
  if (!(error instanceof Error) || !("status" in error) || typeof error.status !== "number") return undefined;
  const body = "error" in error ? field(error.error, "error") : undefined;
  const text = field(body, "message");
  return {
    status: error.status,
    type: [field(body, "type"), field(field(body, "details"), "error_code")].filter(isString).join(" ") || undefined,
    text: isString(text) ? text : error.message.replace(/^\d{3} /, ""),
    headers: "headers" in error && error.headers instanceof Headers ? error.headers : undefined,
  };
}

function httpFailure({ status, type, text, headers }: HttpError, context: FailureContext): Failure {
  const words = `${type ?? ""} ${text}`;
  const refusesRetry = headers?.get("x-should-retry") === "false";
  return {
    status,
    message: httpMessage({ status, type, text, headers }, context),
    canRetry: isRetriedStatus(status, words) && !refusesRetry,
    retryAfterMs: retryAfterMs(headers?.get("retry-after"), context.nowMs),
  };
}

function httpMessage({ status, type, text, headers }: HttpError, context: FailureContext): string {
  const { host, model, keyVariable } = context;
  if (isAboutMoney(status, `${type ?? ""} ${text}`)) {
    return `${host} refuses for reasons of billing (${status}): ${sentence(text)} Check the plan and the credit of the account.`;
  }
  if (status >= 300 && status < 400) {
    const to = headers?.get("location");
    return `${host} answers with a redirect (${status})${to ? ` to ${to}` : ""}, which is not followed with a key: set ANTHROPIC_BASE_URL to the right address.`;
  }
  switch (status) {
    case 401:
      return `${host} does not accept the key (401): check ${keyVariable}.`;
    case 403:
      return `${host} does not allow this key to use "${model}" (403): ${text}`;
    case 404:
      return type?.includes("not_found_error") === true
        ? `${host} has no model "${model}" (404): name another one with --model; "quoll models" lists names.`
        : `There is no Messages API at ${context.baseUrl}/v1/messages (404): check ANTHROPIC_BASE_URL.`;
    case 413:
      return `The request is too large for ${host} (413): ${sentence(text)} Begin anew with less in the conversation.`;
    case 429:
      return `${host} limits the rate of requests (429): ${text}`;
    case 529:
      return `${host} is overloaded (529): ${text}`;
    default:
      return status >= 500 ? `${host} failed (${status}): ${text}` : `${host} refuses the request (${status}): ${text}`;
  }
}

function networkFailure(error: unknown, { host }: FailureContext): Failure {
  const causes = causesOf(error);
  const code = causes.map(errorCode).findLast((found) => found !== undefined) ?? "";
  const failure = { status: undefined, canRetry: true, retryAfterMs: undefined };
  if (NO_NAME_CODES.has(code)) {
    return { ...failure, message: `The name of ${host} cannot be resolved (${code}): is there a network?` };
  }
  if (REFUSED_CODES.has(code)) {
    return { ...failure, message: `${host} refuses the connection (${code}): is the address right and the server up?` };
  }
  if (CERTIFICATE_CODE.test(code)) {
    return { ...failure, canRetry: false, message: `The certificate of ${host} is not trusted (${code}).` };
  }
  const words = errorMessage(causes.at(-1) ?? error);
  return { ...failure, message: `The connection to ${host} broke${code ? ` (${code})` : ""}: ${words}` };
}

/** The error and what caused it, outermost first. */
function causesOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let next = error; next !== undefined && next !== null && chain.length < 8; ) {
    chain.push(next);
    next = next instanceof Error ? next.cause : undefined;
  }
  return chain;
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

/** One line, the key taken out wherever a server may have repeated it. */
function oneLine(text: string, secret: string): string {
  const plain = secret === "" ? text : text.replaceAll(secret, "…");
  const line = plain.replace(/\s+/g, " ").trim();
  return line.length > MAX_MESSAGE_CHARS ? `${line.slice(0, MAX_MESSAGE_CHARS)}…` : sentence(line);
}

/** A server's own words seldom end as a sentence does, and more is said behind them. */
function sentence(text: string): string {
  return /[.!?…:]["')\]]*$/.test(text) ? text : `${text}.`;
}

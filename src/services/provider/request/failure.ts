import { oneLine } from "@quoll/terminal-text/one-line";
import { errorCode, type ProviderFailureKind } from "../../../contracts/errors.ts";
import { BrokenStreamError, HttpError, NoStreamError, RequestFailedError } from "./broken-stream.ts";
import { refusedCount } from "./count-limit.ts";
import { errorWords, statusOfType } from "./error-body.ts";
import type { FailureContext } from "./failure-context.ts";
import { type HttpFault, httpMessage, saysNoModel, sentence } from "./http-message.ts";
import { networkFailure } from "./network-failure.ts";
import { type Failure, isAboutMoney, isAboutOverload, isRetriedStatus, retryAfterMs } from "./retry.ts";
import { saysTooLong } from "./too-long.ts";

const MAX_MESSAGE_COLUMNS = 500;
const MIN_SECRET_CHARS = 8;
const PROXY_TUNNEL = "ERR_PROXY_TUNNEL";
const MALFORMED_ATTEMPTS = 2;
const INCOMPLETE_ATTEMPTS = 3;
/** The status of a refusal in a stream, or in the body of a 200, that states none. */
const UNSTATED_REFUSAL = 400;
/** Google's daily limits end with the day. */
const DAILY = /per[ _]?day/i;

/** Describes an error of a request. Undefined if neither the API nor the network caused the failure. */
export function readFailure(error: unknown, context: FailureContext): Failure | undefined {
  if (error instanceof BrokenStreamError) return shown(brokenStream(error, context), context);
  return error instanceof RequestFailedError ? shown(httpOrNetwork(error.cause, context), context) : undefined;
}

function shown(failure: Failure, { secrets }: FailureContext): Failure {
  return { ...failure, message: withoutSecrets(failure.message, secrets) };
}

function brokenStream({ errorType, message, fault }: BrokenStreamError, context: FailureContext): Failure {
  const status = statusOfType(errorType);
  if (status !== undefined) return httpFailure({ status, type: errorType, text: message, headers: undefined }, context);
  if (fault === "malformed") return malformedStream(message, context);
  const broken = { status, message, canRetry: true, retryAfterMs: undefined };
  return fault === "incomplete" ? { ...broken, maxAttempts: INCOMPLETE_ATTEMPTS } : broken;
}

/** A server that sends an unreadable event usually does so again. */
function malformedStream(why: string, { host }: FailureContext): Failure {
  const message = `${host} sent an unreadable event: ${why}`;
  return { status: undefined, message, canRetry: true, retryAfterMs: undefined, maxAttempts: MALFORMED_ATTEMPTS };
}

function httpOrNetwork(error: unknown, context: FailureContext): Failure {
  if (error instanceof NoStreamError) return noStream(error, context);
  if (error instanceof HttpError) return bodyFailure(error, context);
  const http = sdkError(error);
  return http ? httpFailure(http, context) : networkFailure(error, context);
}

function noStream({ contentType }: NoStreamError, { host, addressFrom }: FailureContext): Failure {
  const message = `${host} returned ${contentType} instead of an event stream: check ${addressFrom}.`;
  return { status: 200, message, canRetry: false, retryAfterMs: undefined };
}

function bodyFailure({ status, body, headers }: HttpError, context: FailureContext): Failure {
  const { type, text = "it gives no reason", ...given } = errorWords(body);
  const real = status !== undefined && status >= 300 ? status : (given.status ?? statusOfType(type));
  if (real !== undefined) {
    return httpFailure({ status: real, type, text, headers, retryAfterMs: given.retryAfterMs }, context);
  }
  if (refusalKind(UNSTATED_REFUSAL, `${type ?? ""} ${text}`, context.sentTokens) !== undefined)
    return httpFailure({ status: UNSTATED_REFUSAL, type, text, headers }, context);
  // An error event of an unknown kind broke the stream; a body without a stream was the answer.
  if (status === undefined) return { status, message: text, canRetry: true, retryAfterMs: given.retryAfterMs };
  const message = `${context.host} returned an error instead of an event stream (${status}): ${text}`;
  return { status, message, canRetry: false, retryAfterMs: undefined };
}

/** The fields of an SDK's error, recognised by their form: `status`, the parsed body as `error`, `headers`. */
function sdkError(error: unknown): HttpFault | undefined {
  if (!(error instanceof Error) || !("status" in error) || typeof error.status !== "number") return undefined;
  // The status of a proxy, as Bun reports it: the request did not reach the server.
  if (errorCode(error) === PROXY_TUNNEL) return undefined;
  const { type, text, retryAfterMs: asked } = errorWords("error" in error ? error.error : undefined);
  return {
    status: error.status,
    type,
    text: text ?? error.message.replace(/^\d{3} /, ""),
    headers: "headers" in error && error.headers instanceof Headers ? error.headers : undefined,
    retryAfterMs: asked,
  };
}

function httpFailure(fault: HttpFault, context: FailureContext): Failure {
  const { status, type, text, headers } = fault;
  const words = `${type ?? ""} ${text}`;
  const kind = refusalKind(status, words, context.sentTokens);
  const asked = retryAfterHeader(headers, context.nowMs) ?? fault.retryAfterMs;
  // Google also uses "quota" for a limit per minute, but then states a delay.
  const isMoney = isAboutMoney(status, words) && (fault.retryAfterMs === undefined || DAILY.test(words));
  const isRetried = isMoney ? false : isRetriedStatus(status, fault.retryAfterMs === undefined ? words : "");
  return {
    status,
    message: httpMessage(fault, { ...context, isMoney }),
    canRetry: isRetried && kind === undefined && headers?.get("x-should-retry") !== "false",
    retryAfterMs: asked,
    ...(kind && { kind }),
    ...(kind === "too_many" && { countLimit: refusedCount(words) }),
    ...(saysNoModel(fault) && { isNoModel: true }),
    ...(isAboutOverload(status, words) && { isOverload: true }),
  };
}

function retryAfterHeader(headers: Headers | undefined, nowMs: number): number | undefined {
  const ms = headers?.get("retry-after-ms");
  if (ms && /^\d+(\.\d+)?$/.test(ms)) return Math.round(Number(ms));
  return retryAfterMs(headers?.get("retry-after"), nowMs);
}

/**
 * One line without keys, in case the server repeated them. A shorter text is not a secret and may be part of any word.
 */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const hidden = secrets.filter(({ length }) => length >= MIN_SECRET_CHARS);
  const plain = hidden.reduce((left, secret) => left.replaceAll(secret, "…"), text);
  return sentence(oneLine(plain, MAX_MESSAGE_COLUMNS));
}

/** Messages for an image that is too large, or that the server can't read. */
const IMAGE_REFUSED: readonly RegExp[] = [
  /image_too_large|image_parse_error/i,
  // Anthropic, Google, OpenAI
  /could not process image|unable to process input image|unsupported image|invalid image|image data/i,
  /\b(failed|unable) to (decode|load|open|process) (the )?image/i,
  /\bimages?\b[^.]{0,120}\b(exceeds?|too (large|big)|larger than)\b/i,
  /\b(exceeds?|too (large|big)|larger than)\b[^.]{0,60}\bimages?\b/i,
];
const TOO_MANY_IMAGES = /\btoo many images\b/i;
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422]);

/**
 * The recovery that could help after a refusal.
 * @param words The error's type, code and message.
 * @param sentTokens The estimated input tokens of the refused request, if known.
 */
export function refusalKind(status: number, words: string, sentTokens?: number): ProviderFailureKind | undefined {
  // llama.cpp, LM Studio and gateways fail with 500 where other servers refuse.
  if (status === 500) return saysTooLong(words) ? "too_long" : TOO_MANY_IMAGES.test(words) ? "too_many" : undefined;
  if (!REFUSALS.has(status)) return undefined;
  if (status !== 413 && refusedCount(words)) return "too_many";
  // A limit in tokens is the window's, although the text may name images too.
  const isImage = !/\btokens\b/i.test(words) && IMAGE_REFUSED.some((pattern) => pattern.test(words));
  if (isImage) return "image_too_large";
  return status === 413 || saysTooLong(words, sentTokens) ? "too_long" : undefined;
}

import type { CountLimit, ProviderFailureKind } from "../../../contracts/errors.ts";

/** When and after what delay a failed model request is retried. */

export const MAX_ATTEMPTS = 10;
const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 32_000;
const JITTER = 0.25;
/** Quoll does not wait for a server that asks for a longer delay. */
export const MAX_RETRY_AFTER_MS = 60_000;

const RETRIED_STATUSES: ReadonlySet<number> = new Set([408, 409, 429]);
const MONEY =
  /\b(billing|credit balance|credits?|quota|insufficient[ _]funds|insufficient balance|payment|(spend|spending|usage)[ _]limit)\b/i;
const MONEY_STATUSES: ReadonlySet<number> = new Set([400, 402, 403, 429]);
/** Some vendors use their own status with these words instead of 529. */
const OVERLOAD = /\b(overloaded|at capacity|slow[ _]down|over capacity)\b/i;

/** A failed attempt. */
export type Failure = {
  /** The HTTP status, also of an error inside a stream; undefined if the connection failed. */
  readonly status: number | undefined;
  /** The problem in one line, for people. */
  readonly message: string;
  readonly canRetry: boolean;
  /** The delay that the server asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The recovery that could help; undefined if only a retry could. */
  readonly kind?: ProviderFailureKind;
  /** The limit, for `too_many`. */
  readonly countLimit?: CountLimit | undefined;
  /** True if the server does not have the model. */
  readonly isNoModel?: boolean;
  /** The maximum number of attempts; undefined for the general limit. */
  readonly maxAttempts?: number;
  /** The server is running, but too busy. */
  readonly isOverload?: boolean;
};

/**
 * `final`: a retry cannot help. `spent`: all attempts are used. `too_long`: the server asks for a longer delay than
 * Quoll's limit.
 */
export type GivenUp = "final" | "spent" | "too_long";
export type RetryPlan =
  | { readonly retry: true; readonly delayMs: number }
  | { readonly retry: false; readonly because: GivenUp };

/** @param attempt the failed attempt, counting from 1. @param random in [0, 1). */
export function planRetry(failure: Failure, attempt: number, random: () => number): RetryPlan {
  if (!failure.canRetry) return { retry: false, because: "final" };
  if ((failure.retryAfterMs ?? 0) > MAX_RETRY_AFTER_MS) return { retry: false, because: "too_long" };
  if (attempt >= (failure.maxAttempts ?? MAX_ATTEMPTS)) return { retry: false, because: "spent" };
  return { retry: true, delayMs: failure.retryAfterMs ?? backoffMs(attempt, random) };
}

/**
 * The delay is 0.5 s × 2ⁿ up to 32 s, spread by ±25 % so that many clients do not return at the same time. Whole
 * milliseconds.
 */
export function backoffMs(attempt: number, random: () => number): number {
  const plain = Math.min(BASE_DELAY_MS * 2 ** (attempt - 1), MAX_DELAY_MS);
  return Math.round(plain * (1 - JITTER + 2 * JITTER * random()));
}

/** True if an answer with this status is worth a retry. Billing errors never are. */
export function isRetriedStatus(status: number, text: string): boolean {
  if (isAboutMoney(status, text)) return false;
  return RETRIED_STATUSES.has(status) || status >= 500;
}

/** @param text the error's type, code and message. */
export function isAboutMoney(status: number, text: string): boolean {
  return status === 402 || (MONEY_STATUSES.has(status) && MONEY.test(text.replaceAll("_", " ")));
}

/** @param text the error's type, code and message. */
export function isAboutOverload(status: number, text: string): boolean {
  return status === 529 || ((status === 429 || status >= 500) && OVERLOAD.test(text.replaceAll("_", " ")));
}

/** Reads Retry-After: seconds or an HTTP date (RFC 9110, 10.2.3). Undefined if the header is missing or invalid. */
export function retryAfterMs(value: string | null | undefined, nowMs: number): number | undefined {
  const text = value?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  const at = Date.parse(text);
  return Number.isNaN(at) || !/[a-z]/i.test(text) ? undefined : Math.max(0, at - nowMs);
}

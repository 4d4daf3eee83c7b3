import { Readable } from "node:stream";
import { errorCode, errorMessage, ToolFailedError } from "../../../contracts/errors.ts";
import { parsedJson } from "../../../contracts/parsed-json.ts";
import type { WebSearchQuery } from "../../../contracts/web.ts";
import type { Environment } from "../../../platform/env.ts";
import { proxiedFetch, proxyFor } from "../../../platform/proxy-route.ts";
import type { SearchService, ServiceAnswer } from "../search/search-service.ts";
import { readBody } from "./read-page-body.ts";
import { type Answered, usableProxy } from "./send-request.ts";

/** The whole time of a search. */
export const SEARCH_TIMEOUT_MS = 20_000;
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

const SERVER_FAULT = 500;
const TOO_MANY = 429;
const REFUSED: ReadonlySet<number> = new Set([401, 403]);

export type ServiceAccess = {
  readonly service: SearchService;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Empty for a service without a key. */
  readonly key: string;
  /** How to set another key: `set BRAVE_API_KEY or run "quoll auth login brave"`. */
  readonly remedy: string;
  readonly environment: Environment;
  readonly userAgent: string;
  readonly timeoutMs?: number;
};

/**
 * Sends one search to a service.
 * @throws {ToolFailedError} the service did not answer with results, as one line without the key.
 * @throws the abort reason of `signal`.
 */
export async function askService(
  query: WebSearchQuery,
  access: ServiceAccess,
  signal: AbortSignal,
): Promise<ServiceAnswer> {
  const { service, timeoutMs = SEARCH_TIMEOUT_MS } = access;
  const timer = AbortSignal.timeout(timeoutMs);
  const ended = AbortSignal.any([signal, timer]);
  try {
    const { status, header, body } = await send(query, access, ended);
    if (status < 200 || status > 299) throw refusal(access, status, header("retry-after"));
    const answer = parsedJson(body?.toString("utf8") ?? "");
    const read = answer === undefined ? undefined : service.read(answer);
    if (!read) throw new ToolFailedError(`${service.label} answered in a form that Quoll does not know.`);
    return read;
  } catch (error) {
    signal.throwIfAborted();
    if (timer.aborted)
      throw new ToolFailedError(`${service.label} did not answer within ${timeoutMs / 1000} s: try again later.`);
    if (error instanceof ToolFailedError) throw error;
    const why = errorCode(error) ?? errorMessage(error).split("\n")[0] ?? "";
    throw new ToolFailedError(`${service.label} can't be reached (${why}).`, { cause: error });
  }
}

async function send(query: WebSearchQuery, access: ServiceAccess, signal: AbortSignal) {
  const { service, baseUrl, key, environment, userAgent } = access;
  const { path, headers, body } = service.request(query, key);
  const url = `${baseUrl}${path}`;
  const route = proxyFor(url, environment);
  const proxy = route && usableProxy(route);
  if (route && proxy === undefined)
    throw new ToolFailedError(
      `${route.variable} names no http or https proxy, and ${service.label} is reached through it.`,
    );
  const fetch = proxy === undefined ? globalThis.fetch : proxiedFetch(globalThis.fetch, proxy);
  const response = await fetch(url, {
    method: body ? "POST" : "GET",
    // A redirect would take the key to another host.
    redirect: "manual",
    signal,
    headers: {
      accept: "application/json",
      "user-agent": userAgent,
      ...(body && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const header = (name: string) => response.headers.get(name) ?? undefined;
  const stream = response.body ? Readable.fromWeb(response.body as never) : Readable.from([]);
  stream.on("error", () => undefined);
  const isRead = response.ok;
  if (!isRead) stream.destroy();
  // The client has decompressed it already.
  const plain = {
    status: response.status,
    header: (name: string) => (name === "content-encoding" ? undefined : header(name)),
  };
  const bytes = isRead ? await bodyOf({ ...plain, body: stream }, service, signal) : undefined;
  return { status: response.status, header, body: bytes };
}

/** @throws {ToolFailedError} the body is too large, or ends too early. */
async function bodyOf(answered: Answered, { label }: SearchService, signal: AbortSignal): Promise<Buffer> {
  try {
    return await readBody(answered, MAX_ANSWER_BYTES, signal);
  } catch (error) {
    if (!(error instanceof ToolFailedError)) throw error;
    throw new ToolFailedError(`The answer of ${label} can't be used: ${error.message}.`, { cause: error });
  }
}

function refusal({ service, remedy }: ServiceAccess, status: number, wait: string | undefined): ToolFailedError {
  const { label, statuses, needsKey } = service;
  const seconds = /^\d{1,6}$/.test(wait ?? "") ? `in ${wait} s` : "later";
  const known = statuses?.[status];
  if (known !== undefined) return new ToolFailedError(`${known} (${status})`);
  if (REFUSED.has(status) && needsKey)
    return new ToolFailedError(`${label} refuses the key (${status}). A person can change it: ${remedy}.`);
  if (status === TOO_MANY)
    return new ToolFailedError(`${label} limits the number of searches (${status}): try again ${seconds}.`);
  if (status >= SERVER_FAULT)
    return new ToolFailedError(`${label} has a fault of its own (${status}): try again later.`);
  return new ToolFailedError(`${label} refused the search (${status}).`);
}

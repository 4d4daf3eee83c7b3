import http from "node:http";
import https from "node:https";
import { Readable } from "node:stream";
import { ToolFailedError } from "../../../contracts/errors.ts";
import type { WebAddress } from "../../../contracts/web.ts";
import { type ProxyRoute, proxiedFetch } from "../../../platform/proxy-route.ts";
import { guardedLookup, type Resolve } from "../../../platform/resolve-host.ts";

const ACCEPT = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5";
const ENCODINGS = "gzip, deflate, br";

/** The beginning of an answer. */
export type Answered = {
  readonly status: number;
  /** A header by its name in lower case; undefined if it is missing. */
  header(name: string): string | undefined;
  /** As the server sent it, not decompressed. */
  readonly body: Readable;
};

export type Sending = {
  readonly userAgent: string;
  /** Judges each address of a name before a connection is made. */
  isAllowed(address: string): boolean;
  /** Undefined for the system's own resolver. */
  readonly resolve?: Resolve | undefined;
};

/**
 * Sends one GET request without cookies, referrer and credentials, and follows no redirect. The connection goes to one
 * of the addresses that were judged.
 * @throws {Error} a system error, or one with the code `EACCES` for a refused address.
 */
export function sendDirectly({ url }: WebAddress, sending: Sending, signal: AbortSignal): Promise<Answered> {
  const client = url.startsWith("https:") ? https : http;
  const lookup = guardedLookup(sending.isAllowed, sending.resolve);
  return new Promise((resolve, reject) => {
    // An agent would keep connections, and with them the addresses of earlier requests.
    const request = client.get(url, { agent: false, lookup, headers: fieldsOf(sending) });
    const end = () => void request.destroy(abortError(signal));
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    request.once("close", () => signal.removeEventListener("abort", end));
    request.on("error", reject);
    request.once("response", (message) => {
      // A body that ends early is reported where it is read.
      message.on("error", () => undefined);
      resolve({
        status: message.statusCode ?? 0,
        header: (name) => firstOf(message.headers[name]),
        body: message,
      });
    });
  });
}

function firstOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.[0];
}

/**
 * Sends the same request through a proxy, which resolves the name.
 * @throws {ToolFailedError} the variable names no proxy that can be used.
 */
export async function sendThrough(
  route: ProxyRoute,
  { url }: WebAddress,
  { userAgent }: Pick<Sending, "userAgent">,
  signal: AbortSignal,
): Promise<Answered> {
  const proxy = usableProxy(route);
  if (proxy === undefined)
    throw new ToolFailedError(`${route.variable} names no http or https proxy, and WebFetch can use no other`);
  const fetch = proxiedFetch(globalThis.fetch, proxy);
  // `decompress` belongs to Bun; Node's way through a proxy never decompresses.
  const options = { redirect: "manual", signal, headers: fieldsOf({ userAgent }), decompress: false } as const;
  const { status, headers, body } = await fetch(url, options);
  const stream = body ? Readable.fromWeb(body as never) : Readable.from([]);
  stream.on("error", () => undefined);
  return { status, header: (name) => headers.get(name) ?? undefined, body: stream };
}

/** The address of a proxy that Quoll can use; undefined if the variable names no such proxy. */
export function usableProxy({ url, host }: ProxyRoute): string | undefined {
  return host !== "" && /^https?:/i.test(url) ? url : undefined;
}

function fieldsOf({ userAgent }: Pick<Sending, "userAgent">): Record<string, string> {
  return { accept: ACCEPT, "accept-encoding": ENCODINGS, "accept-language": "en, *;q=0.5", "user-agent": userAgent };
}

function abortError({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error("The request was ended.");
}

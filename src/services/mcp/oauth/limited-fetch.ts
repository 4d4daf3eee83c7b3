import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { describeRemote } from "../transport/session-error.ts";
import { LoginError } from "./login-error.ts";

/** Time limit of one request to an authorization server. */
const REQUEST_MS = 30_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Metadata and tokens are a few kilobytes. */
const MAX_BODY_BYTES = 1024 * 1024;

export type FetchLimits = {
  /** The MCP server; only a server on this machine may name addresses on this machine. */
  readonly serverUrl: string;
  readonly limitMs?: number;
};

/**
 * A `fetch` for metadata and tokens: limited in time and size, and only to addresses where nobody on the network can
 * eavesdrop, including each redirect. A request with a body, which may hold a secret, is not redirected.
 */
export function limitedFetch(
  fetch: FetchLike,
  signal: AbortSignal,
  { serverUrl, limitMs = REQUEST_MS }: FetchLimits,
): FetchLike {
  const isLocal = isLoopback(new URL(serverUrl));
  const assertAllowed = (address: URL) => {
    assertSafe(address);
    if (!isLocal && isOnThisMachine(address))
      throw new LoginError(`it names the address ${address.origin}, which is on this machine`);
  };
  return async (input, init) => {
    assertAllowed(new URL(input));
    const late = AbortSignal.timeout(limitMs);
    const { host } = new URL(input);
    try {
      const sent = { ...init, signal: AbortSignal.any([signal, late]) };
      const response = await redirected(new URL(input), sent, { fetch, assertAllowed });
      const body = await limitedBody(response, host);
      const { status, statusText, headers } = response;
      return new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (late.aborted) throw new LoginError(`${host} did not answer within ${limitMs / 1_000} s`, { cause: error });
      if (error instanceof LoginError) throw error;
      // The library treats a TypeError as a browser's cross-origin refusal, and continues without the answer.
      throw new LoginError(describeRemote(error).replace(/^it /, `${host} `), { cause: error });
    }
  };
}

/** @throws {LoginError} others on the network could read the request. */
export function assertSafe(address: string | URL): void {
  const url = new URL(address);
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url))) return;
  throw new LoginError(`${url.origin} is not encrypted, so Quoll does not log in there (https is needed)`);
}

/** `URL` has already normalised other spellings of an address, such as a single decimal number, to four parts. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(hostname);
}

/** True also for addresses whose connections end on this machine, although they are not loopback addresses. */
function isOnThisMachine(url: URL): boolean {
  return (
    isLoopback(url) || /^(localhost\.|.+\.localhost\.|0(\.\d{1,3}){3}|\[::\]|\[::ffff:0:\d+\])$/.test(url.hostname)
  );
}

type Hops = { readonly fetch: FetchLike; assertAllowed(address: URL): void };

/**
 * Follows redirects; each address is checked before it is requested.
 * @throws {LoginError} an address that is not allowed.
 */
async function redirected(first: URL, init: RequestInit, { fetch, assertAllowed }: Hops): Promise<Response> {
  let address = first;
  for (let count = 0; ; count += 1) {
    const answer = await fetch(address, { ...init, redirect: "manual" });
    const location = REDIRECTS.has(answer.status) ? answer.headers.get("location") : null;
    if (location === null || init.redirect === "manual") return answer;
    await answer.body?.cancel();
    if ((init.method ?? "GET") !== "GET")
      throw new LoginError(`${address.host} redirects the request for a login, which Quoll does not follow`);
    if (count >= MAX_REDIRECTS || !URL.canParse(location, address))
      throw new LoginError(`${first.host} redirects more than ${MAX_REDIRECTS} times, or to no address`);
    address = new URL(location, address);
    assertAllowed(address);
  }
}

async function limitedBody({ body }: Response, host: string): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw new LoginError(`${host} sent more than ${MAX_BODY_BYTES / 1024 / 1024} MB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

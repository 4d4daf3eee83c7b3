import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { LoginError } from "./login-error.ts";

/** Time limit of one request to an authorization server. */
const REQUEST_MS = 30_000;
/** Metadata and tokens are a few kilobytes. */
const MAX_BODY_BYTES = 1024 * 1024;

export type FetchLimits = {
  /** The MCP server: only a server on this machine may name addresses on this machine. */
  readonly serverUrl: string;
  readonly limitMs?: number;
};

/** A `fetch` for metadata and tokens: limited in time and size, and only to places where nobody on the network can read along. */
export function limitedFetch(
  fetch: FetchLike,
  signal: AbortSignal,
  { serverUrl, limitMs = REQUEST_MS }: FetchLimits,
): FetchLike {
  const isLocal = isLoopback(new URL(serverUrl));
  return async (input, init) => {
    assertSafe(input);
    if (!isLocal && isLoopback(new URL(input)))
      throw new LoginError(`it names the address ${new URL(input).origin}, which is on this machine`);
    const late = new AbortController();
    const { host } = new URL(input);
    const timer = setTimeout(
      () => late.abort(new LoginError(`${host} did not answer within ${limitMs / 1_000} s`)),
      limitMs,
    );
    try {
      const response = await fetch(input, { ...init, signal: AbortSignal.any([signal, late.signal]) });
      const body = await limitedBody(response, host);
      const { status, statusText, headers } = response;
      return new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (late.signal.aborted) throw late.signal.reason;
      if (error instanceof LoginError) throw error;
      // The library takes a TypeError for a browser's cross-origin refusal, and goes on without the answer.
      throw new LoginError(`${host} is unreachable`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  };
}

/** @throws {LoginError} others on the network could read the request. */
export function assertSafe(address: string | URL): void {
  const url = new URL(address);
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url))) return;
  throw new LoginError(`${url.origin} is not encrypted, so Quoll does not log in there (https is needed)`);
}

export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

async function limitedBody(response: Response, host: string): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const read = await reader?.read();
    if (!read || read.done) break;
    size += read.value.byteLength;
    if (size > MAX_BODY_BYTES) {
      await reader?.cancel().catch(() => undefined);
      throw new LoginError(`${host} sent more than ${MAX_BODY_BYTES / 1024 / 1024} MB`);
    }
    chunks.push(read.value);
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.byteLength;
  }
  return body;
}

import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * A `fetch` that follows redirects only on the same host: headers of the configuration are often credentials, and a
 * server must not send them elsewhere.
 */
export function sameHostFetch(fetch: FetchLike): FetchLike {
  return async (input, init) => {
    let address = new URL(input);
    let sent: RequestInit = { ...init, redirect: "manual" };
    for (let count = 0; ; count += 1) {
      const answer = await fetch(address, sent);
      const location = REDIRECTS.has(answer.status) ? answer.headers.get("location") : null;
      if (location === null) return answer;
      await answer.body?.cancel();
      const next = new URL(location, address);
      if (!isSameHost(address, next))
        throw new Error(`it redirects to ${next.origin}: if you trust it, set that address`);
      if (count >= MAX_REDIRECTS) throw new Error(`it redirects more than ${MAX_REDIRECTS} times`);
      address = next;
      // Only 307 and 308 keep the method (RFC 9110).
      if (answer.status < 307 && sent.method !== "GET") sent = withoutBody(sent);
    }
  };
}

function isSameHost(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  return from.hostname === to.hostname && from.protocol === "http:" && to.protocol === "https:";
}

function withoutBody({ body: _, ...init }: RequestInit): RequestInit {
  return { ...init, method: "GET" };
}

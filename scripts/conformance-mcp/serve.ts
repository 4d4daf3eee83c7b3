import { quollPlace } from "../../tests/support/quoll-process.ts";
import { SERVED_TOKEN, serveHttp } from "../../tests/support/served-client.ts";

/** The server scenarios that need no fixtures of the suite in the server. */
export const SERVER_SCENARIOS: readonly string[] = [
  "server-initialize",
  "ping",
  "tools-list",
  "logging-set-level",
  "dns-rebinding-protection",
];

/** No limit on the silence of a stream. */
const NO_LIMIT = 0;

/**
 * Starts `quoll mcp serve --http`. The suite can't send a token, so a server in front of it adds the token to each
 * request and passes everything else on.
 */
export async function serveQuoll() {
  const cleanup = new AsyncDisposableStack();
  const place = cleanup.use(await quollPlace());
  const quoll = cleanup.use(await serveHttp(place));
  const front = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: NO_LIMIT,
    fetch({ method, headers: given, body, signal }) {
      const headers = new Headers(given);
      headers.set("authorization", `Bearer ${SERVED_TOKEN}`);
      return fetch(quoll.url, { method, headers, body, signal });
    },
  });
  cleanup.defer(() => front.stop(true));
  return { url: new URL("/mcp", front.url).href, [Symbol.asyncDispose]: () => cleanup.disposeAsync() };
}

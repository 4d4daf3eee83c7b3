import { timingSafeEqual } from "node:crypto";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const CALLBACK_PATH = "/callback";
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
  "referrer-policy": "no-referrer",
  connection: "close",
};

/** The answer of an authorization server: the query of the redirect address. */
export type CallbackAnswer = URLSearchParams;

export type CallbackServer = {
  readonly redirectUrl: string;
  /** The first answer with the right state. */
  readonly answer: Promise<CallbackAnswer>;
  close(): void;
};

export type CallbackOptions = {
  /** 0 for any free port. */
  readonly port: number;
  /** Answers with another state belong to no login of Quoll and are refused. */
  readonly state: string;
  /** An answer with a wrong state arrived. */
  onForeign?(): void;
};

/**
 * Waits on the loopback interface for the browser's redirect (RFC 8252, 7.3).
 * @throws {Error} the port is taken.
 */
export async function openCallbackServer({ port, state, onForeign }: CallbackOptions): Promise<CallbackServer> {
  const { promise, resolve } = Promise.withResolvers<CallbackAnswer>();
  const onRequest: Parameters<typeof createServer>[1] = (request, response) => {
    const url = URL.parse(request.url ?? "/", "http://localhost");
    if (request.method !== "GET" || url?.pathname !== CALLBACK_PATH)
      return end(response, 404, "There is nothing here.");
    if (!hasState(url.searchParams, state)) {
      onForeign?.();
      return end(response, 400, "This answer does not belong to the login that Quoll waits for. Nothing was changed.");
    }
    const isRefused = !url.searchParams.has("code");
    end(
      response,
      200,
      isRefused
        ? "The login was refused. Quoll shows the reason in the terminal. You can close this page."
        : "Quoll has received the answer. Go back to the terminal; you can close this page.",
    );
    resolve(url.searchParams);
  };
  const first = await listen(createServer(onRequest), "127.0.0.1", port);
  const { port: chosen } = first.address() as AddressInfo;
  // A browser may resolve localhost to the address of either family.
  const second = await listen(createServer(onRequest), "::1", chosen).catch(() => undefined);
  return {
    redirectUrl: `http://localhost:${chosen}${CALLBACK_PATH}`,
    answer: promise,
    close() {
      for (const server of [first, second]) {
        server?.close();
        server?.closeAllConnections();
      }
    },
  };
}

/** Compares in constant time. */
export function hasState(query: URLSearchParams, state: string): boolean {
  const given = Buffer.from(query.get("state") ?? "");
  const wanted = Buffer.from(state);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function listen(server: Server, host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve(server);
    });
  });
}

function end(response: ServerResponse, status: number, text: string): void {
  const style = "font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:20vh auto;padding:0 1rem";
  response.writeHead(status, HEADERS);
  response.end(`<!doctype html><meta charset="utf-8"><title>Quoll</title><p style="${style}">${text}</p>\n`);
}

import { createHash, timingSafeEqual } from "node:crypto";

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
const PATH = "/mcp";

/** JSON-RPC's code for an error that the protocol does not name. */
const SERVER_ERROR = -32_000;

/**
 * Refuses requests that were not sent by one of the person's programs. A web page whose name resolves to this machine
 * (DNS rebinding) sends its own name as host, and its origin; neither is a name of this machine.
 * @returns undefined if the request is allowed.
 */
export function refusalOf(request: Request, token: string): Response | undefined {
  if (!isLoopback(`http://${request.headers.get("host")}`))
    return refusal(403, "The host is not a name of this machine.");
  const origin = request.headers.get("origin");
  if (origin !== null && !isLoopback(origin)) return refusal(403, "The origin is not on this machine.");
  if (!hasToken(request, token))
    return refusal(401, "The token is missing or wrong: send it as `Authorization: Bearer …`.", {
      "WWW-Authenticate": "Bearer",
    });
  if (new URL(request.url).pathname !== PATH) return refusal(404, `There is nothing here: the path is ${PATH}.`);
  return undefined;
}

export function refusal(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ jsonrpc: "2.0", error: { code: SERVER_ERROR, message }, id: null }, { status, headers });
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && LOOPBACK_NAMES.has(new URL(url).hostname);
}

/** The comparison takes the same time for every wrong token. */
function hasToken({ headers }: Request, token: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  return timingSafeEqual(hashOf(given), hashOf(token));
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

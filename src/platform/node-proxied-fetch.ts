import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import tls from "node:tls";

type Fetch = typeof globalThis.fetch;

const BODILESS: ReadonlySet<number> = new Set([204, 304]);
const DEFAULT_PORT: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** `proxiedFetch` over node:http: RFC 9112, 3.2.2 (absolute form) for http, RFC 9110, 9.3.6 (CONNECT) for https. No redirect is followed. */
export function nodeProxiedFetch(fetch: Fetch, proxyUrl: string): Fetch {
  const proxy = new URL(proxyUrl);
  const proxied = async (...[input, init]: Parameters<Fetch>): Promise<Response> => {
    const request = new Request(input, init);
    const body = Buffer.from(await request.arrayBuffer());
    const url = new URL(request.url);
    const sent = url.protocol === "https:" ? await tunnelled(proxy, url, request) : forwarded(proxy, url, request);
    return answerTo(sent, body, request.signal);
  };
  return Object.assign(proxied, { preconnect: fetch.preconnect });
}

function answerTo(sent: http.ClientRequest, body: Buffer, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    // Node's fetch rejects with the abort reason, but node:http with its own error.
    sent.on("error", (error) => reject(signal.aborted ? signal.reason : error));
    sent.once("response", (message) => {
      const end = () => void message.destroy(signal.reason);
      signal.addEventListener("abort", end, { once: true });
      message.once("close", () => signal.removeEventListener("abort", end));
      resolve(responseOf(message));
    });
    sent.end(body);
  });
}

function responseOf(message: http.IncomingMessage): Response {
  const status = message.statusCode ?? 0;
  const headers = new Headers();
  for (let at = 0; at < message.rawHeaders.length; at += 2) {
    headers.append(message.rawHeaders[at] ?? "", message.rawHeaders[at + 1] ?? "");
  }
  if (BODILESS.has(status)) {
    message.resume();
    return new Response(null, { status, headers });
  }
  return new Response(Readable.toWeb(message) as unknown as ReadableStream, { status, headers });
}

function fieldsOf({ headers }: Request, url: URL): Record<string, string> {
  // node:http does not decompress.
  return { ...Object.fromEntries(headers), host: url.host, "accept-encoding": "identity" };
}

function forwarded(proxy: URL, url: URL, request: Request): http.ClientRequest {
  const { method, signal } = request;
  const headers = { ...fieldsOf(request, url), ...authorization(proxy) };
  return startedAt(proxy, { method, signal, path: url.href, headers });
}

async function tunnelled(proxy: URL, url: URL, request: Request): Promise<http.ClientRequest> {
  const { method, signal } = request;
  const authority = `${url.hostname}:${url.port || DEFAULT_PORT["https:"]}`;
  const socket = await tunnelTo(proxy, authority, signal);
  const { hostname } = url;
  const host = hostname.replace(/^\[|\]$/g, "");
  const createConnection = () => tls.connect({ socket, host, servername: isName(host) ? host : "" });
  return https.request(url, { method, signal, headers: fieldsOf(request, url), createConnection, agent: false });
}

/** @throws {Error} with the code `ERR_PROXY_TUNNEL` and the same text as Bun's error. */
function tunnelTo(proxy: URL, authority: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const headers = { host: authority, ...authorization(proxy) };
    const asked = startedAt(proxy, { method: "CONNECT", path: authority, headers, signal });
    asked.on("error", (error) => reject(signal.aborted ? signal.reason : error));
    asked.once("connect", ({ statusCode, statusMessage }, socket: Socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      const words = `Proxy refused to open a tunnel: ${statusCode} ${statusMessage ?? ""}`.trim();
      reject(Object.assign(new Error(words), { code: "ERR_PROXY_TUNNEL" }));
    });
    asked.end();
  });
}

function startedAt(proxy: URL, options: http.RequestOptions): http.ClientRequest {
  const { protocol, hostname } = proxy;
  const place = { host: hostname.replace(/^\[|\]$/g, ""), port: proxy.port || DEFAULT_PORT[protocol], agent: false };
  const all = { ...options, ...place } as const;
  return protocol === "https:" ? https.request(all) : http.request(all);
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** SNI allows only names, not addresses (RFC 6066, 3). */
function isName(host: string): boolean {
  return !/^[\d.]+$/.test(host) && !host.includes(":");
}

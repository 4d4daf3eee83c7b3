import type { Twin } from "../../src/server.ts";

export type Body = Record<string, unknown>;
export type SseEvent = { type: string; [field: string]: unknown };

export const HEADERS = {
  "content-type": "application/json",
  "x-api-key": "test-key",
  "anthropic-version": "2023-06-01",
};

export const READ_TOOL = {
  name: "Read",
  description: "Reads a file.",
  input_schema: { type: "object", properties: { file_path: { type: "string" } } },
};

/** The smallest request that the API accepts, overridden by `fields`; an undefined field is removed. */
export function body(fields: Body = {}): Body {
  const all = { model: "claude-test", max_tokens: 4096, messages: [{ role: "user", content: "Hello." }], ...fields };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export type Answered = { status: number; headers: Headers; text: string; json: unknown };

type PostOptions = { path?: string; headers?: Record<string, string>; signal?: AbortSignal };

export function post(
  twin: Twin,
  content: unknown,
  { path = "/v1/messages", headers = HEADERS, signal }: PostOptions = {},
) {
  const payload = typeof content === "string" ? content : JSON.stringify(content);
  return fetch(`${twin.url}${path}`, { method: "POST", headers, body: payload, ...(signal && { signal }) });
}

export async function ask(twin: Twin, content: unknown, options: PostOptions = {}): Promise<Answered> {
  const response = await post(twin, content, options);
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}

/** The message of an error answer. */
export function errorMessage({ json }: Answered): string {
  return (json as { error: { message: string } }).error.message;
}

/** Reads server-sent events strictly: each is one `event` line and one `data` line, and the names agree. */
export function parseSse(text: string): SseEvent[] {
  if (text === "") return [];
  if (!text.endsWith("\n\n"))
    throw new Error(`The stream ends in the middle of an event: ${JSON.stringify(text.slice(-80))}`);
  return text
    .slice(0, -2)
    .split("\n\n")
    .map((block) => {
      const match = /^event: (\w+)\ndata: (.+)$/.exec(block);
      if (!match) throw new Error(`Not an event: ${JSON.stringify(block)}`);
      const event = JSON.parse(match[2] ?? "") as SseEvent;
      if (event.type !== match[1]) throw new Error(`Event ${match[1]} says it is ${event.type}.`);
      return event;
    });
}

export async function streamEvents(twin: Twin, fields: Body = {}): Promise<SseEvent[]> {
  const { text } = await ask(twin, body({ stream: true, ...fields }));
  return parseSse(text);
}

/** Everything that arrives on a raw connection until it ends: bytes as they came, whatever a client library would make of a break. */
export async function rawExchange(
  twin: Twin,
  content: Body,
  until?: (received: string) => boolean,
  { path = "/v1/messages", headers = HEADERS as Record<string, string> } = {},
) {
  const { connect } = await import("node:net");
  const payload = JSON.stringify(content);
  const head = Object.entries({ ...headers, host: "127.0.0.1", "content-length": String(Buffer.byteLength(payload)) });
  const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const chunks: Buffer[] = [];
  const text = () => Buffer.concat(chunks).toString("utf8");
  await new Promise<void>((resolve) => {
    const socket = connect(Number(new URL(twin.url).port), "127.0.0.1", () => {
      socket.write(`POST ${path} HTTP/1.1\r\n${lines}\r\n${payload}`);
    });
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (until?.(text())) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve());
  });
  return {
    text: text(),
    isComplete: text().endsWith("\r\n0\r\n\r\n"),
    deltas: text().split("event: content_block_delta").length - 1,
  };
}

/** True if a raw answer is complete; its connection would stay open. */
export const isEnded = (raw: string): boolean => raw.endsWith("\r\n0\r\n\r\n");

/** The sizes in which a body was written: each write is a chunk of the HTTP transfer. */
export const writtenSizes = (raw: string): number[] =>
  [...raw.slice(raw.indexOf("\r\n\r\n") + 4).matchAll(/(?:^|\r\n)([0-9a-f]+)\r\n/g)].map(([, size]) =>
    Number.parseInt(size!, 16),
  );

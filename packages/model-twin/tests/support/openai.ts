import type { Twin } from "../../src/server.ts";
import { type Answered, ask, type Body, rawExchange } from "./ask.ts";

export const CHAT = "/v1/chat/completions";
export const RESPONSES = "/v1/responses";
export const OPENAI_HEADERS: Record<string, string> = {
  "content-type": "application/json",
  authorization: "Bearer test-key",
};

const defined = (all: Body): Body => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));

/** The smallest request that Chat Completions accepts, overridden by `fields`; an undefined field is removed. */
export const chatBody = (fields: Body = {}): Body =>
  defined({ model: "gpt-test", messages: [{ role: "user", content: "Hello." }], ...fields });

/** The same for Responses. */
export const responsesBody = (fields: Body = {}): Body => defined({ model: "gpt-test", input: "Hello.", ...fields });

const PARAMETERS = { type: "object", properties: { file_path: { type: "string" } } };
export const CHAT_TOOL = {
  type: "function",
  function: { name: "Read", description: "Reads a file.", parameters: PARAMETERS },
};
export const RESPONSES_TOOL = { type: "function", name: "Read", description: "Reads a file.", parameters: PARAMETERS };

export const askChat = (twin: Twin, fields: Body = {}): Promise<Answered> =>
  ask(twin, chatBody(fields), { path: CHAT, headers: OPENAI_HEADERS });

export const askResponses = (twin: Twin, fields: Body = {}): Promise<Answered> =>
  ask(twin, responsesBody(fields), { path: RESPONSES, headers: OPENAI_HEADERS });

type ErrorBody = { message: string; type: string; param: string | null; code: string | null };
export const errorOf = ({ json }: Answered): ErrorBody => (json as { error: ErrorBody }).error;

/** The events of a stream as text, comments too; throws when it ends in the middle of one. */
function blocksOf(text: string): string[] {
  if (text !== "" && !text.endsWith("\n\n"))
    throw new Error(`The stream ends in the middle of an event: ${JSON.stringify(text.slice(-80))}`);
  return text.split("\n\n").slice(0, -1);
}

export type Chunk = {
  choices: { delta: Body; finish_reason: string | null }[];
  usage?: Body | null;
  error?: ErrorBody;
};

/** Reads a stream of Chat Completions strictly: each event is one `data` line; `[DONE]` and comments stay text. */
export function parseChat(text: string): (Chunk | string)[] {
  return blocksOf(text).map((block) => {
    if (block.startsWith(": ")) return block;
    const match = /^data: (.+)$/.exec(block);
    if (!match) throw new Error(`Not an event: ${JSON.stringify(block)}`);
    return match[1] === "[DONE]" ? "[DONE]" : (JSON.parse(match[1]!) as Chunk);
  });
}

export type Event = { type: string; sequence_number: number; [field: string]: unknown };

/** Reads a stream of Responses strictly: each event has its name twice and its number; comments are left out. */
export function parseResponses(text: string): Event[] {
  const blocks = blocksOf(text).filter((block) => !block.startsWith(": "));
  return blocks.map((block, index) => {
    const match = /^event: ([\w.]+)\ndata: (.+)$/.exec(block);
    if (!match) throw new Error(`Not an event: ${JSON.stringify(block)}`);
    const event = JSON.parse(match[2]!) as Event;
    if (event.type !== match[1]) throw new Error(`Event ${match[1]} says it is ${event.type}.`);
    if (event.sequence_number !== index) throw new Error(`Event ${index} says it is ${event.sequence_number}.`);
    return event;
  });
}

export async function chatChunks(twin: Twin, fields: Body = {}): Promise<(Chunk | string)[]> {
  return parseChat((await askChat(twin, { stream: true, ...fields })).text);
}

export async function responsesEvents(twin: Twin, fields: Body = {}): Promise<Event[]> {
  return parseResponses((await askResponses(twin, { stream: true, ...fields })).text);
}

/** The deltas of a stream, without the first one, which only says whose they are. */
export function deltasOf(chunks: readonly (Chunk | string)[]): Body[] {
  const deltas = chunks.flatMap((chunk) =>
    typeof chunk === "string" ? [] : (chunk.choices?.map(({ delta }) => delta) ?? []),
  );
  return deltas.slice(1).filter((delta) => Object.keys(delta).length > 0);
}

export const finishOf = (chunks: readonly (Chunk | string)[]): string | null | undefined =>
  chunks
    .flatMap((chunk) => (typeof chunk === "string" ? [] : chunk.choices))
    .findLast(({ finish_reason: reason }) => reason !== null)?.finish_reason;

/** Posts to a path over a raw connection and returns the bytes that arrive. */
export const rawOpenAi = (twin: Twin, path: string, content: Body, until?: (received: string) => boolean) =>
  rawExchange(twin, content, until, { path, headers: OPENAI_HEADERS });

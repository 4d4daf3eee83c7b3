import { z } from "zod";
import { readBlock } from "../../contracts/content-block.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { QueueTime } from "../../contracts/event.ts";
import type { JsonObject, UserBlock } from "../../contracts/message.ts";

/** One parsed line of stdin. */
export type ClientInput =
  | ClientMessage
  | { readonly kind: "control_request"; readonly id: string; readonly subtype: string; readonly request: JsonObject }
  | { readonly kind: "control_response"; readonly id: string; readonly answer: ControlAnswer }
  | { readonly kind: "control_cancel"; readonly id: string }
  | { readonly kind: "nothing" }
  /** `id`: the id of the broken control request, if it is known. */
  | { readonly kind: "unusable"; readonly problem: string; readonly id?: string };

export type ClientMessage = {
  readonly kind: "message";
  readonly id: string | undefined;
  /** The person's message, as text. */
  readonly words: string;
  readonly prompt: string;
  readonly attachments: readonly UserBlock[];
  readonly when: QueueTime;
  /** False if the content is added to the next message and starts no turn. */
  readonly beginsTurn: boolean;
  /** The original message, for replaying. */
  readonly raw: JsonObject;
};

/** The other side's answer; `error` if it refused or failed. */
export type ControlAnswer = { readonly response: JsonObject } | { readonly error: string };

/** The maximum length of a quoted unknown line in a message. */
const MAX_QUOTED_CHARS = 80;
const TIMES: Readonly<Record<string, QueueTime>> = { now: "steer", next: "next", later: "later" };

const object = z.record(z.string(), z.unknown());
const envelope = z.looseObject({ type: z.string() });
const messageSchema = z.looseObject({
  message: z.looseObject({ role: z.literal("user"), content: z.unknown() }),
  uuid: z.string().min(1).max(200).nullish(),
  priority: z.string().nullish(),
  shouldQuery: z.boolean().nullish(),
});
const requestSchema = z.looseObject({
  request_id: z.string().min(1),
  request: z.looseObject({ subtype: z.string() }),
});
const responseSchema = z.looseObject({
  response: z.union([
    z.looseObject({ subtype: z.literal("success"), request_id: z.string(), response: object.nullish() }),
    z.looseObject({ subtype: z.literal("error"), request_id: z.string(), error: z.unknown() }),
  ]),
});
const cancelSchema = z.looseObject({ request_id: z.string() });

/** Reads a line from a client. Never throws: an unusable line has a problem. */
export function readInput(text: string): ClientInput {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return unusable(`it is not JSON (${quote(errorMessage(error))}): ${quote(text)}`);
  }
  const known = envelope.safeParse(value);
  if (!known.success) return unusable(`it is not an object with a "type": ${quote(text)}`);
  switch (known.data.type) {
    case "user":
      return readMessage(known.data);
    case "control_request":
      return readRequest(known.data);
    case "control_response":
      return readResponse(known.data);
    case "control_cancel_request": {
      const cancel = cancelSchema.safeParse(known.data);
      return cancel.success
        ? { kind: "control_cancel", id: cancel.data.request_id }
        : unusable("the request_id of the request to cancel is missing");
    }
    case "keep_alive":
      return { kind: "nothing" };
    default:
      return unusable(`its type ${quote(JSON.stringify(known.data.type))} is unknown`);
  }
}

function readMessage(value: JsonObject): ClientInput {
  const parsed = messageSchema.safeParse(value);
  if (!parsed.success)
    return unusable('a "user" line needs a message: {"type":"user","message":{"role":"user","content":…}}');
  const { message, uuid, priority, shouldQuery } = parsed.data;
  const content: ReadContent = readContent(message.content);
  if ("problem" in content) return unusable(`its message can't be used: ${content.problem}`);
  return {
    kind: "message",
    id: uuid ?? undefined,
    ...content,
    when: TIMES[priority ?? "next"] ?? "next",
    beginsTurn: shouldQuery !== false,
    raw: message,
  };
}

function readRequest(value: JsonObject): ClientInput {
  const parsed = requestSchema.safeParse(value);
  if (parsed.success) {
    const { request_id: id, request } = parsed.data;
    return { kind: "control_request", id, subtype: request.subtype, request };
  }
  const id = value["request_id"];
  const problem = 'a "control_request" line needs a request_id and a request with a subtype';
  return { kind: "unusable", problem, ...(typeof id === "string" && id !== "" && { id }) };
}

function readResponse(value: JsonObject): ClientInput {
  const parsed = responseSchema.safeParse(value);
  if (!parsed.success) return unusable('a "control_response" line needs a response with a request_id and a subtype');
  const { response } = parsed.data;
  const id = response.request_id;
  if (response.subtype === "success")
    return { kind: "control_response", id, answer: { response: response.response ?? {} } };
  const error = typeof response.error === "string" && response.error !== "" ? response.error : "no reason given";
  return { kind: "control_response", id, answer: { error } };
}

function unusable(problem: string): ClientInput {
  return { kind: "unusable", problem };
}

function quote(text: string): string {
  const cut = text.length > MAX_QUOTED_CHARS ? `${text.slice(0, MAX_QUOTED_CHARS).toWellFormed()}…` : text;
  return cut.replace(/[\p{C}]/gu, "?");
}

type ReadContent =
  | {
      /** The complete text. */
      readonly words: string;
      /** The part of the content that the model gets last. */
      readonly prompt: string;
      /** The content before it. */
      readonly attachments: readonly UserBlock[];
    }
  | { readonly problem: string };

/** Replaces missing text, because models reject a message without text. */
const LOOK = "Look at what is attached.";
const MAX_BLOCKS = 1_000;

/** Reads the content of a user message in the form of the Anthropic Messages API: text, or a list of blocks. */
export function readContent(content: unknown): ReadContent {
  if (typeof content === "string") {
    return content.trim() === "" ? { problem: "it is empty" } : { words: content, prompt: content, attachments: [] };
  }
  if (!Array.isArray(content)) return { problem: "content is neither text nor a list of blocks" };
  if (content.length > MAX_BLOCKS) return { problem: `it has more than ${MAX_BLOCKS} blocks` };
  const blocks: UserBlock[] = [];
  for (const [index, value] of content.entries()) {
    const read = readBlock(value);
    if ("problem" in read) return { problem: `block ${index}: ${read.problem}` };
    if (read.type !== "text" || read.text.trim() !== "") blocks.push(read);
  }
  return blocks.length === 0 ? { problem: "it is empty" } : arranged(blocks);
}

/** The text comes last, as in every message; texts between images keep their position. */
function arranged(blocks: readonly UserBlock[]): ReadContent {
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const words = texts.join("\n\n");
  const media = blocks.filter((block) => block.type !== "text");
  if (texts.length === 0) return { words, prompt: LOOK, attachments: media };
  if (texts.length === 1 || media.length === 0) return { words, prompt: words, attachments: media };
  const last = blocks.at(-1);
  if (last?.type !== "text") return { words, prompt: LOOK, attachments: blocks };
  return { words, prompt: last.text, attachments: blocks.slice(0, -1) };
}

import { isJsonObject, type JsonObject } from "../../../contracts/message.ts";
import { parsedJson } from "../../../contracts/parsed-json.ts";

/** The events of one API's streams, so that everything else that gateways put into a stream can be left out. */
export type StreamForm = {
  /** The event in the form of the API; undefined if it is not an event of the API. */
  read(event: JsonObject): JsonObject | undefined;
  /** The events that say the same as an answer without a stream; undefined if the value is not an answer of the API. */
  eventsOf(answer: unknown): readonly JsonObject[] | undefined;
};

const FRAME_END = /(\r\n\r\n|\n\n|\r\r)/;
/** No line of an event begins so. */
const DOCUMENT = /^\s*[[{]/;
const LINE = /\r\n|\n|\r/;
/** Chat Completions mark the end of a stream with this text. */
const END_MARK = "[DONE]";
const FRAME_ENDS = ["\n\n", "\n\r\n", "\r\r"] as const;
/** Length of the longest of them. */
const FRAME_END_CHARS = 3;

/** Cuts the text of a stream after its last complete event. No complete event waits. */
export class WholeEvents {
  /** The start of an incomplete event, in the parts in which it arrived. */
  #rest: string[] = [];
  /** Its last characters: the empty line at the end of an event may be split between parts. */
  #seam = "";

  /** @param text The next part of the stream. @returns the complete events. */
  push(text: string): string {
    const searched = this.#seam + text;
    const end = Math.max(...FRAME_ENDS.map((sign) => behindLast(searched, sign))) - this.#seam.length;
    this.#seam = (end > 0 ? text.slice(end) : searched).slice(-FRAME_END_CHARS);
    if (end <= 0) {
      this.#rest.push(text);
      return "";
    }
    const whole = this.#rest.join("") + text.slice(0, end);
    this.#rest = [text.slice(end)];
    return whole;
  }

  /** The stream has ended. @returns the remaining text. */
  end(): string {
    const rest = this.#rest.join("");
    this.#rest = [];
    this.#seam = "";
    return rest;
  }
}

/** The position behind the last occurrence, or 0. */
function behindLast(text: string, sign: string): number {
  const at = text.lastIndexOf(sign);
  return at === -1 ? 0 : at + sign.length;
}

/**
 * Leaves out everything that is not part of the API: events without data, text that is no JSON (`event: ping`), objects of other kinds. Server-sent
 * events themselves demand that a reader ignores names and fields that it does not know (WHATWG HTML, "Server-sent events").
 * @param text Complete events.
 */
export function ownEvents(text: string, form: StreamForm): string {
  const out: string[] = [];
  const parts = text.split(FRAME_END);
  for (let at = 0; at < parts.length; at += 2) {
    const [frame = "", end = ""] = parts.slice(at, at + 2);
    const kept = ownFrame(frame, form);
    if (kept !== undefined) out.push(kept, end);
  }
  return out.join("");
}

/** A frame without data, such as a comment, stays: readers ignore it. */
function ownFrame(frame: string, form: StreamForm): string | undefined {
  const { data, name } = fieldsOf(frame);
  if (data === undefined) return frame;
  const text = data.trim();
  if (text === END_MARK) return frame;
  if (!text.startsWith("{")) return name === "error" && text !== "" ? written({ error: { message: text } }) : undefined;
  const event = parsedJson(text);
  // Broken JSON is reported by the reader.
  if (event === undefined) return frame;
  const own = isJsonObject(event) ? form.read(event) : undefined;
  // An error without a frame around it: only the event's name says what it is.
  if (own === undefined) return name === "error" ? written({ error: event }) : undefined;
  return own === event ? frame : written(own);
}

/** The data and the name of an event, as its reader puts them together. */
function fieldsOf(frame: string): { readonly data: string | undefined; readonly name: string | undefined } {
  const lines = frame.split(LINE);
  const values = (field: string) =>
    lines.flatMap((line) => (line.startsWith(`${field}:`) ? [line.slice(field.length + 1).replace(/^ /, "")] : []));
  const data = values("data");
  return { data: data.length === 0 ? undefined : data.join("\n"), name: values("event").at(-1) };
}

/**
 * The rest of a stream whose last event has no empty line at its end. A reader would drop the event, but if its data is
 * complete, so is the event. The rest may also be a JSON document that a server sent as a stream.
 */
export function lastEvent(rest: string, form: StreamForm): string {
  const document = DOCUMENT.test(rest) ? parsedJson(rest) : undefined;
  if (document !== undefined) return streamOf(document, form) ?? `data: ${JSON.stringify(document)}\n\n`;
  const data = fieldsOf(rest).data?.trim();
  const isWhole = data === END_MARK || (data?.startsWith("{") && parsedJson(data) !== undefined);
  return isWhole ? `${rest}\n\n` : rest;
}

/** The stream that says the same as a JSON answer; undefined if the value is not an answer of the API. */
export function streamOf(answer: unknown, form: StreamForm): string | undefined {
  const events = form.eventsOf(answer);
  return events && `${events.map((event) => `${written(event)}\n\n`).join("")}data: ${END_MARK}\n\n`;
}

function written(event: JsonObject): string {
  return `data: ${JSON.stringify(event)}`;
}

import { isJsonObject, type JsonObject } from "../../../contracts/message.ts";
import { parsedJson } from "../../../contracts/parsed-json.ts";

/** The events of one API's streams, so that everything else that gateways put into a stream can be left out. */
export type StreamForm = {
  /** A part of the text of most events, as most servers write it: a group of such events is passed on unread. */
  readonly mark: string;
  /** Matches the text of most events of the API, which are passed on. */
  readonly usual: RegExp;
  /** Matches the text of an event of the API that has to be changed all the same. */
  readonly unusual?: RegExp;
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
/** Marks an error, but some gateways write `"error": null` into each event. */
const ERROR = '"error"';

/**
 * Leaves out everything that is not part of the API: events without data, text that is no JSON (`event: ping`), objects of other kinds. Server-sent
 * events themselves demand that a reader ignores names and fields that it does not know (WHATWG HTML, "Server-sent events").
 * @param text Complete events.
 */
export function ownEvents(text: string, form: StreamForm): string {
  if (areMarked(text, form)) return text;
  const out: string[] = [];
  const parts = text.split(FRAME_END);
  for (let at = 0; at < parts.length; at += 2) {
    const [frame = "", end = ""] = parts.slice(at, at + 2);
    const kept = isUsual(frame, form) ? frame : ownFrame(frame, form);
    if (kept !== undefined) out.push(kept, end);
  }
  return out.join("");
}

/** True if every event has the mark, and none can be unusual. */
function areMarked(text: string, { mark, unusual }: StreamForm): boolean {
  if (text.includes("\r") || text.includes(ERROR) || unusual?.test(text)) return false;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n\n", at);
    const found = text.indexOf(mark, at);
    if (found === -1 || (end !== -1 && found > end)) return false;
    at = end === -1 ? text.length : end + 2;
  }
  return true;
}

function isUsual(frame: string, { usual, unusual }: StreamForm): boolean {
  return usual.test(frame) && !frame.includes(ERROR) && unusual?.test(frame) !== true;
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

import { field } from "./error-body.ts";

/** Text in every event that can be joined; all other events are passed on unread. */
const MARKS = ['"tool_calls"', '"response.function_call_arguments.delta"'] as const;
const DATA = "data:";
const EVENT_ENDS = ["\n\n", "\n\r\n", "\r\r"] as const;
/** Length of the longest marker. */
const EVENT_END_CHARS = 3;
const CALL_FIELDS: ReadonlySet<string> = new Set(["index", "function", "type"]);
/** Fields that a delta may contain, empty, besides the calls. */
const EMPTY_FIELDS: ReadonlySet<string> = new Set(["content", "role", "refusal", "reasoning", "reasoning_content"]);

type Fields = Readonly<Record<string, unknown>>;

/** An event that contains only a piece of a call's input. */
type Piece = {
  /** The call to which the piece belongs. */
  readonly key: string;
  readonly text: string;
  /** The event with another piece. */
  with(text: string): unknown;
};

/**
 * Joins neighbouring events that each carry a few characters of the same call's input, for Chat Completions and
 * Responses: the reader after this stage needs ten times as long per event. Only events that arrived together are
 * joined, so no event is delayed; all other events are passed on unchanged.
 */
export class DeltaJoiner {
  /** The start of an incomplete event, in the parts in which it arrived. */
  #rest: string[] = [];
  /** Its last characters. */
  #seam = "";

  /** @param text the next part of the stream. @returns the complete part, up to the end of an event. */
  push(text: string): string {
    if (text === "") return "";
    // The empty line at the end of an event may be split between parts; earlier text was searched before.
    const end = lastEventEnd(this.#seam + text) - this.#seam.length;
    this.#seam = (this.#seam + text).slice(-EVENT_END_CHARS);
    if (end <= 0) {
      this.#rest.push(text);
      return "";
    }
    this.#seam = text.slice(end).slice(-EVENT_END_CHARS);
    const whole = this.#rest.join("") + text.slice(0, end);
    this.#rest = end < text.length ? [text.slice(end)] : [];
    return MARKS.some((mark) => whole.includes(mark)) ? joined(whole) : whole;
  }

  /** The stream has ended. @returns the remaining text. */
  end(): string {
    const rest = this.#rest.join("");
    this.#rest = [];
    this.#seam = "";
    return rest;
  }
}

function joined(text: string): string {
  const out: string[] = [];
  let open: { readonly frame: string; readonly piece: Piece; readonly texts: string[] } | undefined;
  const close = () => {
    if (open) out.push(open.texts.length === 1 ? open.frame : rewritten(open.frame, open.piece, open.texts));
    open = undefined;
  };
  for (let at = 0; at < text.length; ) {
    const end = eventEnd(text, at);
    const frame = text.slice(at, end);
    at = end;
    const piece = pieceOf(frame);
    if (open && piece?.key === open.piece.key) {
      open.texts.push(piece.text);
      continue;
    }
    close();
    if (piece) open = { frame, piece, texts: [piece.text] };
    else out.push(frame);
  }
  close();
  return out.join("");
}

/** Keeps the lines before the data, such as the event's name. */
function rewritten(frame: string, piece: Piece, texts: readonly string[]): string {
  return `${frame.slice(0, frame.indexOf(DATA))}${DATA} ${JSON.stringify(piece.with(texts.join("")))}\n\n`;
}

/** The position after the empty line that ends the event at `from`, or the end of the text. */
function eventEnd(text: string, from: number): number {
  const at = text.indexOf("\n\n", from);
  return at === -1 ? text.length : at + 2;
}

/** The position after the last empty line, or 0. Only events with plain line ends are joined. */
function lastEventEnd(text: string): number {
  return Math.max(...EVENT_ENDS.map((end) => behindLast(text, end)));
}

function behindLast(text: string, end: string): number {
  const at = text.lastIndexOf(end);
  return at === -1 ? 0 : at + end.length;
}

function pieceOf(frame: string): Piece | undefined {
  if (!MARKS.some((mark) => frame.includes(mark))) return undefined;
  const start = frame.startsWith(DATA) ? 0 : frame.indexOf(`\n${DATA}`) + 1;
  // Data on several lines would be one text with line ends.
  if (!frame.startsWith(DATA, start) || frame.indexOf("\n", start) !== frame.length - 2) return undefined;
  if (start > 0 && !frame.startsWith("event:")) return undefined;
  let event: unknown;
  try {
    event = JSON.parse(frame.slice(start + DATA.length));
  } catch {
    return undefined;
  }
  return isFields(event) ? (responsesPiece(event) ?? chatPiece(event)) : undefined;
}

/** `{type: "response.function_call_arguments.delta", item_id, output_index, delta}` */
function responsesPiece(event: Fields): Piece | undefined {
  const { type, item_id: item, output_index: index, delta } = event;
  if (type !== "response.function_call_arguments.delta" || typeof delta !== "string") return undefined;
  return { key: `${item} ${index}`, text: delta, with: (text) => ({ ...event, delta: text }) };
}

/** `{choices: [{index, delta: {tool_calls: [{index, function: {arguments}}]}, finish_reason: null}]}` */
function chatPiece(event: Fields): Piece | undefined {
  const choice = onlyItem(event["choices"]);
  const delta = field(choice, "delta");
  if (!choice || !isFields(delta) || choice["finish_reason"] || event["usage"] || event["error"]) return undefined;
  const call = onlyItem(delta["tool_calls"]);
  const func = field(call, "function");
  if (!call || !isFields(func) || typeof call["index"] !== "number") return undefined;
  const { arguments: text, ...others } = func;
  if (typeof text !== "string" || Object.keys(others).length > 0) return undefined;
  if (!Object.keys(call).every((name) => CALL_FIELDS.has(name)) || !Object.entries(delta).every(isIdle))
    return undefined;
  return {
    key: `${choice["index"]} ${call["index"]}`,
    text,
    with: (all) => {
      const tool_calls = [{ ...call, function: { arguments: all } }];
      return { ...event, choices: [{ ...choice, delta: { ...delta, tool_calls } }] };
    },
  };
}

function isIdle([name, value]: readonly [string, unknown]): boolean {
  return name === "tool_calls" || (EMPTY_FIELDS.has(name) && (!value || name === "role"));
}

function onlyItem(value: unknown): Fields | undefined {
  const item: unknown = Array.isArray(value) && value.length === 1 ? value[0] : undefined;
  return isFields(item) ? item : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

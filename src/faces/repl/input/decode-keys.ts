/*
 * Decodes a terminal's input into keys. Formats: ECMA-48 CSI and SS3 keys as xterm sends them (ctlseqs, "PC-Style
 * Function Keys", modifyOtherKeys; "Mouse Tracking", mode 1006), the kitty keyboard protocol (CSI u), bracketed paste
 * (mode 2004).
 */

export type KeyName =
  | "enter"
  | "tab"
  | "backspace"
  | "delete"
  | "escape"
  | "up"
  | "down"
  | "left"
  | "right"
  | "home"
  | "end"
  | "pageup"
  | "pagedown"
  | `f${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12}`
  /** Mouse events, on a screen that requests them. */
  | "wheelup"
  | "wheeldown"
  | "click"
  /** A character with Ctrl or Alt. */
  | "char";

export type KeyEvent =
  | {
      readonly type: "key";
      readonly name: KeyName;
      /** Lower case; only for `char`. */
      readonly char: string;
      readonly ctrl: boolean;
      readonly alt: boolean;
      readonly shift: boolean;
    }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "paste"; readonly text: string };

export type InputEvent = KeyEvent | { readonly type: "report"; readonly report: Report };

/**
 * The terminal's answer to a query: its secondary device attributes (DA2), its cursor's row and column, from 1 (CPR), the pixels
 * of a character's cell (XTWINOPS 16), its background (OSC 11), or the flags of kitty's keyboard protocol; and its
 * reports that its colours are dark or light now (mode 2031), and that its window got or lost the focus (mode 1004).
 */
export type Report =
  | { readonly about: "background"; readonly color: string }
  | { readonly about: "scheme"; readonly scheme: "dark" | "light" }
  | { readonly about: "device"; readonly attributes: string }
  | { readonly about: "cursor"; readonly row: number; readonly column: number }
  | { readonly about: "cell"; readonly width: number; readonly height: number }
  /** The window's rows and columns (XTWINOPS 18); tmux before 3.4 tells the columns first. */
  | { readonly about: "size"; readonly sides: readonly [number, number] }
  | { readonly about: "kittyKeys" }
  | { readonly about: "focus"; readonly isFocused: boolean };

export type Decoder = {
  /** The beginning of an incomplete sequence. */
  readonly pending: string;
  /** The text of an unfinished paste; undefined outside a paste. */
  readonly paste: readonly string[] | undefined;
};

export const emptyDecoder: Decoder = { pending: "", paste: undefined };

/** The beginning of the answer to OSC 11. */
const BACKGROUND = "]11;";

const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";
/**
 * A terminal without bracketed paste sends pasted lines at once: input with this many line breaks counts as a paste.
 */
const MIN_BURST_LINES = 3;
/** The maximum length of a sequence; a longer sequence is dropped. */
const MAX_SEQUENCE_CHARS = 256;

export type Decoded = { readonly decoder: Decoder; readonly events: readonly InputEvent[] };

/** Decodes the next piece of input; the piece is UTF-8 text. */
export function decodeKeys(decoder: Decoder, input: string): Decoded {
  const events: InputEvent[] = [];
  let rest = decoder.pending + input;
  let paste = decoder.paste;
  let pending = "";
  if (!paste && isBurst(rest)) {
    return { decoder: emptyDecoder, events: [{ type: "paste", text: rest }] };
  }
  while (rest !== "") {
    if (paste) {
      const end = rest.indexOf(PASTE_END);
      if (end < 0) {
        // The end mark itself may be split between two pieces.
        const kept = overlap(rest, PASTE_END);
        paste = [...paste, rest.slice(0, rest.length - kept)];
        pending = rest.slice(rest.length - kept);
        break;
      }
      events.push({ type: "paste", text: [...paste, rest.slice(0, end)].join("") });
      paste = undefined;
      rest = rest.slice(end + PASTE_END.length);
      continue;
    }
    const taken = takeOne(rest);
    if (taken === "more") {
      pending = rest.length > MAX_SEQUENCE_CHARS ? "" : rest;
      break;
    }
    if (taken.starts === "paste") paste = [];
    else events.push(...taken.events);
    rest = rest.slice(taken.length);
  }
  return { decoder: { pending, paste }, events };
}

/** True if the input ends within an answer about colours, which may arrive in pieces over a slow line. */
export function isWithinAnswer({ pending }: Decoder): boolean {
  return pending.startsWith(`\u001b${BACKGROUND.slice(0, 2)}`);
}

/**
 * Called when no more input arrived in time: a lone Escape is the Escape key; any other incomplete sequence is dropped.
 */
export function flushKeys(decoder: Decoder): Decoded {
  if (decoder.paste || decoder.pending === "") return { decoder, events: [] };
  const isEscape = decoder.pending === "\u001b" || decoder.pending === "\u001b\u001b";
  return { decoder: emptyDecoder, events: isEscape ? [key("escape")] : [] };
}

type Taken = { readonly length: number; readonly events: readonly InputEvent[]; readonly starts?: "paste" };

function takeOne(input: string): Taken | "more" {
  if (input.startsWith("\u001b")) return takeEscape(input);
  const code = input.charCodeAt(0);
  if (code < 0x20 || code === 0x7f) return { length: 1, events: control(code) };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a run of text ends at the first of them.
  const text = /^[^\u0000-\u001f\u007f]+/.exec(input)?.[0] ?? input;
  const shown = text.replace(/[\u0080-\u009f]/g, "");
  return { length: text.length, events: shown === "" ? [] : [{ type: "text", text: shown }] };
}

function takeEscape(input: string): Taken | "more" {
  if (input.startsWith(PASTE_START)) return { length: PASTE_START.length, events: [], starts: "paste" };
  const next = input[1];
  if (next === undefined) return "more";
  if (next === "[") return takeCsi(input);
  if (next === "O") {
    const final = input[2];
    if (final === undefined) return "more";
    return { length: 3, events: letterKey(final, 1) };
  }
  if (next === "]" || next === "P" || next === "_" || next === "^") return takeString(input);
  if (next === "\u001b") {
    // Escape pressed twice, or Alt with a key that itself sends a sequence.
    const inner = takeEscape(input.slice(1));
    if (inner === "more") return input.length === 2 ? "more" : { length: 1, events: [key("escape")] };
    return { length: 1 + inner.length, events: inner.events.map(withAlt) };
  }
  const code = next.charCodeAt(0);
  if (code < 0x20 || code === 0x7f) return { length: 2, events: control(code).map(withAlt) };
  const char = String.fromCodePoint(input.codePointAt(1) ?? 0);
  const shift = char !== char.toLowerCase();
  return { length: 1 + char.length, events: [key("char", { char: char.toLowerCase(), alt: true, shift })] };
}

/** The terminal's background is a report; answers to queries of other programs are ignored. */
function takeString(input: string): Taken | "more" {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: BEL or ST end such a string.
  const end = /\u0007|\u001b\\/.exec(input.slice(2));
  if (!end) return "more";
  const length = 2 + end.index + end[0].length;
  const text = input.slice(1, 2 + end.index);
  if (!text.startsWith(BACKGROUND)) return { length, events: [] };
  return {
    length,
    events: [{ type: "report", report: { about: "background", color: text.slice(BACKGROUND.length) } }],
  };
}

function takeCsi(input: string): Taken | "more" {
  // The Linux console's F1 to F5: `ESC [ [ A`.
  if (input[2] === "[") return input.length < 4 ? "more" : { length: 4, events: [] };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the introducer is one.
  const match = /^\u001b\[([0-?]*)([ -/]*)([@-~])?/.exec(input);
  const [whole = "", parameters = "", between = "", final] = match ?? [];
  if (final === undefined)
    return whole.length === input.length ? "more" : { length: Math.max(2, whole.length), events: [] };
  // A mouse report of the oldest kind has three further bytes.
  if (final === "M" && parameters === "") return input.length < 6 ? "more" : { length: 6, events: [] };
  const length = whole.length;
  if (final === "c" && parameters.startsWith(">")) {
    return { length, events: [{ type: "report", report: { about: "device", attributes: parameters.slice(1) } }] };
  }
  if (final === "R" && /^\d+;\d+$/.test(parameters)) {
    const [row = 1, column = 1] = parameters.split(";").map(Number);
    return { length, events: [{ type: "report", report: { about: "cursor", row, column } }] };
  }
  if (final === "u" && parameters.startsWith("?")) {
    return { length, events: [{ type: "report", report: { about: "kittyKeys" } }] };
  }
  const [, height, width] = final === "t" ? (/^6;(\d{1,4});(\d{1,4})$/.exec(parameters) ?? []) : [];
  if (Number(height) > 0 && Number(width) > 0) {
    const report = { about: "cell", width: Number(width), height: Number(height) } as const;
    return { length, events: [{ type: "report", report }] };
  }
  const [, one, other] = final === "t" ? (/^8;(\d{1,4});(\d{1,4})$/.exec(parameters) ?? []) : [];
  if (one !== undefined && other !== undefined) {
    return { length, events: [{ type: "report", report: { about: "size", sides: [Number(one), Number(other)] } }] };
  }
  if (whole === "\u001b[I" || whole === "\u001b[O") {
    return { length, events: [{ type: "report", report: { about: "focus", isFocused: final === "I" } }] };
  }
  if (final === "n" && (parameters === "?997;1" || parameters === "?997;2")) {
    const scheme = parameters === "?997;1" ? "dark" : "light";
    return { length, events: [{ type: "report", report: { about: "scheme", scheme } }] };
  }
  if (parameters.startsWith("<") && final === "M")
    return { length, events: mouseKeys(Number.parseInt(parameters.slice(1), 10)) };
  if (between !== "" || /^[<>=?]/.test(parameters)) return { length, events: [] };
  const [first = "", second = "", third = ""] = parameters.split(";");
  const [modifierText = "", eventType] = second.split(":");
  if (eventType === "3") return { length, events: [] };
  const modifiers = Number(modifierText === "" ? "1" : modifierText);
  if (final === "u") return { length, events: codeKey(Number(first.split(":")[0]), modifiers) };
  if (final === "~" && first === "27") return { length, events: codeKey(Number(third), modifiers) };
  if (final === "~") return { length, events: numberKey(Number(first), modifiers) };
  return { length, events: letterKey(final, modifiers) };
}

/** The number of lines for a step of the wheel. */
const WHEEL_LINES = 3;
/** The bits of the keys that were held with a button. */
const HELD_KEYS = 4 | 8 | 16;

/** A step of the wheel counts as several keys, one for each line. */
function mouseKeys(button: number): readonly KeyEvent[] {
  const name = ({ 0: "click", 64: "wheelup", 65: "wheeldown" } as const)[button & ~HELD_KEYS];
  return name ? Array.from({ length: name === "click" ? 1 : WHEEL_LINES }, () => key(name)) : [];
}

const LETTER_KEYS: Readonly<Record<string, KeyName>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  M: "enter",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
};

function letterKey(final: string, modifiers: number): readonly KeyEvent[] {
  if (final === "Z") return [key("tab", { shift: true })];
  const name = LETTER_KEYS[final];
  return name ? [key(name, fromModifiers(modifiers))] : [];
}

const NUMBER_KEYS: Readonly<Record<number, KeyName>> = {
  1: "home",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
  11: "f1",
  12: "f2",
  13: "f3",
  14: "f4",
  15: "f5",
  17: "f6",
  18: "f7",
  19: "f8",
  20: "f9",
  21: "f10",
  23: "f11",
  24: "f12",
};

function numberKey(number: number, modifiers: number): readonly KeyEvent[] {
  const name = NUMBER_KEYS[number];
  return name ? [key(name, fromModifiers(modifiers))] : [];
}

const CODE_KEYS: Readonly<Record<number, KeyName>> = {
  8: "backspace",
  9: "tab",
  13: "enter",
  27: "escape",
  127: "backspace",
  // The keys of the number pad, with the names of the kitty protocol.
  57414: "enter",
  57417: "left",
  57418: "right",
  57419: "up",
  57420: "down",
  57421: "pageup",
  57422: "pagedown",
  57423: "home",
  57424: "end",
  57426: "delete",
};

/** Characters that are these keys with Ctrl: terminals without such protocols send no difference, so none of them can be bound. */
const CTRL_KEYS: Readonly<Record<string, KeyName>> = { "[": "escape", i: "tab", m: "enter" };

/** A key by its Unicode code point: kitty's `CSI code ; modifiers u` and xterm's `CSI 27 ; modifiers ; code ~`. */
function codeKey(code: number, modifiers: number): readonly KeyEvent[] {
  const flags = fromModifiers(modifiers);
  const name = CODE_KEYS[code];
  if (name) return [key(name, flags)];
  // The private range holds lone modifiers, media keys and the number pad's digits.
  if (code >= 57399 && code <= 57408) return [{ type: "text", text: String(code - 57399) }];
  if (!Number.isInteger(code) || code < 0x20 || code > 0x10ffff || (code >= 57344 && code <= 63743)) return [];
  const char = String.fromCodePoint(code);
  const same = flags.ctrl && !flags.alt && !flags.shift ? CTRL_KEYS[char.toLowerCase()] : undefined;
  if (same) return [key(same)];
  if (flags.ctrl || flags.alt) return [key("char", { ...flags, char: char.toLowerCase() })];
  return [{ type: "text", text: flags.shift ? char.toUpperCase() : char }];
}

function control(code: number): readonly KeyEvent[] {
  if (code === 0x0d) return [key("enter")];
  if (code === 0x09) return [key("tab")];
  if (code === 0x7f || code === 0x08) return [key("backspace")];
  if (code === 0x1f) return [key("char", { char: "_", ctrl: true })];
  if (code >= 0x01 && code <= 0x1a) return [key("char", { char: String.fromCharCode(code + 0x60), ctrl: true })];
  return [];
}

type Flags = { readonly char?: string; readonly ctrl?: boolean; readonly alt?: boolean; readonly shift?: boolean };

export function key(name: KeyName, { char = "", ctrl = false, alt = false, shift = false }: Flags = {}): KeyEvent {
  return { type: "key", name, char, ctrl, alt, shift };
}

function withAlt(event: InputEvent): InputEvent {
  return event.type === "key" ? { ...event, alt: true } : event;
}

/** The number is one plus one bit each for shift, alt, ctrl, super, hyper, meta. Meta counts as Alt. */
function fromModifiers(modifiers: number): { ctrl: boolean; alt: boolean; shift: boolean } {
  const bits = Math.max(0, modifiers - 1);
  return { shift: (bits & 1) !== 0, alt: (bits & (2 | 32)) !== 0, ctrl: (bits & 4) !== 0 };
}

function isBurst(input: string): boolean {
  if (input.includes("\u001b")) return false;
  const breaks = input.match(/\r\n|[\r\n]/g)?.length ?? 0;
  return breaks >= MIN_BURST_LINES && input.length > breaks * 2;
}

/** The length of the longest suffix of `text` that is a prefix of `mark`. */
function overlap(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(mark.slice(0, length))) return length;
  }
  return 0;
}

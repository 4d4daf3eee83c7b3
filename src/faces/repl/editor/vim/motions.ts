import { nextBoundary, previousBoundary } from "@quoll/terminal-text/graphemes";
import type { VimCommand } from "./parse-vim-keys.ts";
import {
  atColumn,
  backInLine,
  columnOf,
  firstNonBlank,
  forwardInLine,
  lineCount,
  lineEnd,
  lineOf,
  lineStart,
  onCharacter,
  startOfLine,
} from "./vim-lines.ts";
import type { VimState } from "./vim-state.ts";
import { classAt, wordBack, wordEndBack, wordEndForward, wordForward } from "./words.ts";

/**
 * The target of a motion, and the text up to it that an operator takes: including the character at the end, or whole
 * lines.
 */
export type Reach = {
  readonly to: number;
  readonly takes: "before" | "with" | "lines";
  /** The column that `j` and `k` keep from here on. */
  readonly column?: number | undefined;
};

export type MotionInput = {
  readonly text: string;
  readonly at: number;
  readonly command: VimCommand;
  readonly state: Pick<VimState, "find" | "column">;
};

/** Follows a motion. @returns undefined if the motion has no target, or the command is not a motion. */
export function followMotion(input: MotionInput): Reach | undefined {
  return inLine(input) ?? byWord(input) ?? byLine(input) ?? bySearch(input);
}

function inLine({ text, at, command: { name, count = 1, operator } }: MotionInput): Reach | undefined {
  const before = (to: number): Reach => ({ to, takes: "before" });
  switch (name) {
    case "h":
      return at === lineStart(text, at) ? undefined : before(backInLine(text, at, count));
    case "l":
    case " ": {
      const to = forwardInLine(text, at, count);
      // Only an operator moves past the last character.
      return operator === undefined && onCharacter(text, to) === at ? undefined : before(to);
    }
    case "0":
      return before(lineStart(text, at));
    case "^":
      return before(firstNonBlank(text, at));
    case "|":
      return before(atColumn(text, lineStart(text, at), count - 1));
    case "$":
    case "g_": {
      if (lineOf(text, at) + count > lineCount(text)) return undefined;
      const start = startOfLine(text, lineOf(text, at) + count - 1);
      const end =
        name === "$" ? lineEnd(text, start) : start + text.slice(start, lineEnd(text, start)).trimEnd().length;
      return {
        to: onCharacter(text, Math.max(start, end)),
        takes: "with",
        column: name === "$" ? Number.POSITIVE_INFINITY : undefined,
      };
    }
    default:
      return undefined;
  }
}

function byWord({ text, at, command: { name, count = 1, operator } }: MotionInput): Reach | undefined {
  const isBig = name === "W" || name === "B" || name === "E" || name === "gE";
  switch (name) {
    case "w":
    case "W":
      // A change of a word keeps the blanks after the word.
      if (operator === "c" && classAt(text, at, isBig) !== "blank") {
        return { to: wordEndForward(text, at, { count, isBig, mayStay: true }), takes: "with" };
      }
      return { to: wordForward(text, at, { count, isBig, staysInLine: operator !== undefined }), takes: "before" };
    case "b":
    case "B":
      return at === 0 ? undefined : { to: wordBack(text, at, { count, isBig }), takes: "before" };
    case "e":
    case "E":
      return { to: wordEndForward(text, at, { count, isBig }), takes: "with" };
    case "ge":
    case "gE":
      return at === 0 ? undefined : { to: wordEndBack(text, at, { count, isBig }), takes: "with" };
    default:
      return undefined;
  }
}

function byLine({ text, at, command: { name, count }, state }: MotionInput): Reach | undefined {
  const last = lineCount(text) - 1;
  const line = lineOf(text, at);
  const column = state.column ?? columnOf(text, at);
  const kept = (to: number): Reach => ({ to: atColumn(text, startOfLine(text, to), column), takes: "lines", column });
  const first = (to: number): Reach => ({ to: firstNonBlank(text, startOfLine(text, to)), takes: "lines" });
  const steps = count ?? 1;
  switch (name) {
    case "j":
      return line === last ? undefined : kept(Math.min(last, line + steps));
    case "k":
      return line === 0 ? undefined : kept(Math.max(0, line - steps));
    case "+":
      return line + steps > last ? undefined : first(line + steps);
    case "-":
      return line - steps < 0 ? undefined : first(line - steps);
    case "_":
      return first(Math.min(last, line + steps - 1));
    case "G":
      return first(Math.min(last, (count ?? last + 1) - 1));
    case "gg":
      return first(Math.min(last, steps - 1));
    case "}":
      return reached(paragraphEnd(text, line, steps), at);
    case "{":
      return reached(paragraphStart(text, line, steps), at);
    default:
      return undefined;
  }
}

function reached(to: number | undefined, at: number): Reach | undefined {
  return to === undefined || to === at ? undefined : { to, takes: "before" };
}

/** The empty line after the paragraph; the end of the text after the last paragraph. */
function paragraphEnd(text: string, from: number, count: number): number | undefined {
  const lines = text.split("\n");
  let line = from;
  for (let left = count; left > 0; left -= 1) {
    if (line === lines.length) return undefined;
    while (line < lines.length && lines[line] === "") line += 1;
    while (line < lines.length && lines[line] !== "") line += 1;
  }
  return line < lines.length ? startOfLine(text, line) : text.length;
}

function paragraphStart(text: string, from: number, count: number): number | undefined {
  const lines = text.split("\n");
  let line = from;
  for (let left = count; left > 0; left -= 1) {
    if (line === 0 && left < count) return undefined;
    while (line > 0 && lines[line] === "") line -= 1;
    while (line > 0 && lines[line] !== "") line -= 1;
  }
  return startOfLine(text, line);
}

const OPPOSITE: Readonly<Record<string, string>> = { f: "F", F: "f", t: "T", T: "t" };

function bySearch(input: MotionInput): Reach | undefined {
  const { text, at, command, state } = input;
  const { name, count = 1, char } = command;
  if (name === "%") return matchingBracket(text, at);
  if (name === ";" || name === ",") {
    const { find } = state;
    if (!find) return undefined;
    const again = name === ";" ? find.name : (OPPOSITE[find.name] ?? find.name);
    return findCharacter(text, at, { name: again, char: find.char, count, isAgain: true });
  }
  return char !== undefined && OPPOSITE[name]
    ? findCharacter(text, at, { name, char, count, isAgain: false })
    : undefined;
}

type Finding = { readonly name: string; readonly char: string; readonly count: number; readonly isAgain: boolean };

/** `f` and `t` to the right, `F` and `T` to the left, within the line. */
function findCharacter(text: string, from: number, { name, char, count, isAgain }: Finding): Reach | undefined {
  const isForward = name === "f" || name === "t";
  const step = isForward ? nextBoundary : previousBoundary;
  const isIn = (at: number) => (isForward ? at < lineEnd(text, from) : at >= lineStart(text, from));
  const isUntil = name === "t" || name === "T";
  let at = from;
  let left = count;
  // A repeated `t` must move past the character at which it stopped.
  if (isAgain && isUntil && count === 1 && text.startsWith(char, step(text, at))) at = step(text, at);
  while (left > 0) {
    const next = step(text, at);
    if (next === at || !isIn(next)) return undefined;
    at = next;
    if (text.startsWith(char, at)) left -= 1;
  }
  const to = isUntil ? (isForward ? previousBoundary(text, at) : nextBoundary(text, at)) : at;
  return { to, takes: isForward ? "with" : "before" };
}

const PAIRS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** The partner of the first bracket at or after the cursor in its line. */
function matchingBracket(text: string, at: number): Reach | undefined {
  const found = text.slice(at, lineEnd(text, at)).search(/[()[\]{}]/);
  if (found < 0) return undefined;
  const bracket = text[at + found] ?? "";
  const to = PAIRS[bracket]
    ? closingBracket(text, at + found + 1, bracket, PAIRS[bracket])
    : openingBracket(text, at + found, Object.keys(PAIRS).find((open) => PAIRS[open] === bracket) ?? "", bracket);
  return to === undefined ? undefined : { to, takes: "with" };
}

/** The bracket that closes the open bracket, searched from `from`. */
export function closingBracket(text: string, from: number, open: string, close: string): number | undefined {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === open) depth += 1;
    if (text[at] === close) depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}

/** The bracket before `from` that is open there. */
export function openingBracket(text: string, from: number, open: string, close: string): number | undefined {
  let depth = 1;
  for (let at = from - 1; at >= 0; at -= 1) {
    if (text[at] === close) depth += 1;
    if (text[at] === open) depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}

import { diffArrays } from "diff";
import { findIndented, reindent } from "./indentation.ts";
import { inStyleOf, lineEndsOf, lineStarts, linesOf, toCrLf, toLf } from "./line-ends.ts";
import { plainSigns, textView, viewText, withoutTrailing } from "./text-view.ts";

/** A line number in Read's format; for an empty line the tab may be missing. */
const LINE_NUMBER = /^ *\d+(?:\t|$)/;

/** Above this size only exact text and line ends are matched, because the rest costs time and memory. */
const MAX_TOLERANT_CHARS = 8 * 1024 * 1024;

/** One section of the text and its replacement. Offsets are UTF-16 units. */
export type Replacement = { readonly start: number; readonly end: number; readonly text: string };

type FoundChange = {
  /** All matching places, in order, without overlap. */
  readonly places: readonly Replacement[];
  /** The corrections, in a few words each. */
  readonly corrections: readonly string[];
};

export type Change = { readonly oldText: string; readonly newText: string };

/** Finds the place of a change: first the exact text, then with corrections of common model mistakes, one kind after the other. */
export function findChange(text: string, change: Change): FoundChange | undefined {
  const found = findAsSent(text, change);
  if (found) return found;
  const bare = withoutNumbers(change);
  const unnumbered = bare && bare.oldText !== "" ? findAsSent(text, bare) : undefined;
  return unnumbered && { ...unnumbered, corrections: ["line numbers were pasted along", ...unnumbered.corrections] };
}

function findAsSent(text: string, change: Change): FoundChange | undefined {
  const found = exact(text, change) ?? otherLineEnds(text, change);
  if (found || text.length > MAX_TOLERANT_CHARS) return found;
  return inView(text, change, false) ?? inView(text, change, true) ?? otherIndentation(text, change);
}

function exact(text: string, { oldText, newText }: Change): FoundChange | undefined {
  const starts = occurrences(text, oldText);
  if (starts.length === 0) return undefined;
  const hasBareLf = /(?<!\r)\n/.test(newText);
  const isFixed = hasBareLf && lineEndsOf(text) === "crlf";
  return {
    places: at(starts, oldText.length, isFixed ? toCrLf(newText) : newText),
    corrections: isFixed ? ["line ends: the file's CRLF was kept"] : [],
  };
}

function otherLineEnds(text: string, { oldText, newText }: Change): FoundChange | undefined {
  for (const convert of [toCrLf, toLf]) {
    const wanted = convert(oldText);
    const starts = wanted === oldText ? [] : occurrences(text, wanted);
    if (starts.length > 0) {
      const kept = convert === toCrLf ? "CRLF" : "LF";
      return {
        places: at(starts, wanted.length, convert(newText)),
        corrections: [`line ends: the file's ${kept} was kept`],
      };
    }
  }
  return undefined;
}

function at(starts: readonly number[], length: number, text: string): readonly Replacement[] {
  return starts.map((start) => ({ start, end: start + length, text }));
}

function occurrences(text: string, wanted: string): number[] {
  const starts: number[] = [];
  if (wanted === "") return starts;
  for (let start = text.indexOf(wanted); start !== -1; start = text.indexOf(wanted, start + wanted.length))
    starts.push(start);
  return starts;
}

/** Compares with plain punctuation and line ends and, on request, without trailing white space. */
function inView(text: string, { oldText, newText }: Change, trailing: boolean): FoundChange | undefined {
  const wanted = viewText(oldText, { trailing });
  if (wanted.trim() === "") return undefined;
  const view = textView(text, { trailing });
  const starts = occurrences(view.text, wanted);
  if (starts.length === 0) return undefined;
  const cleaned = (sent: string) => (trailing ? withoutTrailing(toLf(sent)) : toLf(sent));
  const believed = cleaned(oldText);
  const hadTrailing = trailing && believed !== toLf(oldText);
  const newClean = hadTrailing ? cleaned(newText) : toLf(newText);
  const names = new Set<string>();
  const places = starts.map((start) => {
    const from = view.rawIndex(start);
    const end = view.rawIndex(start + wanted.length - 1) + 1;
    const to = text.startsWith("\r\n", end - 1) ? end + 1 : end;
    const replacedText = text.slice(from, to);
    for (const name of differences(replacedText, oldText)) names.add(name);
    const replaced = keepFileText({
      believed,
      wanted: newClean,
      real: (a, b) => text.slice(view.rawIndex(start + a), b === wanted.length ? to : view.rawIndex(start + b)),
      fit: (inserted) => inStyleOf(inserted, replacedText, text),
    });
    return { start: from, end: to, text: replaced };
  });
  return { places, corrections: [...names] };
}

/** Names the differences between two texts. */
function differences(real: string, believed: string): readonly string[] {
  const names: string[] = [];
  const [a, b] = [toLf(real), toLf(believed)];
  if (lineEndsOf(real) !== lineEndsOf(believed)) names.push("line ends: the file's own were kept");
  if (withoutTrailing(a) !== withoutTrailing(b)) names.push("quotes, dashes or spaces of another kind");
  if (plainSigns(a) !== plainSigns(b)) names.push("white space at line ends");
  return names;
}

/** Compares whole lines without their indentation, and gives the new lines the file's indentation. */
function otherIndentation(text: string, { oldText, newText }: Change): FoundChange | undefined {
  const oldLines = toLf(oldText).split("\n");
  const newLines = toLf(newText).split("\n");
  const endsWithBreak = oldLines.length > 1 && oldLines.at(-1) === "";
  if (endsWithBreak) {
    oldLines.pop();
    if (newLines.at(-1) === "") newLines.pop();
  }
  const fileLines = linesOf(text);
  const found = findIndented(fileLines, oldLines, newText);
  if (found.length === 0) return undefined;
  const starts = lineStarts(text);
  const takesBreak = endsWithBreak && toLf(newText).at(-1) !== "\n";
  const places = found.map(({ first, shift }) => {
    const last = first + oldLines.length - 1;
    const start = starts[first] ?? 0;
    const lineEnd = (starts[last] ?? 0) + (fileLines[last]?.length ?? 0);
    const end = takesBreak ? (starts[last + 1] ?? lineEnd) : lineEnd;
    const replacedText = text.slice(start, end);
    const lines = reindent(newLines, oldLines, fileLines.slice(first, last + 1), shift);
    return { start, end, text: inStyleOf(lines.join("\n"), replacedText, text) };
  });
  return { places, corrections: ["indentation: the file's own was kept"] };
}

/**
 * A change without line numbers that were copied from Read's output.
 * @returns undefined if not every line of the old text starts with a number.
 */
function withoutNumbers({ oldText, newText }: Change): Change | undefined {
  const lines = oldText.split("\n");
  const body = lines.at(-1) === "" ? lines.slice(0, -1) : lines;
  if (body.length === 0 || !body.every((line) => LINE_NUMBER.test(line.replace(/\r$/, "")))) return undefined;
  const strip = (text: string) =>
    text
      .split("\n")
      .map((line) => line.replace(LINE_NUMBER, ""))
      .join("\n");
  return { oldText: strip(oldText), newText: strip(newText) };
}

const TOKEN = /\r?\n|[^\S\r\n]+|[\p{L}\p{N}_]+|[^\s]/gu;
const MAX_EDIT_LENGTH = 2_000;

type TextChange = {
  /** The text that the model believed to be in the file. */
  readonly believed: string;
  readonly wanted: string;
  /** Returns the file's text for a section of `believed`. */
  readonly real: (start: number, end: number) => string;
  /** Adapts new text to the file's line ends. */
  readonly fit: (inserted: string) => string;
};

/** Writes `wanted` so that every part it shares with `believed` keeps the file's own text. */
function keepFileText({ believed, wanted, real, fit }: TextChange): string {
  const before = tokens(believed);
  const after = tokens(wanted);
  const changes = diffArrays(before, after, { maxEditLength: MAX_EDIT_LENGTH }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  const parts: string[] = [];
  let at = 0;
  for (const { value, added, removed } of changes) {
    const text = value.join("");
    if (added) parts.push(fit(text));
    else {
      if (!removed) parts.push(real(at, at + text.length));
      at += text.length;
    }
  }
  return parts.join("");
}

function tokens(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

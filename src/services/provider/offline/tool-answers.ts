/** Parses the answers of our tools: their content, and the notices in square brackets after it. */

export type Split = { readonly lines: readonly string[]; readonly notices: readonly string[] };

/** Separates an answer's lines from the notices at its end (without brackets). */
export function splitNotices(text: string): Split {
  const lines = text.split("\n");
  let end = lines.length;
  while (end > 0 && (lines[end - 1] === "" || isNotice(lines[end - 1] ?? ""))) end -= 1;
  const notices = lines.slice(end).flatMap((line) => (line === "" ? [] : [line.slice(1, -1)]));
  return { lines: lines.slice(0, end), notices };
}

/** A notice has several words; `[id]` is a file name. `(…)` is the loop's note about corrected input. */
function isNotice(line: string): boolean {
  return /^(?:\[[^\]]* .*\]|\([^)]* .*\))$/.test(line);
}

/** The offset at which a cut answer continues, or undefined for a complete answer. */
export function nextOffset(notices: readonly string[]): number | undefined {
  for (const notice of notices) {
    const offset = /go on with offset: (\d+)/.exec(notice)?.[1];
    if (offset !== undefined) return Number(offset);
  }
  return undefined;
}

export function isIncomplete(notices: readonly string[]): boolean {
  return notices.some((notice) => notice.startsWith("not complete"));
}

/** The files that a search could not read. */
export function troubles(notices: readonly string[]): readonly string[] {
  return notices.filter((notice) => /messages? from ripgrep/.test(notice));
}

/** True if Glob or Grep reports no results. */
export function foundNothing({ lines }: Split): boolean {
  return lines.length === 0 || (lines.length === 1 && /^No (?:match|file)(?:s|es)?\b.*/.test(lines[0] ?? ""));
}

export type FileLine = { readonly number: number; readonly text: string; readonly isCut: boolean };

export type ReadText = {
  readonly lines: readonly FileLine[];
  /** False if more lines follow. */
  readonly isToEnd: boolean;
  readonly endsWithNewline: boolean;
  readonly hasCrLf: boolean;
};

/** Read's suffix for a line that it cut. */
const CUT = /… \[[\d,]+ more bytes in this line\]$/;

/** The numbered lines of a Read. */
export function readText(text: string): ReadText {
  const { lines: shown, notices } = splitNotices(text);
  const lines = shown.flatMap((line): FileLine[] => {
    const match = /^ *(\d+)\t/.exec(line);
    if (!match) return [];
    const content = line.slice(match[0].length);
    return [{ number: Number(match[1]), text: content, isCut: CUT.test(content) }];
  });
  return {
    lines,
    isToEnd: nextOffset(notices) === undefined,
    endsWithNewline: !notices.some((notice) => notice.startsWith("no newline at the end")),
    hasCrLf: notices.some((notice) => /CRLF/.test(notice)),
  };
}

/** Read's answer for lines that it showed before; a repeated call shows them. */
export function isUnchanged(text: string): boolean {
  return / is unchanged since you read these lines/.test(text) && !text.includes("\t");
}

/** The sum of Grep's counts. */
export function countOf(text: string): number {
  return splitNotices(text).lines.reduce((sum, line) => sum + Number(/(?:^|:)(\d+)$/.exec(line)?.[1] ?? 0), 0);
}

/** The number of places that an Edit changed; undefined if its answer does not state it. */
export function replacementsOf(text: string): number | undefined {
  const count = /\(([\d,]+) replacements?\)/.exec(text)?.[1];
  return count === undefined ? undefined : Number(count.replaceAll(",", ""));
}

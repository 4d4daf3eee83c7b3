import { NARROW_SIGNS } from "@quoll/terminal-text/narrow-signs";

// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one.
const STYLE = /\u001b\[[\d;]*m/g;
const OTHER_SIGN = new RegExp(`[^${NARROW_SIGNS}]`);

/**
 * The sequence that turns a line on the screen into the next one by writing only the characters from the first to the last that
 * differ: a spinner's step is then a few bytes. @returns undefined if the lines differ in their styles, if they differ in their length
 * and nothing is just appended, or if they have characters that are not one column wide; the line is then written to its end.
 */
export function changedPart(previous: string, next: string, columns: number | undefined): string | undefined {
  if (columns === undefined) return undefined;
  if (next.startsWith(previous)) return appendedPart(previous, next, columns);
  if (previous.length !== next.length) return undefined;
  const text = next.replaceAll(STYLE, "");
  const before = previous.replaceAll(STYLE, "");
  if (text.length > columns || before.length !== text.length) return undefined;
  if (OTHER_SIGN.test(text) || OTHER_SIGN.test(before)) return undefined;
  const styles = stylesOf(next);
  const others = stylesOf(previous);
  if (
    styles.length !== others.length ||
    styles.some(({ at, code }, n) => others[n]?.at !== at || others[n].code !== code)
  )
    return undefined;
  let from = 0;
  while (from < text.length && text[from] === before[from]) from += 1;
  let to = text.length;
  while (to > from && text[to - 1] === before[to - 1]) to -= 1;
  if (from === to) return undefined;
  const [opened, closed] = [activeAt(styles, from), activeAt(styles, Number.POSITIVE_INFINITY)];
  const within = styles.filter(({ at }) => at > from && at < to);
  if (!opened || !closed) return undefined;
  let part = `\u001b[${from + 1}G${[...opened.values()].join("")}`;
  let written = from;
  for (const { at, code } of within) {
    part += text.slice(written, at) + code;
    written = at;
  }
  const active =
    activeAt(
      styles.filter(({ at }) => at < to),
      to,
    ) ?? closed;
  return part + text.slice(written, to) + turned(active, closed);
}

/** Text that streams: a line ends its styles, and nothing stands behind it, so that only what follows is written. */
function appendedPart(previous: string, next: string, columns: number): string | undefined {
  const before = previous.replaceAll(STYLE, "");
  if (before === "" || before.length >= columns || OTHER_SIGN.test(next.replaceAll(STYLE, ""))) return undefined;
  return `\u001b[${before.length + 1}G${next.slice(previous.length)}`;
}

/** The code that ends each kind of style. */
const ENDS: readonly (readonly [end: number, begins: (code: number) => boolean])[] = [
  [22, (code) => code === 1 || code === 2],
  [23, (code) => code === 3],
  [24, (code) => code === 4],
  [27, (code) => code === 7],
  [29, (code) => code === 9],
  [39, (code) => (code >= 30 && code <= 38) || (code >= 90 && code <= 97)],
  [49, (code) => (code >= 40 && code <= 48) || (code >= 100 && code <= 107)],
];

/** The styles, by the code that ends them, that hold for the character at a place; undefined if one is unknown. */
function activeAt(styles: readonly Style[], place: number): ReadonlyMap<number, string> | undefined {
  const active = new Map<number, string>();
  for (const { at, code } of styles) {
    if (at > place) break;
    const first = Number.parseInt(code.slice(2), 10);
    const kind = ENDS.find(([end, begins]) => end === first || begins(first));
    // Several in one sequence, unless they are the numbers of a colour.
    const isJoined = code.includes(";") && first !== 38 && first !== 48;
    if (!kind || isJoined) return undefined;
    const [end] = kind;
    // Bold and dim hold at the same time, and end together.
    if (end === first) active.delete(end);
    else active.set(end, end === 22 ? (active.get(end) ?? "") + code : code);
  }
  return active;
}

/** The codes that turn some active styles into others. */
function turned(from: ReadonlyMap<number, string>, to: ReadonlyMap<number, string>): string {
  const ended = [...from].filter(([end, code]) => to.get(end) !== code).map(([end]) => `\u001b[${end}m`);
  const begun = [...to].filter(([end, code]) => from.get(end) !== code).map(([, code]) => code);
  return ended.join("") + begun.join("");
}

type Style = { readonly at: number; readonly code: string };

/** The styles of a line, with their places in its text. */
function stylesOf(line: string): readonly Style[] {
  let hidden = 0;
  return Array.from(line.matchAll(STYLE), ({ index, 0: code }) => {
    const at = index - hidden;
    hidden += code.length;
    return { at, code };
  });
}

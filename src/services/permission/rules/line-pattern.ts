const SIGN = /\|\||&&|\|&|\d*>&\d|(?:\d*|&)>>?|\d*<{1,3}|[;|&]/g;
const SEPARATOR = / (?:\|\||&&|\|&|[;|&]) /g;
/** Limits the work for a long line: a span begins at one of its commands and ends at one of the commands behind. */
const MAX_COMMANDS = 60;

/** A line with one blank around each operator and redirect, and single blanks elsewhere; quoted text stays as it is. */
export function spacedLine(line: string): string {
  const text = line.replace(/\\\n/g, "  ").trim();
  const masked = maskQuoted(text);
  const signs = [...masked.matchAll(/\n+|\s+/g), ...masked.matchAll(SIGN)].sort((a, b) => a.index - b.index);
  let spaced = "";
  let at = 0;
  for (const { 0: sign, index } of signs) {
    if (index < at) continue;
    const isBlank = sign.trim() === "";
    spaced += text.slice(at, index) + (isBlank ? (sign.includes("\n") ? " ; " : " ") : ` ${sign} `);
    at = index + sign.length;
  }
  return (spaced + text.slice(at)).replace(/^ +| +$/g, "").replace(/ {2,}(?=[;|&<>\d])|(?<=[;|&>]) {2,}/g, " ");
}

const FIRST_SIGN = /^(?:\|\||&&|\|&|[;|&]|(?:\d*|&)>>?|\d*<{1,3})(?= |$)/;
const LAST_SIGN = /(?:^| )(?:\|\||&&|\|&|\||(?:\d*|&)>>?|\d*<{1,3})$/;

/** The spec of a rule about a line, as `lineSpans` gives lines; `| sh` and `> x` stand for any command before them. */
export function linePattern(spec: string): string {
  const line = spacedLine(spec);
  return `${FIRST_SIGN.test(line) ? "* " : ""}${line}${LAST_SIGN.test(line) ? " *" : ""}`;
}

/** Each sequence of neighbouring commands of a line, as a rule like `curl * | sh` names it. */
export function lineSpans(line: string): readonly string[] {
  const text = spacedLine(line);
  const separators = [...maskQuoted(text).matchAll(SEPARATOR)].slice(0, MAX_COMMANDS);
  const starts = [0, ...separators.map(({ 0: sign, index }) => index + sign.length)];
  const ends = [...separators.map(({ index }) => index), text.length];
  return starts.flatMap((start) => ends.filter((end) => end > start).map((end) => text.slice(start, end)));
}

/** Stands for one character of quoted or substituted text. */
const MASK = "\0";
/** A quoted, escaped or substituted text without a nested one of its kind. */
const QUOTED =
  /\\[\s\S]?|'[^']*(?:'|$)|"(?:[^"\\]|\\[\s\S])*(?:"|$)|`[^`]*(?:`|$)|[$<>]\((?:[^()]|\([^()]*\))*\)|\$\{[^}]*\}/g;

/**
 * A shell text of the same length in which quoted and escaped characters and the text of substitutions are masked, so
 * that every other character has its meaning for the shell. Only for deciding what a rule's author meant: an open quote
 * ends with the text, and deep nesting is not followed.
 */
export function maskQuoted(text: string): string {
  return text.replace(QUOTED, (quoted) => MASK.repeat(quoted.length));
}

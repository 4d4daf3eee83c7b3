import { operandsOf } from "./command-parts.ts";
import type { GitNames, ShellWord } from "./types.ts";

const SOURCE = /^(?:-s|--source)(?:=(.*))?$/s;
/** `--staged`, also abbreviated, and `-S` among joined short flags before a flag with a value. */
const STAGED = /^(?:--sta[a-z]*|-[^-s]*S.*)$/;
const FROM_FILE = /^--pathspec-from-file/;

/** @returns undefined if a word is unknown, or if a file contains the names. */
export function gitNames(
  sub: string,
  words: readonly ShellWord[],
  valueFlags: readonly string[] | undefined,
): GitNames | undefined {
  if (words.some(({ value }) => value === undefined || FROM_FILE.test(value))) return undefined;
  const dashes = words.findIndex(({ value }) => value === "--");
  const before = operandsOf(dashes < 0 ? words : words.slice(0, dashes), valueFlags).map(specOf);
  const after = dashes < 0 ? [] : words.slice(dashes + 1).map(specOf);
  if (sub === "restore") return { sub, revisions: restoredFrom(words), pathspecs: [...before, ...after], either: [] };
  return dashes < 0
    ? { sub, revisions: [], pathspecs: [], either: before }
    : { sub, revisions: before, pathspecs: after, either: [] };
}

function specOf({ value = "", isGlob }: ShellWord): string {
  return isGlob ? `:(glob)${value}` : value;
}

/** With --staged, git takes the files from HEAD unless a source is named. */
function restoredFrom(words: readonly ShellWord[]): readonly string[] {
  const sources = sourcesIn(words);
  const isStaged = words.some(({ value = "" }) => STAGED.test(value));
  return sources.length === 0 && isStaged ? ["HEAD"] : sources;
}

function sourcesIn(words: readonly ShellWord[]): readonly string[] {
  return words.flatMap(({ value = "" }, at) => {
    const short = /^-s(.+)$/s.exec(value)?.[1];
    const match = SOURCE.exec(value);
    const source = short ?? (match ? (match[1] ?? words[at + 1]?.value) : undefined);
    return source === undefined ? [] : [source];
  });
}

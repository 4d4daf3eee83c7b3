import type { CompactionReport } from "../../../contracts/compaction.ts";
import type { SessionFacts, UserWords } from "./summary-facts.ts";

const MAX_TYPED = 60;
/** Matches names with punctuation or an inner capital, paths, ids and numbers of three or more digits. */
const TYPED =
  /\b[A-Za-z_]\w*(?:[-./:@#]\w+)+\b|\b[a-z]+[A-Z]\w*\b|\b\w+_\w+\b|#\d+|\b\d[\d.,:/-]{0,60}\d{2,}\b|\b\d{3,}\b|`[^`\n]{2,80}`|"[^"\n]{2,80}"/g;

/** Words that may name a file. */
const PATH_LIKE = /[\w.@~/-]+/g;

export type LossCheck = Pick<CompactionReport, "checked" | "added"> & {
  /** The facts that were not mentioned, as text for the model; empty when all were. */
  readonly text: string;
};

/**
 * Searches the text that the model will see for checkable facts, and returns the missing facts.
 * @param seen The summary, the user's messages and the kept messages as one text.
 * @param shortened The user's messages that are not kept word for word.
 */
export function checkLoss(seen: string, facts: SessionFacts, shortened: readonly UserWords[]): LossCheck {
  const typed = [...new Set(shortened.flatMap(({ text }) => text.match(TYPED) ?? []))].slice(0, MAX_TYPED);
  const words = new Set(seen.match(PATH_LIKE)?.map((word) => word.replace(/^\.\/|(?<!\.)\.+$/g, "")));
  const parts = [
    { title: "Files changed", facts: facts.changedPaths, isSeen: (path: string) => isPathSeen(path, seen, words) },
    { title: "Named by the user", facts: typed, isSeen: (name: string) => isNameSeen(bare(name), seen) },
    {
      title: "Commands that failed last",
      facts: facts.failedCommands.map(({ command, error }) => `${command}\n${error}`),
      isSeen: (fact: string) => seen.includes(fact.slice(0, fact.indexOf("\n"))),
    },
  ];
  const missing = parts.map(({ title, facts: all, isSeen }) => ({ title, facts: all.filter((fact) => !isSeen(fact)) }));
  return {
    checked: parts.reduce((sum, { facts: all }) => sum + all.length, 0),
    added: missing.flatMap(({ facts: added }) => added),
    text: missing.flatMap(({ title, facts: added }) => (added.length > 0 ? [listOf(title, added)] : [])).join("\n"),
  };
}

export function listOf(title: string, lines: readonly string[]): string {
  return `${title}:\n${lines.map((line) => `- ${line.replaceAll("\n", "\n  ")}`).join("\n")}`;
}

/** A text may name a file by its last segments, but this must not match another file of the same name. */
function isPathSeen(path: string, seen: string, words: ReadonlySet<string>): boolean {
  if (isNameSeen(path, seen)) return true;
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1))
    if (words.has(path.slice(at + 1))) return true;
  return false;
}

/** True if the name occurs as a whole word: 100 does not match in 1000. */
function isNameSeen(name: string, seen: string): boolean {
  for (let at = seen.indexOf(name); at !== -1; at = seen.indexOf(name, at + 1)) {
    const [before = "", after = ""] = [seen[at - 1], seen[at + name.length]];
    if (!isJoined(before, name[0]) && !isJoined(after, name.at(-1))) return true;
  }
  return false;
}

function isJoined(outer: string, inner = ""): boolean {
  return /\w/.test(outer) && /\w/.test(inner);
}

function bare(name: string): string {
  return name.replaceAll(/^[`"]|[`"]$/g, "");
}

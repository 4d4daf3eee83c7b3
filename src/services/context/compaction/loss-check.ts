import type { CompactionReport } from "../../../contracts/compaction.ts";
import type { SessionFacts, UserWords } from "./session-facts.ts";

const MAX_TYPED = 60;
/** Names with a sign or a capital inside, paths, ids and numbers of three digits or more. */
const TYPED =
  /\b[A-Za-z_]\w*(?:[-./:@#]\w+)+\b|\b[a-z]+[A-Z]\w*\b|\b\w+_\w+\b|#\d+|\b\d[\d.,:/-]*\d{2,}\b|\b\d{3,}\b|`[^`\n]{2,80}`|"[^"\n]{2,80}"/g;

export type LossCheck = Pick<CompactionReport, "checked" | "added"> & {
  /** The facts that were not mentioned, as text for the model; empty when all were. */
  readonly text: string;
};

/**
 * Looks in what the model will see for facts that can be checked, and gives those that are missing.
 * @param seen The summary, the user's messages and the kept messages as one text.
 * @param shortened The user's messages that are not kept word for word.
 */
export function checkLoss(seen: string, facts: SessionFacts, shortened: readonly UserWords[]): LossCheck {
  const typed = [...new Set(shortened.flatMap(({ text }) => text.match(TYPED) ?? []))].slice(0, MAX_TYPED);
  const parts = [
    { title: "Files changed", facts: facts.changedPaths, isSeen: (path: string) => seen.includes(nameOf(path)) },
    { title: "Named by the user", facts: typed, isSeen: (name: string) => seen.includes(bare(name)) },
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

/** A summary may name a file by its end. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function bare(name: string): string {
  return name.replaceAll(/^[`"]|[`"]$/g, "");
}

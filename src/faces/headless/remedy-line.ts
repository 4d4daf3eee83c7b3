import type { PermissionDenial } from "../../contracts/event.ts";

/** Nobody reads more than this on one line before pasting it. */
const MAX_RULES = 10;

/**
 * One line for the person whose run had calls refused because nobody could answer: what to add to the command line.
 * @returns undefined where nothing narrow would have let them run.
 */
export function remedyLine(denials: readonly PermissionDenial[]): string | undefined {
  const remedies = denials.flatMap(({ unanswered, remedy }) => (unanswered && remedy ? [remedy] : []));
  const rules = [...new Set(remedies.flatMap((remedy) => (remedy.kind === "rules" ? remedy.rules : [])))];
  const words = [
    ...(remedies.some(({ kind }) => kind === "confined") ? ["--allow-sandboxed"] : []),
    ...(rules.length > 0 ? ["--allowed-tools", quoted(rules.slice(0, MAX_RULES).join(","))] : []),
  ];
  const more = rules.length > MAX_RULES ? ` (and ${rules.length - MAX_RULES} more rules)` : "";
  return words.length === 0 ? undefined : `To allow this next time, add${more}: ${words.join(" ")}`;
}

/** One word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

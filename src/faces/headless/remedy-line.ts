import type { PermissionDenial } from "../../contracts/event.ts";

/** The maximum number of rules, because a person would paste a longer line without reading it. */
const MAX_RULES = 10;

/**
 * Tells a person which options to add after calls were denied because nobody could answer.
 * @param lead What the options do.
 * @returns undefined if no narrow option would have allowed them.
 */
export function remedyLine(
  denials: readonly PermissionDenial[],
  lead = "To allow this next time, add",
): string | undefined {
  const remedies = denials.flatMap(({ unanswered, remedy }) => (unanswered && remedy ? [remedy] : []));
  const rules = [...new Set(remedies.flatMap((remedy) => (remedy.kind === "rules" ? remedy.rules : [])))];
  const outside = [...new Set(remedies.flatMap((remedy) => (remedy.kind === "rules" ? (remedy.outside ?? []) : [])))];
  const hosts = [...new Set(remedies.flatMap((remedy) => (remedy.kind === "rules" ? (remedy.hosts ?? []) : [])))];
  const sandbox = {
    ...(outside.length > 0 && { excludedCommands: outside.slice(0, MAX_RULES) }),
    ...(hosts.length > 0 && { network: { allowedDomains: hosts } }),
  };
  const words = [
    ...(remedies.some(({ kind }) => kind === "confined") ? ["--allow-sandboxed"] : []),
    ...(rules.length > 0 ? ["--allowed-tools", quoted(rules.slice(0, MAX_RULES).join(","))] : []),
    ...(outside.length + hosts.length > 0 ? ["--settings", quoted(JSON.stringify({ sandbox }))] : []),
  ];
  const more = rules.length > MAX_RULES ? ` (and ${rules.length - MAX_RULES} more rules)` : "";
  return words.length === 0 ? undefined : `${lead}${more}: ${words.join(" ")}`;
}

/** Quotes one word for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

import type { PermissionDenial } from "../../contracts/event.ts";
import type { Remedy } from "../../contracts/permission.ts";

/** The maximum number of rules, because a person would paste a longer line without reading it. */
const MAX_RULES = 10;

/** More rules are not listed beside an option that allows all commands. */
const MAX_NARROW_RULES = 3;

/**
 * Tells a person which options to add after calls were denied because nobody could answer. The line ends with the
 * options to paste; the words before them name what would allow less, or more.
 * @param how Where the options are added.
 * @returns undefined if no narrow option would have allowed them.
 */
export function remedyLine(
  denials: readonly PermissionDenial[],
  { goal, how }: { readonly goal: string; readonly how: string } = { goal: "To allow this next time", how: "add" },
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
  const others = [narrowWords(remedies), remedies.some(({ mode }) => mode) ? EDIT_MODE : ""].filter(Boolean);
  const aside = others.length === 0 ? "" : ` (${others.join("; ")})`;
  return words.length === 0 ? undefined : `${goal}${aside}, ${how}${more}: ${words.join(" ")}`;
}

const EDIT_MODE = "all edits: --permission-mode acceptEdits";

/** The option that allows only these commands of those that stay in the sandbox; empty if it would not allow each. */
function narrowWords(remedies: readonly Remedy[]): string {
  const confined = remedies.flatMap((remedy) => (remedy.kind === "confined" ? [remedy.rules ?? []] : []));
  const rules = [...new Set(confined.flat())];
  const isWhole = confined.length > 0 && confined.every((one) => one.length > 0);
  if (!isWhole || rules.length > MAX_NARROW_RULES) return "";
  return `only ${rules.length === 1 ? "this command" : "these commands"}: --allowed-tools ${quoted(rules.join(","))}`;
}

/** Quotes one word for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

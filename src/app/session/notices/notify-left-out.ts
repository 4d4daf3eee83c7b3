import { plural } from "@quoll/terminal-text/plural";
import type { ContentWarning } from "../../../contracts/content-folder.ts";
import { firstFew } from "../../../contracts/words.ts";
import { notToldYet } from "./not-told-yet.ts";

/** The maximum number of skills that a line names. */
const MAX_NAMED = 3;

type OwnFolders = { readonly own: { readonly state: string } };
/** A problem of an agent, a skill or a command. */
export type LeftOutPart = Pick<ContentWarning, "line" | "isUnused">;
type LeftOut = {
  readonly parts: readonly LeftOutPart[];
  /** One for each skill that got another name than its own. */
  readonly renamed: readonly string[];
};

/** Tells the person, at the first start and when there are new ones, what of their files is left out or renamed. */
export function notifyLeftOut(
  { parts, renamed }: LeftOut,
  { own: { state } }: OwnFolders,
  { startupWarning }: { startupWarning(line: string): void },
): void {
  const lines = parts.map(({ line }) => line);
  if (notToldYet(state, "left-out", lines).length > 0) startupWarning(leftOutLine(parts));
  const fresh = notToldYet(state, "renamed-skills", renamed);
  if (fresh.length > 0) startupWarning(renamedLine(fresh));
}

/** One line about all problems. */
export function leftOutLine(parts: readonly LeftOutPart[]): string {
  const [only] = parts;
  if (only && parts.length === 1) return `${only.line} \`quoll doctor\` lists it.`;
  const unused = parts.filter(({ isUnused }) => isUnused).length;
  const files = unused === 0 ? "" : ` (${plural(unused, "whole file")})`;
  return `${parts.length} parts of agents, skills and commands are left out${files}: \`quoll doctor\` lists them.`;
}

function renamedLine(renamed: readonly string[]): string {
  const shown = firstFew(renamed, MAX_NAMED, (count) => `${count} more: /skills lists them`);
  return `Two skills have one name: ${shown.join("; ")}.`;
}

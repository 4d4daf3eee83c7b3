import { plural } from "@quoll/terminal-text/plural";
import { notToldYet } from "./not-told-yet.ts";

/** The end of a line about a file that has no effect at all. */
const UNUSED = /is not used\b/;

/** The maximum number of skills that a line names. */
const MAX_NAMED = 3;

type Place = { readonly own: { readonly state: string } };
type LeftOut = {
  /** One for each problem of an agent, a skill or a command. */
  readonly lines: readonly string[];
  /** One for each skill that got another name than its own. */
  readonly renamed: readonly string[];
};

/** Tells the person, at the first start and when there are new ones, what of their files is left out or renamed. */
export function tellLeftOut(
  { lines, renamed }: LeftOut,
  { own: { state } }: Place,
  { startupWarning }: { startupWarning(line: string): void },
): void {
  if (notToldYet(state, "left-out", lines).length > 0) startupWarning(leftOutLine(lines));
  const fresh = notToldYet(state, "renamed-skills", renamed);
  if (fresh.length > 0) startupWarning(renamedLine(fresh));
}

/** One line about all problems. */
export function leftOutLine(lines: readonly string[]): string {
  const [only = ""] = lines;
  if (lines.length === 1) return `${only} \`quoll doctor\` lists it.`;
  const unused = lines.filter((line) => UNUSED.test(line)).length;
  const files = unused === 0 ? "" : ` (${plural(unused, "whole file")})`;
  return `${lines.length} parts of agents, skills and commands are left out${files}: \`quoll doctor\` lists them.`;
}

function renamedLine(renamed: readonly string[]): string {
  const more = renamed.length - MAX_NAMED;
  const rest = more > 0 ? `; ${more} more: /skills lists them` : "";
  return `Two skills have one name: ${renamed.slice(0, MAX_NAMED).join("; ")}${rest}.`;
}

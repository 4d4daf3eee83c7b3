import type { Completion } from "../layers/ui-state.ts";
import { ROLES } from "./spoken-text.ts";

const MAX_CANDIDATES = 10;

/** The commands that a line ending with a tab begins: `/mo`, tab, enter. Undefined for any other line. */
export function completionLines(line: string, commands: readonly Completion[]): readonly string[] | undefined {
  const typed = /^\s*\/(\S*)\t+\s*$/.exec(line)?.[1]?.toLowerCase();
  if (typed === undefined) return undefined;
  const found = commandsFor(`/${typed}`, commands);
  if (found.length === 0) return [`${ROLES.notice}: no command begins with /${typed}.`];
  const left = found.length - MAX_CANDIDATES;
  return [
    ...found
      .slice(0, MAX_CANDIDATES)
      .map(({ name, argumentHint, summary }) => `${ROLES.notice}: /${`${name} ${argumentHint}`.trim()}: ${summary}`),
    ...(left > 0 ? [`${ROLES.notice}: ${left} more; type more letters.`] : []),
  ];
}

/** The commands whose name, or an alias, begins with the typed text: `/mo`. */
export function commandsFor(text: string, commands: readonly Completion[]): readonly Completion[] {
  const typed = /^\s*\/(\S*)$/.exec(text)?.[1]?.toLowerCase();
  if (typed === undefined) return [];
  return commands.filter(({ name, aliases = [] }) =>
    [name, ...aliases].some((one) => one.toLowerCase().startsWith(typed)),
  );
}

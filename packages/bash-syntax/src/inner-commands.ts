import { launchOf } from "./launch.ts";
import { type LaunchPart, plainValue, sourceOf } from "./launch-parts.ts";
import { isPortable } from "./launch-shell.ts";
import { stripWrappers } from "./strip-wrappers.ts";
import type { InnerCommands, ShellParser, SimpleCommand } from "./types.ts";

/** The maximum depth of nested commands: `sudo bash -c 'xargs rm'` has three. */
const MAX_DEPTH = 8;
const MAX_COMMANDS = 200;

/**
 * The commands that a command starts from its own words: `env A=1 make`, `xargs rm`, `bash -c 'ls; pwd'`, `find -exec
 * rm {} \;`, `ssh host uptime`. Inner commands have the assignments of the outer command, which affect them too, but
 * not its redirects. A word that gets its value only at run time has no value. A `cd` precedes a command that runs in
 * another folder.
 *
 * The list leaves out commands that a program takes from its own files (`make`, `npm run`, `npx`) and code in the program's own
 * language (`python -c`).
 * @returns undefined for a command that starts none.
 */
export function innerCommands(command: SimpleCommand, parser: ShellParser): InnerCommands | undefined {
  const launch = launchOf(command);
  if (launch === undefined) return undefined;
  const unknown = [...launch.unknown];
  const commands = launch.parts.flatMap((part) => {
    const found = part.kind === "words" ? [wordsCommand(part, command)] : readScript(part, command, parser, unknown);
    return [...folderCommand(part, command), ...found];
  });
  return { commands, isTransparent: launch.isTransparent && unknown.length === 0, unknown };
}

function wordsCommand(part: LaunchPart & { kind: "words" }, outer: SimpleCommand): SimpleCommand {
  const [head] = part.words;
  const isUnknown = plainValue(head) === undefined;
  return {
    source: sourceOf(part.words),
    words: part.words,
    assignments: [...outer.assignments, ...(part.assignments ?? [])],
    redirects: [],
    // The inner command is a separate program, so its `cd` does not move the shell.
    conditional: true,
    within: [...outer.within, part.within],
    ...(givesInput(outer) && { isPiped: true }),
    unknown: isUnknown ? [head?.source ?? outer.source] : [],
  };
}

/** True if a command that it starts gets its input from elsewhere. */
function givesInput({ isPiped, redirects }: SimpleCommand): boolean {
  return isPiped === true || redirects.some(({ direction }) => direction === "read" || direction === "inline");
}

function readScript(
  part: LaunchPart & { kind: "script" },
  outer: SimpleCommand,
  parser: ShellParser,
  unknown: string[],
): readonly SimpleCommand[] {
  if (part.dialect === "posix" && !isPortable(part.text)) {
    unknown.push(part.text);
    return [];
  }
  const parsed = parser.parse(part.text);
  if (!parsed.understood) {
    unknown.push(...parsed.unclear);
    return [];
  }
  return parsed.commands.map((command) => ({
    ...command,
    ...(givesInput(outer) && { isPiped: true }),
    assignments: [...outer.assignments, ...command.assignments],
    within: [...outer.within, part.within, ...command.within],
  }));
}

/** The `cd` to the folder in which the command runs. */
function folderCommand({ folder, within }: LaunchPart, outer: SimpleCommand): readonly SimpleCommand[] {
  if (folder === undefined) return [];
  const words = [{ source: "cd", value: "cd", isGlob: false }, folder];
  const place = [...outer.within, within];
  return [
    { source: sourceOf(words), words, assignments: [], redirects: [], conditional: false, within: place, unknown: [] },
  ];
}

export type ExpandedCommand = {
  readonly command: SimpleCommand;
  /** The command only starts the commands after it. */
  readonly isTransparent: boolean;
};

export type ExpandedCommands = {
  /** The commands in the order in which they are named, each before the commands that it starts. */
  readonly commands: readonly ExpandedCommand[];
  readonly unknown: readonly string[];
};

/**
 * The command itself and all commands that it starts, through every level. Wrappers (stripWrappers) are removed first.
 * Deeper than 8 levels or beyond 200 commands the rest is unknown.
 */
export function allInner(command: SimpleCommand, parser: ShellParser): ExpandedCommands {
  const commands: ExpandedCommand[] = [];
  const unknown: string[] = [];
  expand(command, 0);
  return { commands, unknown };

  function expand(outer: SimpleCommand, depth: number): void {
    if (commands.length >= MAX_COMMANDS) {
      unknown.push(outer.source);
      return;
    }
    const inner = innerCommands(stripWrappers(outer) ?? outer, parser);
    commands.push({ command: outer, isTransparent: inner?.isTransparent ?? false });
    unknown.push(...(inner?.unknown ?? []));
    if (inner === undefined || inner.commands.length === 0) return;
    if (depth >= MAX_DEPTH) unknown.push(outer.source);
    else for (const one of inner.commands) expand(one, depth + 1);
  }
}

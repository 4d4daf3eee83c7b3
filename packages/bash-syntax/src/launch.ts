import { launchFd, launchFind } from "./launch-find.ts";
import { launchGit } from "./launch-git.ts";
import {
  LOADER,
  launchDaemon,
  launchHyperfine,
  launchLoader,
  launchNix,
  launchScreen,
  launchTmux,
} from "./launch-more.ts";
import {
  type Launch,
  type Launcher,
  type LaunchPart,
  literal,
  plainValue,
  scriptLaunch,
  unknownLaunch,
} from "./launch-parts.ts";
import { launchEval, launchOtherShell, launchShell } from "./launch-shell.ts";
import { launchFlock, launchKubectl, launchParallel, launchSsh, launchSu, launchXargs } from "./launch-special.ts";
import { matchLeading } from "./match-flags.ts";
import { COMMAND_FLAG_ROWS, type CommandFlagRow } from "./tables/command-flags.ts";
import { LAUNCHER_ROWS, type LauncherRow } from "./tables/launchers.ts";
import type { Assignment, ShellWord, SimpleCommand } from "./types.ts";

const SPECIAL: ReadonlyMap<string, Launcher> = new Map<string, Launcher>([
  ...["bash", "sh", "dash", "zsh", "ksh", "mksh", "ash", "yash", "rbash"].map(
    (name) => [name, launchShell(name)] as const,
  ),
  ...["fish", "csh", "tcsh", "pwsh", "powershell", "nu", "elvish", "xonsh", "cmd"].map(
    (name) => [name, launchOtherShell] as const,
  ),
  ["eval", launchEval],
  ["find", launchFind],
  ["fd", launchFd],
  ["fdfind", launchFd],
  ["xargs", launchXargs],
  ["parallel", launchParallel],
  ["ssh", launchSsh],
  ["su", launchSu],
  ["runuser", launchSu],
  ["flock", launchFlock],
  ["kubectl", launchKubectl],
  ["oc", launchKubectl],
  ["git", launchGit],
  ["hyperfine", launchHyperfine],
  ["tmux", launchTmux],
  ["screen", launchScreen],
  ["nix", launchNix],
  ["start-stop-daemon", launchDaemon],
]);
const ROWS: ReadonlyMap<string, readonly LauncherRow[]> = Map.groupBy(LAUNCHER_ROWS, ({ name }) => name);
const FLAG_ROWS: ReadonlyMap<string, readonly CommandFlagRow[]> = Map.groupBy(COMMAND_FLAG_ROWS, ({ name }) => name);

const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=([\s\S]*)$/;
const ORDINARY_PLACE = /^(?:\/usr(?:\/local)?)?\/bin\/[^/]+$/;

/**
 * The programs that a command starts from its own words, without parsing scripts among them.
 * @returns undefined for a command that starts no program, or none that its words name (`make`, `npm run`).
 */
export function launchOf(command: SimpleCommand): Launch | undefined {
  const [head, ...args] = command.words;
  const path = head?.isGlob ? undefined : head?.value;
  const name = path?.split("/").at(-1);
  if (path === undefined || name === undefined) return undefined;
  const special = SPECIAL.get(name) ?? (LOADER.test(name) ? launchLoader : undefined);
  const launch = special?.(args, command) ?? launchRow(ROWS.get(name) ?? [], args, command);
  const flagged = (FLAG_ROWS.get(name) ?? []).flatMap((row) => flagParts(row, args));
  if (launch === undefined && flagged.length === 0) return undefined;
  const isOrdinary = !path.includes("/") || ORDINARY_PLACE.test(path);
  const unknown = flagged.flatMap((found) => (typeof found === "string" ? found : []));
  return {
    parts: [...(launch?.parts ?? []), ...flagged.filter((found) => typeof found !== "string")],
    isTransparent: launch !== undefined && flagged.length === 0 && isOrdinary && launch.isTransparent,
    unknown: [...(launch?.unknown ?? []), ...unknown],
  };
}

function launchRow(
  rows: readonly LauncherRow[],
  args: readonly ShellWord[],
  command: SimpleCommand,
): Launch | undefined {
  for (const row of rows) {
    const rest = afterRowSub(row, args);
    if (rest) return launchByRow(row, rest, command);
  }
  return undefined;
}

/** The words after the row's subcommand and the flags before it. */
function afterRowSub({ sub, globals }: LauncherRow, args: readonly ShellWord[]): readonly ShellWord[] | undefined {
  if (sub === undefined) return args;
  const rest = matchLeading(globals ?? [], args)?.rest ?? args;
  return sub.every((text, index) => rest[index]?.value === text) ? rest.slice(sub.length) : undefined;
}

function launchByRow(row: LauncherRow, args: readonly ShellWord[], command: SimpleCommand): Launch | undefined {
  const leading = matchLeading(row.flags, args);
  if (leading === undefined) return unknownLaunch(command.source);
  const { flags } = leading;
  const has = (names: readonly string[] = []) => names.some((name) => flags.has(name));
  if (has(row.plainFlags)) return undefined;
  let { rest } = leading;
  for (const shape of row.operands ?? []) {
    if (rest.length === 0 && row.without === "nothing") return undefined;
    if (!shape.test(plainValue(rest[0]) ?? "\0")) return unknownLaunch(command.source);
    rest = rest.slice(1);
  }
  const again = row.takesFlagsAgain ? matchLeading(row.flags, rest) : { rest };
  if (again === undefined) return unknownLaunch(command.source);
  rest = again.rest;
  const assignments: Assignment[] = [];
  while (row.takesAssignments && rest[0]) {
    const assignment = toAssignment(rest[0]);
    if (!assignment) break;
    assignments.push(assignment);
    rest = rest.slice(1);
  }
  // A word with `=` after an unusual name (`v+=2`) also sets a variable, which no shell can read.
  if (row.takesAssignments && rest[0]?.value?.includes("=")) return unknownLaunch(command.source);
  const entry = row.headFlag === undefined ? [] : leading.valuesOf(row.headFlag);
  const words = [...entry.map(literal), ...rest];
  if (words.length === 0) return row.without === "nothing" ? undefined : unknownLaunch(command.source);
  const name = plainValue(words[0]);
  if (name === "" || name?.startsWith("-")) return unknownLaunch(command.source);
  const [folder] = (row.folderFlags ?? []).flatMap((flag) => leading.valuesOf(flag)).slice(-1);
  const common = { within: row.within, ...(folder !== undefined && { folder: literal(folder) }) };
  if (row.takes === "script" && !has(row.wordsFlags)) return scriptLaunch(words, common);
  const isTransparent = row.isTransparent && !has(row.opaqueFlags);
  return { parts: [{ kind: "words", words, assignments, ...common }], isTransparent, unknown: [] };
}

/** A word in the form that `env` reads: `NAME=value`, possibly quoted as a whole. */
function toAssignment(word: ShellWord): Assignment | undefined {
  const [, name, source = ""] = ASSIGNMENT.exec(word.source) ?? ASSIGNMENT.exec(word.value ?? "") ?? [];
  if (name === undefined) return undefined;
  return { name, source: word.source, value: { source, value: word.value?.slice(name.length + 1), isGlob: false } };
}

/** The values of flags that are commands; a string for an unknown value. */
function flagParts(row: CommandFlagRow, args: readonly ShellWord[]): readonly (LaunchPart | string)[] {
  if (row.sub && !row.sub.some((sub) => args.some(({ value }) => value === sub))) return [];
  return args.flatMap((word, at): readonly (LaunchPart | string)[] => {
    const found = row.flags.map((flag) => flagValue(flag, word, args[at + 1])).find((value) => value !== undefined);
    if (found === undefined) return [];
    if (row.isUnknown || found.value === undefined || found.isGlob) return [found.source];
    return [{ kind: "script", text: found.value, dialect: "posix", within: "arguments" }];
  });
}

/** `--flag=value`, `--flag value`, `--fl value` (GNU's shortenings), `-f value`, `-fvalue`. */
function flagValue(flag: string, word: ShellWord, next: ShellWord | undefined): ShellWord | undefined {
  const missing: ShellWord = { source: word.source, value: undefined, isGlob: false };
  const value = word.value ?? word.source.replace(/["'\\]/g, "");
  if (!flag.startsWith("--")) {
    if (value === flag) return next ?? missing;
    if (!value.startsWith(flag) || value.startsWith("--")) return undefined;
    return word.value === undefined ? missing : literal(value.slice(flag.length));
  }
  const equals = value.indexOf("=");
  const name = equals < 0 ? value : value.slice(0, equals);
  if (name.length < 4 || !flag.startsWith(name)) return undefined;
  if (equals < 0) return next ?? missing;
  return word.value === undefined ? missing : literal(value.slice(equals + 1));
}

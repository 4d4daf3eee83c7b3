import { partsOf } from "@quoll/bash-syntax/command-parts";
import { innerCommands } from "@quoll/bash-syntax/inner-commands";
import { stripWrappers } from "@quoll/bash-syntax/strip-wrappers";
import type { ParsedShell, SimpleCommand } from "@quoll/bash-syntax/types";
import type { SessionTemporary } from "../../../contracts/ports.ts";
import type { Subject } from "../../../contracts/subject.ts";
import { type CommandPart, judgeCommand } from "./command-subjects.ts";
import { type LocatedPart, locatePart, withEarlierLocations, withUnread } from "./earlier-locations.ts";
import { aliasedCommands } from "./git-aliases.ts";
import { withKnownFolders } from "./known-folders.ts";
import type { ShellContext } from "./shell-context.ts";
import { folderAfter, type ShellFolder } from "./shell-folder.ts";
import { stdinScript } from "./stdin-scripts.ts";
import { isProgramName } from "./trusted-program.ts";

export type JudgedShell = {
  readonly subjects: readonly Subject[];
  /** Every command only reads. */
  readonly readOnly: boolean;
  /** The shell may end in another folder. */
  readonly movesFolder: boolean;
  /** The parts that could not be known, as written. */
  readonly unclear: readonly string[];
  /** Every command that the line runs, including inner ones; empty if the line was not understood. */
  readonly commands: readonly SimpleCommand[];
};

/** Nesting limit of commands: `sudo timeout 5 bash -c 'xargs rm'` has three. More is not ordinary. */
const MAX_DEPTH = 8;
const MAX_COMMANDS = 500;

type Judged = { readonly parts: readonly LocatedPart[]; readonly moved: boolean };

/**
 * The subjects of a command line: each simple command, the commands in its arguments, the files that read-only
 * commands read and known commands write, and the files of its redirects. A source that is not fully understood is a single
 * subject that no rule can allow.
 */
export async function judgeShell(source: string, parsed: ParsedShell, context: ShellContext): Promise<JudgedShell> {
  if (!parsed.understood) return { ...opaque(source, context.cwd), unclear: [...parsed.unclear, parsed.reason] };
  const folder: ShellFolder = { real: context.cwd, logical: context.cwd };
  const commands = withKnownFolders(parsed.commands, innerVariables(context), context.cwd, context.temporary?.inside);
  const { parts: judged, moved } = await judgeAll(commands, folder, context, 0);
  const parts = withFreshLinks(withEarlierLocations(judged));
  const subjects = parts.flatMap((part) => part.subjects);
  if (parts.length > MAX_COMMANDS)
    return { ...opaque(source, context.cwd), unclear: ["it runs too many commands to judge"] };
  if (subjects.length === 0) return { ...opaque(source, context.cwd), movesFolder: moved };
  return {
    subjects,
    readOnly: parts.every((part) => part.readOnly),
    movesFolder: moved,
    unclear: [...new Set(parts.flatMap((part) => part.unclear))],
    commands: parts.map((part) => part.command),
  };
}

function innerVariables({ env, temporary }: ShellContext): Readonly<Record<string, string>> {
  return temporary ? { ...env, TMPDIR: temporary.inside } : env;
}

/** Commands that may create a link where a later command of the line reads or writes. */
const MAKES_LINKS = /^(?:.*\/)?(?:ln|link|mv|rename)$/;

/** A path below a target of an earlier link or move, which cannot be resolved yet. */
function withFreshLinks(parts: readonly CommandPart[]): readonly CommandPart[] {
  const fresh: string[] = [];
  return parts.map((part) => {
    const isLed = part.subjects.some((subject) => pathsIn(subject).some((path) => isBelowAny(path, fresh)));
    const { words } = stripWrappers(part.command) ?? part.command;
    if (MAKES_LINKS.test(words[0]?.value ?? ""))
      fresh.push(...part.subjects.flatMap((subject) => (subject.action === "write" ? pathsIn(subject) : [])));
    return isLed ? unsure(part) : part;
  });
}

function pathsIn(subject: Subject): readonly string[] {
  if (subject.action !== "read" && subject.action !== "write") return [];
  return subject.given === undefined ? [subject.path] : [subject.path, subject.given];
}

function isBelowAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

function unsure(part: CommandPart): CommandPart {
  const subjects = part.subjects.map((subject) =>
    subject.action === "execute" ? { ...subject, understood: false, readOnly: false } : subject,
  );
  return {
    ...part,
    subjects,
    readOnly: false,
    unclear: [...part.unclear, `${part.command.source} (through a new link?)`],
  };
}

function opaque(source: string, cwd: string): JudgedShell {
  const subject: Subject = {
    action: "execute",
    command: source,
    assignments: [],
    understood: false,
    readOnly: false,
    hazards: [],
  };
  const subjects = [withUnread(["this line"], cwd)(subject)];
  return { subjects, readOnly: false, movesFolder: true, unclear: [], commands: [] };
}

async function judgeAll(
  commands: readonly SimpleCommand[],
  start: ShellFolder,
  context: ShellContext,
  depth: number,
): Promise<Judged> {
  const scopes = new FolderScopes(commands, start, context.temporary);
  const parts: LocatedPart[] = [];
  for (const [at, command] of commands.entries()) {
    if (parts.length > MAX_COMMANDS) break;
    const folder = scopes.at(command);
    const started = withoutCall(command, context);
    const judged =
      started === undefined ? [] : await judgeWithInner(started, folder, context, { depth, before: commands[at - 1] });
    parts.push(...judged);
    await scopes.after(
      command,
      judged.every((part) => part.readOnly),
    );
  }
  return { parts, moved: scopes.moved };
}

/** For a function call only its redirects, if no program of that name could run instead. */
function withoutCall(command: SimpleCommand, { env }: ShellContext): SimpleCommand | undefined {
  const name = command.words[0]?.value;
  if (!command.callsFunction || name === undefined || isProgramName(name, env["PATH"] ?? "")) return command;
  return command.redirects.length === 0 ? undefined : { ...command, source: "", words: [] };
}

async function judgeWithInner(
  command: SimpleCommand,
  folder: ShellFolder,
  context: ShellContext,
  { depth, before }: { readonly depth: number; readonly before: SimpleCommand | undefined },
): Promise<readonly LocatedPart[]> {
  const started = innerCommands(stripWrappers(command) ?? command, context.parser);
  const alias = aliasedCommands(command, folder, context);
  const view = context.temporary;
  const unreadIn = (pieces: readonly string[]) => ({ pieces, from: context.cwd });
  if (started === undefined && alias === undefined)
    return [
      await locatePart(await judgeCommand(command, folder, context), folder, { ...unreadIn(command.unknown), view }),
    ];
  const inner = started ?? { commands: [], isTransparent: false, unknown: [] };
  const tooDeep = depth >= MAX_DEPTH ? [`${command.source} (too many nested commands)`] : [];
  const facts = { isTransparent: inner.isTransparent, unknown: [...inner.unknown, ...tooDeep] };
  const fed = inner.unknown.length > 0 ? fedCommands(command, before, context) : undefined;
  const unread = [
    ...command.unknown,
    ...(fed?.isSure ? [] : facts.unknown),
    ...(alias?.isRead === false ? [command.source] : []),
  ];
  const outer = await locatePart(await judgeCommand(command, folder, context, facts), folder, {
    ...unreadIn(unread),
    view,
  });
  if (depth >= MAX_DEPTH) return [outer];
  const { parts } = await judgeAll([...inner.commands, ...(fed?.commands ?? [])], folder, context, depth + 1);
  const aliased = alias ? (await judgeAll(alias.commands, alias.folder, context, depth + 1)).parts : [];
  return [outer, ...(isForeach(command) ? parts.map((part) => inSubmodules(part, folder)) : parts), ...aliased];
}

/** Scripts that a shell reads from its input. The shell itself counts as not understood: no rule allows it. */
function fedCommands(command: SimpleCommand, before: SimpleCommand | undefined, { parser }: ShellContext) {
  const fed = stdinScript(command, before);
  const parsed = fed && parser.parse(fed.text);
  if (!parsed?.understood) return undefined;
  const commands = parsed.commands.map((one) => ({
    ...one,
    within: [...command.within, "script" as const, ...one.within],
  }));
  return { commands, isSure: fed?.isSure === true && commands.every(({ unknown }) => unknown.length === 0) };
}

const GIT: ReadonlySet<string> = new Set(["git"]);

/** True if this is `git submodule foreach`, which runs its words in every submodule. */
export function isForeach(command: SimpleCommand): boolean {
  return partsOf(stripWrappers(command) ?? command, GIT).some(
    ({ args }) => args[0]?.value === "submodule" && args.some(({ value }) => value === "foreach"),
  );
}

/** A command in each submodule affects all of them. */
export function inSubmodules(part: LocatedPart, folder: ShellFolder): LocatedPart {
  const subjects = part.subjects.map((subject) => {
    if (subject.action !== "execute") return subject;
    const hazards = subject.hazards.map((hazard) =>
      hazard.folder === undefined ? { ...hazard, paths: [], folder: folder?.real, inSubmodules: true } : hazard,
    );
    return { ...subject, hazards };
  });
  return { ...part, subjects };
}

/**
 * The folder of each command in a line. A `cd` affects later commands at its own depth; inside a substitution or a function it
 * does not affect the surrounding line, and a function runs in the folder of its call.
 */
export class FolderScopes {
  /** The folder at each depth of `within`; the last is the deepest open one. */
  readonly #folders: ShellFolder[];
  readonly #functionsMove: boolean;
  readonly #anyMoves: boolean;
  readonly #loopsMove: boolean;
  #moved = false;
  #isChanged = false;

  readonly #temporary: SessionTemporary | undefined;

  constructor(commands: readonly SimpleCommand[], start: ShellFolder, temporary?: SessionTemporary) {
    this.#temporary = temporary;
    // After a `cd` in a loop, the loop's first command runs in the next folder.
    // A command that cannot be known may fail, and bash then skips the rest of its line.
    this.#isChanged = commands.some(({ unknown }) => unknown.length > 0);
    this.#loopsMove = commands.some((command) => command.repeats === true && isMove(command));
    this.#folders = [this.#loopsMove ? undefined : start];
    this.#anyMoves = commands.some(isMove);
    this.#functionsMove = commands.some((command) => command.within.includes("function") && isMove(command));
  }

  /** True if the shell may end in another folder. */
  get moved(): boolean {
    return this.#moved;
  }

  /** The folder of a command. Commands must be queried in order. */
  at(command: SimpleCommand): ShellFolder {
    this.#settle(command.within.length);
    if (this.#functionsMove || (this.#anyMoves && command.within.includes("function"))) return undefined;
    return this.#folders.at(-1);
  }

  /** Records that a command has run. @param readOnly it changed nothing that affects a later `cd`. */
  async after(command: SimpleCommand, readOnly: boolean): Promise<void> {
    this.#settle(command.within.length);
    const before = this.#folders.at(-1);
    const after = isMove(command) && this.#isChanged ? undefined : await folderAfter(command, before, this.#temporary);
    this.#folders[this.#folders.length - 1] = after;
    if ((after !== before || isMove(command)) && !command.within.includes("substitution")) this.#moved = true;
    if (!readOnly) this.#isChanged = true;
  }

  #settle(depth: number): void {
    this.#folders.length = Math.min(this.#folders.length, depth + 1);
    while (this.#folders.length <= depth) this.#folders.push(this.#folders.at(-1));
  }
}

function isMove({ words }: SimpleCommand): boolean {
  const name = words[0]?.value;
  return name === undefined || /^(?:cd|pushd|popd|eval|source|\.|builtin|command)$/.test(name);
}

import { partsOf } from "@quoll/bash-syntax/command-parts";
import { findMoves, type Move } from "@quoll/bash-syntax/find-moves";
import { stripWrappers } from "@quoll/bash-syntax/strip-wrappers";
import type { SessionTemporary } from "../../../contracts/ports.ts";
import type { Hazard, Subject } from "../../../contracts/subject.ts";
import { kindAt } from "../../../platform/files/kind-at.ts";
import type { CommandPart } from "./command-subjects.ts";
import { locateMove } from "./locate-hazards.ts";
import type { ShellFolder } from "./shell-folder.ts";

/** One command of a line, with its effect on the location of files. */
export type LocatedPart = CommandPart & {
  readonly folder: string | undefined;
  /** Absolute. */
  readonly moves: readonly Move[];
};

/**
 * Adds to a command the files that it moves, and the possible effects of its unreadable parts.
 * @param unread The words that determine the program but cannot be known, as written, and the line's starting folder.
 */
export async function locatePart(
  plain: CommandPart,
  folder: ShellFolder,
  unread: { readonly pieces: readonly string[]; readonly from: string; readonly view?: SessionTemporary | undefined },
): Promise<LocatedPart> {
  const isElsewhere = plain.command.within.some((place) => place === "remote" || place === "container");
  const { pieces, from, view } = unread;
  const isRead = pieces.length === 0 || isElsewhere;
  const part = isRead ? plain : { ...plain, subjects: plain.subjects.map(withUnread(pieces, folder?.real ?? from)) };
  const moves = isElsewhere ? [] : findMoves(stripWrappers(part.command) ?? part.command);
  return {
    ...part,
    folder: folder?.real,
    moves: await Promise.all(moves.map((move) => locateMove(move, folder, view))),
  };
}

/** Marks the command's subject. */
export function withUnread(unread: readonly string[], folder: string | undefined): (subject: Subject) => Subject {
  const text = `may do anything: nobody can know what ${unread.join(", ")} runs`;
  return (subject) =>
    subject.action === "execute" ? { ...subject, unread: { kind: "unforeseen", text, paths: [], folder } } : subject;
}

/**
 * Backups are made before the line runs, so the files that a command destroys are looked up at their earlier location:
 * `mv src z && rm -rf z` affects `src`, and `git stash && git stash drop` affects the uncommitted work. A command that
 * overwrites nothing is not a danger.
 */
export function withEarlierLocations(parts: readonly LocatedPart[]): readonly CommandPart[] {
  const movers = parts.map((part, at) => ({ part, at })).filter(({ part }) => part.moves.length > 0);
  const takers = parts.flatMap((part, at) => takesUp(part).map((taken) => ({ ...taken, part, at })));
  const adders = parts.map((part, at) => ({ part, at })).filter(({ part }) => addsUntracked(part));
  const unstagers = parts.flatMap((part, at) => unstages(part).map((files) => ({ files, part, at })));
  return parts.map((part, at) => {
    const mayComeBefore = (other: { readonly part: LocatedPart; readonly at: number }) =>
      other.at < at || isOutOfOrder(part) || (other.at !== at && isOutOfOrder(other.part));
    const moves = movers
      .filter(mayComeBefore)
      .flatMap(({ part: { moves, folder } }) => moves.map((move) => ({ ...move, folder })));
    const hasAdded = adders.some(mayComeBefore);
    const unstaged = unstagers.filter(mayComeBefore).map(({ files }) => files);
    const taken = takers.filter(mayComeBefore).map((one) => (hasAdded ? { ...one, withUntracked: true } : one));
    const subjects = part.subjects.map((subject) => {
      if (subject.action !== "execute" || subject.hazards.length === 0) return subject;
      const led = subject.hazards
        .map((hazard) => withOrigins(hazard, moves))
        .filter(isReal)
        .map((hazard) => withOrigins(withMoved(hazard, part), moves))
        .map((hazard) => (hasAdded && hazard.kind === "discards" ? { ...hazard, withUntracked: true } : hazard))
        .map((hazard) => withUnstaged(hazard, unstaged));
      return { ...subject, hazards: [...led, ...led.flatMap((hazard) => takenBefore(hazard, taken))] };
    });
    return { ...part, subjects };
  });
}

/** In a loop or a function, a later command may run first. */
function isOutOfOrder({ command }: LocatedPart): boolean {
  return command.repeats === true || command.within.includes("function");
}

/** The tables name every file that a copy may replace; if none exists, nothing is replaced. */
function isReal({ kind, paths }: Hazard): boolean {
  return kind !== "overwrites" || paths.length === 0 || paths.some((path) => kindAt(path) !== undefined);
}

/** The maximum number of chained moves; beyond this, locations are no longer tracked. */
const MAX_PATHS = 1_000;

type Moved = Move & { readonly folder: string | undefined };

const CONCERNS_FILES: ReadonlySet<Hazard["kind"]> = new Set(["deletes", "overwrites", "ownership", "discards"]);

/** Adds the current locations of files that will be at the paths later; if one is unknown, the whole folder. */
function withOrigins(hazard: Hazard, moves: readonly Moved[]): Hazard {
  const { kind, folder } = hazard;
  if (!CONCERNS_FILES.has(kind) || (kind === "discards" && hazard.paths.length === 0)) return hazard;
  const start = hazard.paths.length > 0 || folder === undefined ? hazard.paths : [folder];
  const paths = new Set(start);
  // From the last move to the first, because a file may be moved more than once.
  for (const { from, to, isMixed, folder: around } of [...moves, ...moves].reverse()) {
    for (const path of [...paths]) {
      const origins = to === undefined ? [from] : to.flatMap((place) => originOf(path, place, { from, isMixed }));
      for (const origin of origins) {
        const known = origin ?? around;
        if (known === undefined) return { ...hazard, paths: [], folder: undefined };
        paths.add(known);
      }
    }
    if (paths.size > MAX_PATHS) return { ...hazard, paths: [], folder: undefined };
  }
  if (paths.size === start.length) return hazard;
  const withTracked = new Set([...(hazard.withTracked ?? []), ...[...paths].filter((path) => !start.includes(path))]);
  return { ...hazard, paths: [...paths], withTracked: [...withTracked] };
}

/** The old target of a move is lost when the moved file is restored, so it is backed up too. */
function withMoved(hazard: Hazard, { moves }: LocatedPart): Hazard {
  const files = hazard.paths.filter((path) => ["file", "other"].includes(kindAt(path) ?? ""));
  if (hazard.kind !== "overwrites" || files.length === 0) return hazard;
  const sources = moves.flatMap(({ from, to }) =>
    from !== undefined && to?.some((place) => files.includes(place)) ? [from] : [],
  );
  return { ...hazard, paths: [...new Set([...hazard.paths, ...sources])] };
}

/** The current content of the later `path`, if it is related to `place`. */
function originOf(
  path: string,
  place: string,
  { from, isMixed }: Pick<Move, "from" | "isMixed">,
): readonly (string | undefined)[] {
  if (path === place || isUnder(place, path)) return [from];
  if (!isUnder(path, place)) return [];
  return [from === undefined || isMixed ? from : `${from}${path.slice(place.length)}`];
}

function isUnder(path: string, folder: string): boolean {
  return path.startsWith(folder === "/" ? folder : `${folder}/`);
}

type Taken = {
  readonly folder: string | undefined;
  readonly withUntracked: boolean;
  readonly withIgnored: boolean;
};

/** Words of `git reset` and `git restore` that take nothing but new files out of the index. */
const PLAIN_UNSTAGING = /^(?:-q|--quiet|--mixed|--hard|--soft|--keep|--merge|-S|--staged|-W|--worktree|HEAD|@|--|\.)$/;
const ADDS = new Set(["add", "stage", "update-index"]);
const KEEPS_STASHES = new Set("list show drop clear pop apply branch store create".split(" "));

type GitPart = { readonly words: readonly (string | undefined)[]; readonly isElsewhere: boolean };

/** The git commands of a part that run on this machine. `isElsewhere`: git's own flags choose another folder. */
function gitParts({ command }: LocatedPart): readonly GitPart[] {
  if (command.within.includes("remote") || command.within.includes("container")) return [];
  return partsOf(stripWrappers(command) ?? command, new Set(["git"])).flatMap(({ name, args, folder }) =>
    name === "git" ? [{ words: args.map(({ value }) => value), isElsewhere: folder !== undefined }] : [],
  );
}

/** True if untracked files may become part of the index, from which a later command may remove them. */
function addsUntracked(part: LocatedPart): boolean {
  return gitParts(part).some(({ words: [sub] }) => sub === undefined || ADDS.has(sub));
}

/** The files that leave the index and stay in the work tree: those that HEAD does not hold, or any others too. */
function unstages(part: LocatedPart): readonly ("new" | "any")[] {
  return gitParts(part).flatMap(({ words: [sub, ...args] }) => {
    if (sub === "reset" || sub === "restore")
      return args.every((arg) => PLAIN_UNSTAGING.test(arg ?? "?")) ? "new" : "any";
    const isAny = sub === undefined || sub === "update-index" || (sub === "rm" && args.includes("--cached"));
    return isAny ? "any" : [];
  });
}

/** `git clean` deletes files that an earlier part of the line took out of the index. */
function withUnstaged(hazard: Hazard, unstaged: readonly ("new" | "any")[]): Hazard {
  const { kind, paths, folder } = hazard;
  if (kind !== "deletes" || unstaged.length === 0) return hazard;
  if (!unstaged.includes("any")) return { ...hazard, withUnstaged: true };
  return { ...hazard, withTracked: [...paths, ...(folder === undefined ? [] : [folder])] };
}

/** Uncommitted work that becomes a commit or a stash, which a later command may remove. */
function takesUp(part: LocatedPart): readonly Taken[] {
  return gitParts(part).flatMap(({ words: [sub, ...args], isElsewhere }): readonly Taken[] => {
    const isStash = sub === "stash" && !KEEPS_STASHES.has(args[0] ?? "");
    if (!isStash && sub !== "commit" && sub !== "commit-tree" && sub !== undefined) return [];
    const has = (flag: RegExp) => isStash && args.some((arg) => arg === undefined || flag.test(arg));
    const withIgnored = has(/^(?:--all|-[a-z]*a[a-z]*)$/);
    const withUntracked = withIgnored || has(/^(?:--include-untracked|-[a-z]*u[a-z]*)$/);
    return [{ folder: isElsewhere ? undefined : part.folder, withUntracked, withIgnored }];
  });
}

/** Commits and stashes of this line are not references yet, so their content is backed up in its current state. */
function takenBefore({ kind, text, paths, folder }: Hazard, taken: readonly Taken[]): readonly Hazard[] {
  const isLost =
    kind === "refs" ||
    kind === "history" ||
    (kind === "deletes" && paths.some((path) => path.split("/").includes(".git")));
  if (!isLost) return [];
  return taken.map((before) => ({
    kind: "discards",
    text,
    paths: [],
    folder: before.folder ?? folder,
    ...(before.withUntracked && { withUntracked: true }),
    ...(before.withIgnored && { withIgnored: true }),
  }));
}

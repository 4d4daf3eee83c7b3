import { partsOf } from "@quoll/bash-syntax/command-parts";
import { findMoves, type Move } from "@quoll/bash-syntax/find-moves";
import { stripWrappers } from "@quoll/bash-syntax/strip-wrappers";
import type { Hazard, Subject } from "../../../contracts/subject.ts";
import { kindAt } from "../../../platform/files/kind-at.ts";
import type { CommandPart } from "./command-subjects.ts";
import { locateMove } from "./locate-hazards.ts";
import type { ShellFolder } from "./shell-folder.ts";

/** A part of a line, with what it does to where things lie. */
export type PlacedPart = CommandPart & {
  readonly folder: string | undefined;
  /** Absolute. */
  readonly moves: readonly Move[];
};

/**
 * Adds to a part what it moves, and what may come of what nobody can read.
 * @param unread The pieces of it that decide what runs and can't be known, as written, and where the line starts.
 */
export async function placePart(
  plain: CommandPart,
  folder: ShellFolder,
  unread: { readonly pieces: readonly string[]; readonly from: string },
): Promise<PlacedPart> {
  const isElsewhere = plain.command.within.some((place) => place === "remote" || place === "container");
  const { pieces, from } = unread;
  const isRead = pieces.length === 0 || isElsewhere;
  const part = isRead ? plain : { ...plain, subjects: plain.subjects.map(withUnread(pieces, folder?.real ?? from)) };
  const moves = isElsewhere ? [] : findMoves(stripWrappers(part.command) ?? part.command);
  return { ...part, folder: folder?.real, moves: await Promise.all(moves.map((move) => locateMove(move, folder))) };
}

/** Marks the command among the subjects. */
export function withUnread(unread: readonly string[], folder: string | undefined): (subject: Subject) => Subject {
  const text = `may do anything: nobody can know what ${unread.join(", ")} runs`;
  return (subject) =>
    subject.action === "execute" ? { ...subject, unread: { kind: "unforeseen", text, paths: [], folder } } : subject;
}

/**
 * A way back is made before the line runs, so what a part destroys must be looked for where it lies by then: `mv src z && rm -rf z`
 * concerns `src`, and `git stash && git stash drop` what is uncommitted now. What overwrites nothing is no danger.
 */
export function withEarlierParts(parts: readonly PlacedPart[]): readonly CommandPart[] {
  const movers = parts.map((part, at) => ({ part, at })).filter(({ part }) => part.moves.length > 0);
  const takers = parts.flatMap((part, at) => takesUp(part).map((taken) => ({ ...taken, part, at })));
  return parts.map((part, at) => {
    const mayComeBefore = (other: { readonly part: PlacedPart; readonly at: number }) =>
      other.at < at || isOutOfOrder(part) || (other.at !== at && isOutOfOrder(other.part));
    const moves = movers
      .filter(mayComeBefore)
      .flatMap(({ part: { moves, folder } }) => moves.map((move) => ({ ...move, folder })));
    const taken = takers.filter(mayComeBefore);
    const subjects = part.subjects.map((subject) => {
      if (subject.action !== "execute" || subject.hazards.length === 0) return subject;
      const led = subject.hazards
        .map((hazard) => withOrigins(hazard, moves))
        .filter(isReal)
        .map((hazard) => withOrigins(withMoved(hazard, part), moves));
      return { ...subject, hazards: [...led, ...led.flatMap((hazard) => takenBefore(hazard, taken))] };
    });
    return { ...part, subjects };
  });
}

/** In a loop or a function what stands behind may run before. */
function isOutOfOrder({ command }: PlacedPart): boolean {
  return command.repeats === true || command.within.includes("function");
}

/** The tables name every file that a copy may replace: where none of them is there, nothing is. */
function isReal({ kind, paths }: Hazard): boolean {
  return kind !== "overwrites" || paths.length === 0 || paths.some((path) => kindAt(path) !== undefined);
}

/** Moves of moves of moves: then nobody follows what is where. */
const MAX_PATHS = 1_000;

type Moved = Move & { readonly folder: string | undefined };

const CONCERNS_FILES: ReadonlySet<Hazard["kind"]> = new Set(["deletes", "overwrites", "ownership", "discards"]);

/** Adds where the things lie now that will lie in the paths by then; with something unknown among them the whole folder. */
function withOrigins(hazard: Hazard, moves: readonly Moved[]): Hazard {
  const { kind, folder } = hazard;
  if (!CONCERNS_FILES.has(kind) || (kind === "discards" && hazard.paths.length === 0)) return hazard;
  const start = hazard.paths.length > 0 || folder === undefined ? hazard.paths : [folder];
  const paths = new Set(start);
  // From the last move to the first: a thing may be moved more than once.
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
  return paths.size > start.length ? { ...hazard, paths: [...paths] } : hazard;
}

/** What a command moves over a file goes, too, when that file is put back: it is kept beside it. */
function withMoved(hazard: Hazard, { moves }: PlacedPart): Hazard {
  const files = hazard.paths.filter((path) => ["file", "other"].includes(kindAt(path) ?? ""));
  if (hazard.kind !== "overwrites" || files.length === 0) return hazard;
  const sources = moves.flatMap(({ from, to }) =>
    from !== undefined && to?.some((place) => files.includes(place)) ? [from] : [],
  );
  return { ...hazard, paths: [...new Set([...hazard.paths, ...sources])] };
}

/** What lies now where `path` will be, if it has to do with `place`. */
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

type Taken = { readonly folder: string | undefined; readonly withIgnored: boolean };

const KEEPS_STASHES = new Set("list show drop clear pop apply branch store create".split(" "));

/** Whether uncommitted work is a commit or a stash afterwards, which a later part may take away. */
function takesUp({ command, folder }: PlacedPart): readonly Taken[] {
  return partsOf(stripWrappers(command) ?? command, new Set(["git"])).flatMap((part): readonly Taken[] => {
    if (part.name !== "git" || command.within.includes("remote") || command.within.includes("container")) return [];
    const [sub, ...args] = part.args.map(({ value }) => value);
    const isStash = sub === "stash" && !KEEPS_STASHES.has(args[0] ?? "");
    if (!isStash && sub !== "commit" && sub !== "commit-tree" && sub !== undefined) return [];
    const withIgnored = isStash && args.some((arg) => arg === undefined || /^(?:--all|-[a-z]*a[a-z]*)$/.test(arg));
    return [{ folder: part.folder === undefined ? folder : undefined, withIgnored }];
  });
}

/** Commits and stashes of this very line are no references yet: what goes into them is kept as it is now. */
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
    ...(before.withIgnored && { withIgnored: true }),
  }));
}

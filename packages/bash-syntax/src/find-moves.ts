import { afterSub, type CommandPart, hasFlag, operandsOf, partsOf } from "./command-parts.ts";
import { inFolder, readPath } from "./read-paths.ts";
import type { ShellWord, SimpleCommand } from "./types.ts";

/**
 * A file or folder that has another path, or an additional one, after a command has run. Paths are relative to the
 * command's folder.
 */
export type Move = {
  /** The earlier path; undefined if it is unknown. */
  readonly from: string | undefined;
  /** The possible paths of the file afterwards; undefined when they can't be known. */
  readonly to: readonly string[] | undefined;
  /** True when `to/x` may differ from the old `from/x`, because files were packed into one or several folders were merged. */
  readonly isMixed: boolean;
};

type Finder = (part: CommandPart) => readonly Move[];

const TARGET_FLAGS = ["-S", "--suffix", "-t", "--target-directory", "--target"];
const PACKED = /\.(?:gz|bz2|xz|lzma|zst|Z|lz4)$/;
const SUFFIX = { gzip: ".gz", bzip2: ".bz2", xz: ".xz", lzma: ".lzma", compress: ".Z", zstd: ".zst" } as const;

const FINDERS: ReadonlyMap<string, Finder> = new Map<string, Finder>([
  ["mv", (part) => intoTarget(part.args, part)],
  ["ln", linked],
  ["git", (part) => intoTarget(afterSub(part, ["mv"]) ?? [], part)],
  ["rsync", (part) => (hasFlag("--remove-source-files", part.args) ? intoTarget(part.args, part) : [])],
  ["rename", renamed],
  ["prename", renamed],
  ["file-rename", renamed],
  ...Object.entries(SUFFIX).map(([name, suffix]) => [name, (part: CommandPart) => packed(part, suffix)] as const),
  ...["gunzip", "bunzip2", "unxz", "unlzma", "uncompress", "unzstd"].map((name) => [name, unpacked] as const),
  ["zip", (part) => (hasFlag("-m", part.args) || hasFlag("--move", part.args) ? archived(operandsOf(part.args)) : [])],
  ["tar", (part) => (hasFlag("--remove-files", part.args) ? [{ from: undefined, to: undefined, isMixed: true }] : [])],
]);
const KNOWN: ReadonlySet<string> = new Set(FINDERS.keys());

/**
 * The files that a command moves, renames, links or packs, which a later command of the line finds under another name.
 * The caller removes wrappers first.
 */
export function findMoves(command: SimpleCommand): readonly Move[] {
  return partsOf(command, KNOWN).flatMap((part) =>
    (FINDERS.get(part.name)?.(part) ?? []).map((move) => fromFolder(move, part.folder)),
  );
}

function fromFolder(move: Move, folder: CommandPart["folder"]): Move {
  if (folder === "unknown") return { from: undefined, to: undefined, isMixed: true };
  const { from, to } = move;
  return {
    ...move,
    from: from === undefined ? undefined : inFolder(folder, from),
    to: to?.map((path) => inFolder(folder, path)),
  };
}

/** `mv a b dir`, `mv -t dir a b`: into a folder, or to another name. */
function intoTarget(args: readonly ShellWord[], { name }: CommandPart): readonly Move[] {
  // For rsync, `-t` means to keep times.
  const into = name === "rsync" ? undefined : targetFlag(args);
  const operands = operandsOf(args, into ? TARGET_FLAGS : ["-S", "--suffix"]);
  const target = into ?? operands.at(-1);
  const sources = into ? operands.filter((word) => word !== into) : operands.slice(0, -1);
  const moves = sources.map((source) => move(source, target));
  // `mv --exchange a b` swaps the two files.
  const isExchange = name === "mv" && hasFlag("--exchange", args) && target !== undefined;
  return isExchange ? [...moves, ...sources.map((source) => move(target, source))] : moves;
}

function move(source: ShellWord, target: ShellWord | undefined): Move {
  const from = readPath(source);
  const to = target && !target.isGlob ? target.value : undefined;
  if (from === undefined || to === undefined) return { from, to: to === undefined ? undefined : [to], isMixed: true };
  const isMixed = source.isGlob && !/^[^*?[]*$/.test(foldersOf(source.value ?? ""));
  return { from, to: source.isGlob ? [to] : [to, joined(to, baseName(from))], isMixed };
}

/** After `ln -s a b`, a change below `b` changes `a`; a hard link has the same content. */
function linked({ args }: CommandPart): readonly Move[] {
  const into = targetFlag(args);
  const operands = operandsOf(args, TARGET_FLAGS);
  const place = into ?? (operands.length > 1 ? operands.at(-1) : { source: ".", value: ".", isGlob: false });
  const sources = into || operands.length === 1 ? operands.filter((word) => word !== into) : operands.slice(0, -1);
  return sources.flatMap((source) => {
    const found = move(source, place);
    const [beside] = found.to ?? [];
    // A symbolic link's text is relative to the link.
    if (found.from === undefined || beside === undefined || found.from.startsWith("/")) return [found];
    return [found, { ...found, from: inFolder(foldersOf(beside) || ".", found.from) }];
  });
}

function renamed({ args }: CommandPart): readonly Move[] {
  return operandsOf(args).map((word) => ({ from: readPath(word), to: undefined, isMixed: true }));
}

function packed({ args }: CommandPart, suffix: string): readonly Move[] {
  if (hasFlag("-d", args)) return unpackedWords(args);
  if (["-c", "-k", "-l", "-t", "--stdout", "--keep"].some((flag) => hasFlag(flag, args))) return [];
  return operandsOf(args).map((word) => {
    const from = readPath(word);
    const isKnown = from !== undefined && !word.isGlob;
    return { from, to: isKnown ? [`${from}${suffix}`] : undefined, isMixed: true };
  });
}

function unpacked({ args }: CommandPart): readonly Move[] {
  return unpackedWords(args);
}

function unpackedWords(args: readonly ShellWord[]): readonly Move[] {
  return operandsOf(args).map((word) => {
    const from = readPath(word);
    const isKnown = from !== undefined && !word.isGlob && PACKED.test(from);
    return { from, to: isKnown ? [from.replace(PACKED, "")] : undefined, isMixed: true };
  });
}

function archived([archive, ...sources]: readonly ShellWord[]): readonly Move[] {
  const to = archive?.value;
  return sources.map((source) => ({
    from: readPath(source),
    to: to === undefined ? undefined : [to, `${to}.zip`],
    isMixed: true,
  }));
}

/** The value of `-t`, also attached or at the end of a cluster; undefined if it can't be known. */
function targetFlag(args: readonly ShellWord[]): ShellWord | undefined {
  for (const [at, word] of args.entries()) {
    const text = word.value ?? "";
    if (text === "--") return undefined;
    const given = /^(?:--t[a-z-]*=|-[A-Za-su-z]*t(?=.))([\s\S]+)$/.exec(text)?.[1];
    if (given !== undefined) return { ...word, value: given };
    if (/^(?:--t[a-z-]*|-[A-Za-su-z]*t)$/.test(text))
      return args[at + 1] ?? { source: "", value: undefined, isGlob: false };
  }
  return undefined;
}

function joined(folder: string, name: string): string {
  return `${folder.replace(/\/+$/, "")}/${name}`;
}

function foldersOf(path: string): string {
  const end = path.replace(/\/+$/, "").lastIndexOf("/");
  return end <= 0 ? (end === 0 ? "/" : "") : path.slice(0, end);
}

function baseName(path: string): string {
  return path.replace(/\/+$/, "").split("/").at(-1) ?? path;
}

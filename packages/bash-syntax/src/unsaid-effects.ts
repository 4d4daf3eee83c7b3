import { afterSub, type CommandPart, hasFlag, operandsOf, partsOf } from "./command-parts.ts";
import { matchFlags } from "./match-flags.ts";
import { programTextIsHarmless } from "./program-text.ts";
import type { ShellWord, SimpleCommand } from "./types.ts";

const SED_FLAGS =
  "-n -E -r -s -u -z -a -e= -f= -l= -i? -I? --quiet --silent --regexp-extended --expression= --file= --separate --null-data --unbuffered --posix --sandbox --line-length= --in-place? --follow-symlinks --debug".split(
    " ",
  );
const AWK_FLAGS = "-F= -v= -f= --field-separator= --assign= --file=".split(" ");
const ARCHIVE_TARGETS: Readonly<Record<string, readonly string[]>> = {
  tar: ["-C", "--directory", "--one-top-level"],
  bsdtar: ["-C", "--directory"],
  gtar: ["-C", "--directory"],
  unzip: ["-d"],
  bsdcpio: [],
  cpio: [],
  pax: [],
  "7z": ["-o"],
  "7za": ["-o"],
  "7zz": ["-o"],
  unrar: [],
  jar: [],
};
const PATCH_LOOKS = ["--dry-run", "--version", "--help"];
const APPLY_LOOKS = ["--stat", "--numstat", "--summary", "--check"];

type Judge = (part: CommandPart) => boolean;

const JUDGES: Readonly<Record<string, Judge>> = {
  ...each(["sed", "gsed"], sedIsUnsaid),
  ...each(["awk", "gawk", "mawk", "nawk"], awkIsUnsaid),
  // The commands that these editors read from their input may start programs.
  ...each(["ed", "red", "ex"], ({ args }) => !isQuestion(args)),
  ...each(Object.keys(ARCHIVE_TARGETS), (part) => unpacksHere(part) || readsList(part)),
  ...each(["rsync", "zip", "curl", "wget", "aria2c"], readsList),
  patch: ({ args }) =>
    operandsOf(args, ["-p", "-d", "-o", "-i"]).length === 0 && !PATCH_LOOKS.some((flag) => hasFlag(flag, args)),
  git: (part) => {
    const applied = afterSub(part, ["apply"]) ?? afterSub(part, ["am"]);
    if (applied) return !APPLY_LOOKS.some((flag) => hasFlag(flag, applied));
    const tree = afterSub(part, ["read-tree"]);
    if (tree) return hasFlag("-u", tree) || hasFlag("--reset", tree);
    const copied = afterSub(part, ["checkout-index"]);
    return copied !== undefined && (hasFlag("-a", copied) || hasFlag("--all", copied) || hasFlag("--stdin", copied));
  },
};
const KNOWN: ReadonlySet<string> = new Set(Object.keys(JUDGES));

/**
 * True if a command may write, read or run things that its words don't name: because of a program in them, or in a file
 * that they name (`sed 'w x'`, `awk -f a`), or because of an archive or a patch that it applies to its folder (`tar xf a`, `git
 * apply a`).
 */
export function hasUnsaidEffects(command: SimpleCommand): boolean {
  return partsOf(command, KNOWN).some((part) => Object.hasOwn(JUDGES, part.name) && JUDGES[part.name]?.(part) === true);
}

function each(names: readonly string[], judge: Judge): Readonly<Record<string, Judge>> {
  return Object.fromEntries(names.map((name) => [name, judge]));
}

function sedIsUnsaid({ args }: CommandPart): boolean {
  if (isQuestion(args)) return false;
  const matched = matchFlags(SED_FLAGS, args, {});
  if (matched === undefined) return true;
  const given = [...matched.valuesOf("-e"), ...matched.valuesOf("--expression")];
  // A script in a file may write and start programs too.
  if (matched.flags.has("-f") || matched.flags.has("--file")) return true;
  const own = given.length > 0 ? given : [matched.operands[0]?.value ?? ""];
  return !programTextIsHarmless("sed", own.join("\n"));
}

function awkIsUnsaid({ args }: CommandPart): boolean {
  if (isQuestion(args)) return false;
  const matched = matchFlags(AWK_FLAGS, args, {});
  if (matched === undefined) return true;
  if (matched.flags.has("-f") || matched.flags.has("--file")) return true;
  return !programTextIsHarmless("awk", matched.operands[0]?.value ?? "");
}

function isQuestion(args: readonly ShellWord[]): boolean {
  return args.length === 1 && /^(?:--version|--help|-V|-h)$/.test(args[0]?.value ?? "");
}

/** Flags whose value, or whose input, is a list of files or addresses to use. */
const LIST_FLAGS: Readonly<Record<string, readonly string[]>> = {
  tar: ["-T", "--files-from"],
  bsdtar: ["-T", "--files-from"],
  gtar: ["-T", "--files-from"],
  rsync: ["--files-from"],
  zip: ["-@"],
  cpio: ["-o", "--create"],
  bsdcpio: ["-o", "--create"],
  pax: ["-w"],
  curl: ["-K", "--config"],
  wget: ["-i", "--input-file"],
  aria2c: ["-i", "--input-file"],
};

function readsList({ name, args }: CommandPart): boolean {
  const flags = LIST_FLAGS[name] ?? [];
  const isBundled = name.endsWith("tar") && /^[A-Za-z]+$/.test(args[0]?.value ?? "") && args[0]?.value?.includes("T");
  return (
    isBundled === true ||
    flags.some(
      (flag) => hasFlag(flag, args) || (flag.length === 2 && args.some(({ value }) => value?.startsWith(flag))),
    )
  );
}

/** Files that the command unpacks into a separate folder stay in that folder. */
function unpacksHere({ name, args }: CommandPart): boolean {
  const [first] = args;
  const targets = ARCHIVE_TARGETS[name] ?? [];
  const texts = args.map(({ value }) => value ?? "");
  const isElsewhere = targets.some((flag) => texts.some((text) => text.startsWith(flag)));
  if (isElsewhere && !texts.some((text, at) => isHere(text, texts[at + 1], targets))) return false;
  switch (name) {
    case "unzip":
      return !["-l", "-v", "-Z", "-Z1", "-t", "-p", "-c"].some((flag) => hasFlag(flag, args));
    case "cpio":
    case "bsdcpio":
      return ["-i", "--extract", "-p", "--pass-through"].some((flag) => hasFlag(flag, args));
    case "pax":
      return hasFlag("-r", args);
    case "7z":
    case "7za":
    case "7zz":
    case "unrar":
      return /^[xe]$/.test(first?.value ?? "");
    default: {
      const isBundled = /^[A-Za-z]*x[A-Za-z]*$/.test(first?.value ?? "");
      return isBundled || ["-x", "--extract", "--get"].some((flag) => hasFlag(flag, args));
    }
  }
}

/** `-C .` and parent folders are not separate folders. */
function isHere(text: string, next: string | undefined, targets: readonly string[]): boolean {
  return targets.some((flag) => {
    const value = text === flag ? next : text.startsWith(flag) ? text.slice(flag.length).replace(/^=/, "") : undefined;
    return value !== undefined && /^\.{0,2}(?:\/+\.{0,2})*$/.test(value);
  });
}

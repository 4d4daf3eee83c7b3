import type { MatchedWords } from "./match-flags.ts";
import { readPath } from "./read-paths.ts";
import type { ShellWord } from "./types.ts";

const FIND_ALONE = new Set(
  `! -not ( ) -a -and -o -or -empty -readable -writable -executable -print -print0 -prune -quit -depth -mount -xdev -daystart
   -nouser -nogroup -true -false -ls -noleaf -ignore_readdir_race`.split(/\s+/),
);
const FIND_VALUE = new Set(
  `-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -mmin -ctime -cmin -atime -amin
   -perm -user -group -uid -gid -links -inum -maxdepth -mindepth -newer -anewer -cnewer -samefile -lname -ilname -fstype -used -printf`.split(
    /\s+/,
  ),
);
const FIND_FILE = new Set(["-newer", "-anewer", "-cnewer", "-samefile"]);
const SAFE_VARIABLE = /^(?:HOME|PWD|OLDPWD|USER|LOGNAME|SHELL|PATH|LANG|TERM|EDITOR|TMPDIR|[?$#!])$/;

/**
 * `find [paths] expression`: only tests and printing.
 * @returns the paths that it reads, or undefined when anything else stands there (`-exec`, `-delete`, `-fprint`, `-L` …).
 */
export function findReads(args: readonly ShellWord[]): readonly string[] | undefined {
  const reads: string[] = [];
  let at = 0;
  for (; at < args.length; at += 1) {
    const word = args[at];
    if (word?.value === undefined) return undefined;
    if (/^[-!(),]/.test(word.value)) break;
    const path = /^[*?[]/.test(word.value) && word.isGlob ? undefined : readPath(word);
    if (path === undefined) return undefined;
    reads.push(path);
  }
  while (at < args.length) {
    const word = args[at];
    if (word?.value === undefined || word.isGlob) return undefined;
    at += 1;
    if (FIND_ALONE.has(word.value)) continue;
    const value = args[at];
    if (!FIND_VALUE.has(word.value) || value?.value === undefined || value.isGlob) return undefined;
    if (FIND_FILE.has(word.value)) reads.push(value.value);
    at += 1;
  }
  return reads;
}

const SED_REGEX = String.raw`\/(?:[^/\\\n[]|\\[^\n]|\[[^/\]\\\n]+\])*\/`;
const SED_ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|${SED_REGEX}I?)`;
const SED_COMMAND = String.raw`(?:${SED_ADDRESS}(?:,(?:${SED_ADDRESS}|[+~]\d+))?\s*!?\s*)?[pq=]`;
const SED_PRINT = new RegExp(String.raw`^\s*${SED_COMMAND}(?:\s*[;\n]\s*${SED_COMMAND})*\s*;?\s*$`);

const AWK_VALUE = String.raw`(?:\$\d+|\$NF|NR|NF|FNR|FILENAME|\d+|"(?:[^"\\\n]|\\[tn"\\])*")`;
const AWK_TEST = String.raw`(?:(?:NR|NF|FNR|\$\d+)\s*(?:==|!=|<=|>=|<|>)\s*(?:\d+|"[^"\\\n]*")|\/[^/\\\n[]*\/)`;
const AWK_PRINT = new RegExp(
  String.raw`^\s*(?:${AWK_TEST}\s*)?\{\s*print(?:\s+${AWK_VALUE}|(?=")${AWK_VALUE})?(?:\s*,?\s*${AWK_VALUE})*\s*;?\s*\}\s*$`,
);

const JQ_REFUSED = /\benv\b|\$ENV|\$__prog|\b(?:import|include|modulemeta|get_search_list)\b/;

/** Programs inside of an argument: their text, and what operands may stand beside it. */
export function programIsHarmless(shape: "sed-print" | "awk-print" | "jq", { operands }: MatchedWords): boolean {
  const [program, ...files] = operands;
  if (program?.value === undefined || program.isGlob) return false;
  if (shape === "sed-print") return SED_PRINT.test(program.value);
  if (shape === "jq") return !JQ_REFUSED.test(program.value);
  // `a=b` would assign, and gawk opens connections for /inet.
  const plain = files.every(({ value }) => value !== undefined && !value.includes("=") && !/^\/inet/.test(value));
  return plain && AWK_PRINT.test(program.value);
}

/** True when a word of `echo` or `printf` shows no variable that could be a secret. */
export function showsNoSecret({ value, source }: ShellWord): boolean {
  if (value !== undefined) return true;
  return [...source.matchAll(/\$\{?(\w+|[\s\S]?)/g)].every(([, name]) => SAFE_VARIABLE.test(name ?? ""));
}

import type { Program } from "./command-row.ts";
import type { MatchedWords } from "./match-flags.ts";
import { programTextIsHarmless } from "./program-text.ts";
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

/**
 * `find [paths] expression`: only tests and printing.
 * @returns the paths that it reads, or undefined if the expression has any other part (`-exec`, `-delete`, `-fprint`,
 * `-L` …).
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

/** Matches names of variables that may hold a credential. */
const SECRET_NAME =
  /key|token|secret|passw|passphrase|pwd_|_pwd|cred|auth|cookie|session|private|_pat$|_pass|^pass|dsn|webhook|database_url|conn/i;

/** The programs in a command's words: their texts, and the allowed operands. */
export function programIsHarmless(shape: Program, matched: MatchedWords): boolean {
  const flags = shape === "sed" ? ["-e", "--expression"] : [];
  const given = flags.flatMap((flag) => matched.valuesOf(flag));
  const [program] = matched.operands;
  const files = given.length > 0 ? matched.operands : matched.operands.slice(1);
  if (given.length === 0 && (program?.value === undefined || program.isGlob)) return false;
  // awk: `a=b` would assign, and gawk opens connections for /inet.
  if (shape === "awk" && !files.every(({ value }) => value !== undefined && !/=|^\/inet/.test(value))) return false;
  return programTextIsHarmless(shape, given.length > 0 ? given.join("\n") : (program?.value ?? ""));
}

/** A line end in a header begins another header, or a second request. */
const LINE_END = /[\r\n\0]/;
/** Headers with which servers take a GET for another method. */
const METHOD_HEADER = /^\s*x-(?:http-)?method(?:-override)?\s*:/i;

/** True if a request of curl changes nothing: GET or HEAD, no value from a file, and no file for the answer. */
export function requestIsHarmless({ valuesOf }: MatchedWords): boolean {
  const all = (...flags: readonly string[]) => flags.flatMap(valuesOf);
  const sent = all("-H", "--header", "-A", "--user-agent", "-e", "--referer");
  return (
    sent.every((value) => !LINE_END.test(value) && !METHOD_HEADER.test(value)) &&
    all("-X", "--request").every((method) => /^(?:GET|HEAD)$/.test(method)) &&
    all("-o", "--output").every((file) => file === "/dev/null" || file === "-") &&
    all("-H", "--header").every((header) => !header.startsWith("@")) &&
    all("-w", "--write-out").every(
      (format) => !format.startsWith("@") && !/%(?:output|header_json|\{output)/.test(format),
    )
  );
}

/**
 * True if a word of `echo` or `printf` shows no variable that may hold a secret. Substitutions are judged as
 * commands.
 */
export function showsNoSecret({ value, source }: ShellWord): boolean {
  if (value !== undefined) return true;
  return [...source.matchAll(/\$(\{?)([#!]?)(\w*)/g)].every(
    ([, brace, mark, name]) => !(brace === "{" && mark === "!") && !SECRET_NAME.test(name ?? ""),
  );
}

const UNARY = /^-[abcdefghknprsuwxzGLNOS]$/;
const BINARY = /^(?:=|==|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/;
const ONE_WORD = /^"[^"`\\@]*"$/;

/**
 * `test`, `[` and `[[`. Not -v and -R, which compute a name. An unknown value must be one word in a place where only
 * a text is possible.
 */
export function testIsHarmless(name: string, args: readonly ShellWord[]): boolean {
  if (args.some(({ value, isGlob }) => isGlob || /^-[vR]$/.test(value ?? ""))) return false;
  if (args.every(({ value }) => value !== undefined)) return true;
  const words = name === "test" ? args : args.slice(0, -1);
  const rest = words[0]?.value === "!" ? words.slice(1) : words;
  const isText = (word: ShellWord | undefined) =>
    word !== undefined && (word.value !== undefined || name === "[[" || ONE_WORD.test(word.source));
  const [first, second, third] = rest;
  if (rest.length === 2) return UNARY.test(first?.value ?? "") && isText(second);
  if (rest.length !== 3 || !BINARY.test(second?.value ?? "")) return false;
  // [[ x -eq y ]] computes both sides, which can run code.
  if (name === "[[" && /^-(?:eq|ne|lt|le|gt|ge)$/.test(second?.value ?? "")) return false;
  return isText(first) && isText(third);
}

/**
 * Options that only make the shell stricter or more verbose. Not -a, which would export later assignments to other
 * programs.
 */
export function setIsHarmless(args: readonly ShellWord[]): boolean {
  const text = args.map(({ value, isGlob }) => (isGlob ? undefined : value) ?? "?").join(" ");
  return /^(?:[-+](?:[eux]+|[eux]*o (?:pipefail|errexit|nounset|xtrace))(?: |$))+$/.test(text);
}

/** Names that `read` may set: programs ignore variables in lower case, except for proxy variables. */
export function readIsHarmless(args: readonly ShellWord[]): boolean {
  return args.every(({ value }) => /^-[rs]+$/.test(value ?? "") || /^(?!.*_proxy$)[a-z][a-z0-9_]*$/.test(value ?? ""));
}

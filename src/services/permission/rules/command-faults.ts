import { COMMAND_FAMILIES, INTERPRETERS, LAUNCHERS, NEVER_REMEMBERED } from "./command-families.ts";
import { maskQuoted } from "./line-pattern.ts";
import { looksLike } from "./spec-faults.ts";

/** Redirects that write no file, and the end of a command: a rule with one at its end means the command before it. */
const HARMLESS_TAIL = /(?:\s*(?:\d*>&\d|(?:\d*|&)>>?\s*\/dev\/null|[;&]))+$/;
/** Signs between commands, and redirects. */
const OPERATOR = /&&|\|\||\|&|[;&|\n]|(?:\d*|&)>>?|\d*<{1,3}/;
const REDIRECT = /[<>]/;
/** Words that are part of a loop, a condition or a group, never of a command. */
const SHELL_WORDS: ReadonlySet<string> = new Set(
  "if then elif else fi for while until do done case esac function select { }".split(" "),
);
/** Programs whose second word is the name of a subcommand. */
const WITH_SUBCOMMANDS =
  /^(?:git|gh|npm|pnpm|yarn|bun|cargo|go|docker|podman|kubectl|helm|terraform|aws|gcloud|az|pip3?)$/;
/** `git.*`, `git push.*`, `^git`, `rm\s+-rf`, `git push$`. */
const REGULAR_EXPRESSION =
  /^\/(?:\^.*|[^/]*\s[^/]*\/[gimsuy]*|.*\/)$|^(?:\^|\.[*+])|^[\w./-]+(?: [a-z-]+)?\$$|^(?:\S+ )?\S*\\[sbdwSBDW](?![\w/])|^[^\s/]*[^\s/\d]\.[*+](?=\s|$)|\[[^\]]*-[^\]]*\]\+/;
/** Their operands are regular expressions. */
const SEARCHES = /^(?:grep|egrep|fgrep|rg|ag|ack|sed|awk|find|git grep) /;
const DOT_STAR_SUBCOMMAND = /^(\S+) [a-z-]+\.[*+](?=\s|$)/;
/** `a|b`: nobody pipes into an ordinary program without blanks; into a shell, people do. */
const ALTERNATIVES = /[^\s|]\|(?!(?:sudo|sh|bash|zsh|dash|python3?|node|perl|ruby|xargs|tee)\b)[\w./~-]/;
const FIRST_WORD = /^(?:[A-Za-z_]\w*\+?=\S*\s+)*(\S+)/;

/** The spec of a Bash rule as its author means it: without blanks around it and without redirects that write no file. */
export function tidyCommandSpec(spec: string): string {
  const text = spec.trim();
  const tail = HARMLESS_TAIL.exec(maskQuoted(text))?.[0] ?? "";
  return text.slice(0, text.length - tail.length) || text;
}

/** The spec with single blanks and without quotes and backslashes, as deny and ask rules also compare commands. */
export function unquotedSpec(spec: string): string {
  return spec.replace(/["']|\\(?![\\*():])/g, "").replace(/\s+/g, " ");
}

/** The spec with one blank between words, as the commands of a line are compared with allow rules. */
export function singleBlanks(spec: string): string {
  const masked = maskQuoted(spec);
  return spec.replace(/[ \t]{2,}|\t/g, (blanks: string, at: number) =>
    masked.slice(at, at + blanks.length) === blanks ? " " : blanks,
  );
}

/** True for a pattern without a wildcard. */
export function isExactSpec(spec: string): boolean {
  return !/\*/.test(spec.replace(/\\[\s\S]/g, ""));
}

/** True for a pattern of several commands or with a redirect: only a whole line can match it. */
export function isLineSpec(spec: string): boolean {
  return OPERATOR.test(maskQuoted(spec));
}

/** The reason why an allow rule with such a pattern allows nothing: each command of a line is judged separately. */
export function lineFault(spec: string): string {
  const [operator = ""] = OPERATOR.exec(maskQuoted(spec)) ?? [];
  return REDIRECT.test(operator)
    ? "a redirect is judged as a file: allow the command and Read(path) or Edit(path)"
    : "each command of a line needs a rule of its own";
}

/** Programs with fixed subcommands, none of which has such a sign in its name. */
const FIXED_SUBCOMMANDS = /^(?:git|gh|cargo|go|docker|podman|kubectl|helm|terraform|aws|pip3?) [^\s*]*[:?[]/;
/** `{push,pull}` */
const BRACED_SUBCOMMANDS = /^(\S+) \{[^\s}]*,/;
/** Operators with no command between them. */
const DOUBLED_OPERATOR = /[|&;]{3,}|[|&;]\s+[|&;]/;
/** Builtins that change how the shell reads later words, or that run text: no allow rule covers them. */
const UNKNOWN_EFFECT = new Set(
  "source . alias unalias enable shopt bind compgen complete compopt fc let suspend coproc".split(" "),
);
/** A dash or a quote that only a text editor makes. */
const TYPOGRAPHIC = /(?:^|\s)[\u2010-\u2015\u2212\u2018-\u201f]/;
/** A star, or a letter of the program, in the width of a Chinese character. */
const WIDE = /[\uff0a\ufe61]|^\S*[\uff01-\uff5e]/;
/** `git push, *` */
const ENDS_WITH_COMMA = /^(\S+) [a-z-]+,\s*\*?$/;

/**
 * The reason why no command can match a pattern, as one phrase; undefined if one can.
 * @param isExact True for an allow rule without a wildcard: it was probably made from a command that was run.
 */
export function commandFault(spec: string, isExact = false): string | undefined {
  const text = maskQuoted(spec);
  const program = FIRST_WORD.exec(text.replace(/:\*$/, ""))?.[1] ?? "";
  if (/:\*(?!$)/.test(text))
    return `:* has a meaning only at its end: write * in its place (${JSON.stringify(withStars(spec, text))}), or \\:* for a literal colon`;
  if ((/^(["']).*\s.*\1$/.test(spec) && !/[^\0]/.test(text)) || /^`[^`]*`$/.test(spec))
    return "the quotes around the whole pattern are part of it: leave them out";
  if (/\s#(?:\s|$)/.test(text)) return COMMENT;
  if (DOUBLED_OPERATOR.test(text)) return "two operators follow each other: a command belongs between them";
  return (isExact ? undefined : textFault(spec, text)) ?? programFault(program);
}

const COMMENT = "it has a comment of the shell: leave it out";

/** The reason why a pattern that commands can match never allows one, as one phrase; undefined if it can. */
export function allowFault(spec: string): string | undefined {
  const text = maskQuoted(spec);
  if (isExactSpec(spec) && /\s#/.test(text)) return COMMENT;
  if (isExactSpec(spec) && hasOpenQuote(spec)) return "a quote in it is never closed";
  const [, program = ""] = FIRST_WORD.exec(spec.replace(/:\*$/, "")) ?? [];
  if (UNKNOWN_EFFECT.has(program)) return `Quoll always asks about ${program}, because its words don't show its effect`;
  if (program.startsWith("~/")) return "its program is known only when it runs: write the whole path";
  return /^[$`]/.test(program) ? "its program is known only when it runs" : undefined;
}

/** True if the text ends inside quotes. */
function hasOpenQuote(spec: string): boolean {
  const rest = spec.replace(/\\[\s\S]|\$'(?:[^'\\]|\\[\s\S])*'|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|`[^`]*`/g, "");
  return /["'`]/.test(rest);
}

/** A slip in the text of a pattern; exact commands may hold the same signs. */
function textFault(spec: string, text: string): string | undefined {
  const regular = "it is written as a regular expression: * alone stands for any text";
  if (isRegularExpression(regexView(spec, text))) return regular;
  if (/\([^\s)]/.test(text)) return "brackets outside quotes match no command: write one rule for each command";
  const list = "it is a list: write one rule for each command";
  if ((ALTERNATIVES.test(text) && !/\|\|/.test(text)) || listedAgain(text)) return list;
  if (/<[A-Za-z][\w -]*>|^(?!echo|printf)(?:.*\s)?(?:\.\.\.|\u2026)$/.test(text))
    return "it has a placeholder: * stands for any text";
  const wide = WIDE.exec(text)?.[0];
  if (wide !== undefined) return looksLike(wide);
  if (TYPOGRAPHIC.test(text)) return "it has a dash or a quote of a text editor: type it again";
  const [, braced = ""] = BRACED_SUBCOMMANDS.exec(text) ?? [];
  if (FIXED_SUBCOMMANDS.test(text.replace(/:\*$/, "")) || WITH_SUBCOMMANDS.test(braced))
    return "no subcommand has such a name: write a blank in place of :, and * for any text";
  const [, program = ""] = ENDS_WITH_COMMA.exec(text) ?? [];
  return WITH_SUBCOMMANDS.test(program) ? "it ends with a comma: write one rule for each command" : undefined;
}

/** The reason why a pattern's first word begins no command; undefined if it can. */
function programFault(program: string): string | undefined {
  // The definition of a function, as in a fork bomb.
  if (/^[:\w]+\(\)\{?$/.test(program)) return undefined;
  if (SHELL_WORDS.has(program)) return `${program} is a word of the shell, not a command`;
  if (program.startsWith("!")) return "a command can't begin with !: write the opposite rule instead";
  if (program.startsWith("-")) return `${program} is an option: begin with the program, or with *`;
  if (program.startsWith("#")) return "it is a comment of the shell";
  const isPath = program.includes("/") && !/:\/\/|^[A-Za-z]:\//.test(program);
  const isOdd = /[^*:(]:|,|[?{}]|[^[]\[|^\[+[^[]/.test(program);
  if ((!isPath && isOdd) || /^[a-z]+:\/\//.test(program)) return `${oneWord(program)} is not the name of a program`;
  const lower = program.toLowerCase();
  return lower !== program && !isKnownProgram(program) && isKnownProgram(lower)
    ? `write ${lower} in lower case`
    : undefined;
}

function isKnownProgram(name: string): boolean {
  return (
    WITH_SUBCOMMANDS.test(name) ||
    COMMAND_FAMILIES.has(name) ||
    [LAUNCHERS, NEVER_REMEMBERED, INTERPRETERS].some((names) => names.has(name))
  );
}

function withStars(spec: string, text: string): string {
  return [...text.matchAll(/:\*/g)].reduceRight((shown, { index }) => {
    const after = spec[index + 2];
    const gap = after === undefined || /[\s*]/.test(after) ? "" : " ";
    return `${shown.slice(0, index)} *${gap}${shown.slice(index + 2)}`;
  }, spec);
}

/** Backslashes outside quotes show as they are; the text in quotes stays masked. */
function regexView(spec: string, text: string): string {
  return [...text].map((char, at) => (spec[at] === "\\" || spec[at - 1] === "\\" ? spec[at] : char)).join("");
}

function oneWord(program: string): string {
  return JSON.stringify(program.replaceAll("\0", "?"));
}

function isRegularExpression(text: string): boolean {
  const [, program = ""] = DOT_STAR_SUBCOMMAND.exec(text) ?? [];
  if (SEARCHES.test(text)) return false;
  return REGULAR_EXPRESSION.test(text) || WITH_SUBCOMMANDS.test(program);
}

/** `git push *, git pull *`: the program follows a comma again. */
function listedAgain(text: string): boolean {
  const [program = ""] = text.split(/\s/);
  return text
    .split(/,\s*|\s+or\s+/)
    .slice(1)
    .some((other) => program !== "" && other.startsWith(`${program} `));
}

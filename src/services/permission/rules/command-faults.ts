import { maskQuoted } from "./mask-quoted.ts";

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
const REGULAR_EXPRESSION = /^(?:\^|\.[*+])|\$$|^(?:\S+ )?\S*\\[sbdwSBDW](?![\w/])|^[^\s/]*[^\s/\d]\.[*+](?=\s|$)/;
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

/** The reason why no command can match a pattern, as one phrase; undefined if one can. */
export function commandFault(spec: string): string | undefined {
  const text = maskQuoted(spec);
  const program = FIRST_WORD.exec(text.replace(/:\*$/, ""))?.[1] ?? "";
  const inside = /:\*(?!$)/.exec(text);
  if (inside)
    return `:* has a meaning only at its end: write * in its place (${JSON.stringify(withStars(spec, text))}), or \\:* for a literal colon`;
  if (/^(["']).*\s.*\1$/.test(spec) && !/[^\0]/.test(text))
    return "the quotes around the whole pattern are part of it: leave them out";
  if (isRegularExpression(regexView(spec, text)))
    return "it is written as a regular expression: * alone stands for any text";
  if (/\([^\s)]/.test(text)) return "brackets outside quotes match no command: write one rule for each command";
  if (ALTERNATIVES.test(text) && !/\|\|/.test(text)) return "it is a list: write one rule for each command";
  if (SHELL_WORDS.has(program)) return `${program} is a word of the shell, not a command`;
  if (program.startsWith("!") && program !== "!")
    return "a command can't begin with !: write the opposite rule instead";
  if (program.startsWith("-")) return `${program} is an option: begin with the program, or with *`;
  if (program.startsWith("#")) return "it is a comment of the shell";
  if (!program.includes("/") && /[^*:]:|,./.test(program)) return `${oneWord(program)} is not the name of a program`;
  return listedAgain(text) ? "it is a list: write one rule for each command" : undefined;
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
  return REGULAR_EXPRESSION.test(text) || WITH_SUBCOMMANDS.test(program);
}

/** `git push *, git pull *`: the program follows a comma again. */
function listedAgain(text: string): boolean {
  const [program = ""] = text.split(/\s/);
  return text
    .split(/,\s*/)
    .slice(1)
    .some((other) => program !== "" && other.startsWith(`${program} `));
}

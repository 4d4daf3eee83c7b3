import type { Subject } from "../../../contracts/subject.ts";
import { LAUNCHERS, RUNNING_SUBCOMMANDS } from "./command-families.ts";

export type ExecuteSubject = Extract<Subject, { action: "execute" }>;

/** Words that may precede a command; a deny rule for the command also matches with these words in front. */
const BEFORE_COMMAND: ReadonlySet<string> = new Set(
  (
    "sudo doas su env xargs nohup time timeout nice ionice chrt stdbuf command builtin exec setsid watch flock noglob " +
    "parallel strace ltrace unbuffer script busybox toybox npx bunx chroot nsenter unshare runuser setpriv eval " +
    "bash sh dash ksh zsh then do else if while until !"
  ).split(" "),
);
/** The maximum number of tails of a long command that are tried: enough for any ordinary wrapper. */
const MAX_TAILS = 64;
const SEPARATORS = /(?:&&|\|\||[;|&\n(){}`]|\$\()+/;
const LEADING_ASSIGNMENT = /^\s*[A-Za-z_][A-Za-z0-9_]*\+?=(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])*\s+/;

/** Variables that change a program's output format, not its effect: an allow rule still matches a command with them. */
const SAFE_VARIABLES: ReadonlySet<string> = new Set(
  (
    "LANG LANGUAGE TZ TERM COLUMNS LINES CI DEBUG VERBOSE NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE NODE_ENV " +
    "RUST_BACKTRACE RUST_LOG PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE GOOS GOARCH CGO_ENABLED PORT HOST"
  ).split(" "),
);
const SAFE_FAMILY = /^LC_[A-Z]+$/;
/** Variables that with these values start nothing: `GIT_PAGER=cat`, and the blanks that `read` splits at. */
const SAFE_VALUE =
  /^(?:(?:PAGER|GIT_PAGER|GH_PAGER|MANPAGER|SYSTEMD_PAGER)=(?:cat)?|(?:GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS)=0|(?:NO_UPDATE_NOTIFIER|DO_NOT_TRACK|GH_PROMPT_DISABLED)=[01]|IFS=\s*)$/;

/**
 * True if no variable set for a command changes its effect. Assignments after `env` count like leading assignments; a
 * bare assignment starts no program.
 */
export function hasOnlySafeAssignments(subject: ExecuteSubject): boolean {
  if (isBareAssignment(subject)) return true;
  return [...subject.assignments, ...wrappedAssignments(subject)].every((assignment) => {
    const name = assignment.slice(0, assignment.indexOf("="));
    // A computed value is a separate command and is judged as such: a harmless variable name is not enough.
    if (/[$`]/.test(assignment)) return false;
    return SAFE_VARIABLES.has(name) || SAFE_FAMILY.test(name) || SAFE_VALUE.test(assignment.replace(/["'\\]/g, ""));
  });
}

function isBareAssignment({ command, assignments }: ExecuteSubject): boolean {
  return assignments.length > 0 && command === assignments.join(" ");
}

/** Assignments among the removed wrappers: `env A=1 ls`. */
function wrappedAssignments({ command, alternatives = [] }: ExecuteSubject): readonly string[] {
  return alternatives.flatMap((inner) => {
    const wrappers = command.endsWith(inner) ? command.slice(0, command.length - inner.length) : command;
    return wrappers.match(/(?<=^|\s)["']?[A-Za-z_][A-Za-z0-9_]*\+?=\S*/g) ?? [];
  });
}

/** The spellings that an allow rule may name: the command as written, or without its wrappers. */
export function plainSpellings({ command, alternatives = [] }: ExecuteSubject): readonly string[] {
  return [command, ...alternatives];
}

/** The command with its leading assignments, for rules that name them. */
export function fullSpelling(subject: ExecuteSubject): string {
  return isBareAssignment(subject) ? subject.command : [...subject.assignments, subject.command].join(" ");
}

export type Spelling = {
  readonly text: string;
  /** Index at which the last assignment ends. */
  readonly end: number;
};

/**
 * The spellings of a command with all its assignments: as written, and without its wrappers (`env A=1 timeout 5 npm
 * test` is also `A=1 npm test`).
 */
export function spellingsWithAssignments(subject: ExecuteSubject): readonly Spelling[] {
  const { command, assignments, alternatives = [] } = subject;
  const wrapped = wrappedAssignments(subject);
  const all = [...assignments, ...wrapped];
  const isInCommand = assignments.length > 0 && assignments.every((one) => wrapped.includes(one));
  const isLeading = wrapped.every((one) => assignments.includes(one));
  const inner = isLeading && !isBareAssignment(subject) ? alternatives : [];
  const texts = [
    isInCommand ? command : fullSpelling(subject),
    ...inner.map((text) => [...assignments, text].join(" ")),
  ];
  return texts.map((text) => ({ text, end: Math.max(0, ...all.map((one) => text.lastIndexOf(one) + one.length)) }));
}

/**
 * Every spelling that a deny or ask rule may match: without assignments and wrappers, without quotes, by the program's
 * bare name, and, when the source could not be parsed, each of its pieces. Errs towards matching, since such rules only
 * tighten.
 */
export function strictSpellings(subject: ExecuteSubject): ReadonlySet<string> {
  const sources = [...plainSpellings(subject), fullSpelling(subject), ...(subject.resolved ?? [])];
  const pieces = subject.understood ? sources : sources.flatMap(piecesOf);
  const spellings = new Set<string>();
  for (const piece of pieces) {
    for (const form of [piece, collapse(piece), collapse(piece.replace(/\$(?=["'])|["'\\]/g, ""))]) {
      for (const text of withoutPrefixes(form)) {
        spellings.add(text);
        spellings.add(text.replace(/^\S*\/(?=[^/\s])/, ""));
      }
    }
  }
  return spellings;
}

/** For a source that could not be parsed: every piece that may be a command, with words in braces split. */
function piecesOf(source: string): readonly string[] {
  return [source, ...source.split(SEPARATORS), ...source.split(SEPARATORS).map((piece) => piece.replaceAll(",", " "))];
}

/** A command without the assignments before it. */
export function withoutAssignments(text: string): string {
  let bare = text.trim();
  for (let match = LEADING_ASSIGNMENT.exec(bare); match; match = LEADING_ASSIGNMENT.exec(bare))
    bare = bare.slice(match[0].length);
  return bare;
}

function collapse(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** The text, the text without leading assignments, and every tail after a launcher. */
export function withoutPrefixes(text: string): readonly string[] {
  const bare = withoutAssignments(text);
  const words = bare.split(/\s+/);
  const head = (words[0] ?? "").replace(/^.*\//, "");
  if (!mayStartAnother(head, words)) return [text, bare];
  const tails = words.slice(1, MAX_TAILS).map((_, index) => words.slice(index + 1).join(" "));
  return [text, bare, ...tails];
}

/** The dynamic loader when started as a program. */
const LOADER = /^ld(?:64|-[\w.-]+)?\.so(?:\.\d+)*$/;
/** Options between a program and the subcommand that starts another program: `npm --silent exec rm`. */
const MAX_BEFORE_SUBCOMMAND = 8;

function mayStartAnother(head: string, words: readonly string[]): boolean {
  if (BEFORE_COMMAND.has(head) || LAUNCHERS.has(head) || LOADER.test(head)) return true;
  const running = RUNNING_SUBCOMMANDS.get(head);
  return running !== undefined && words.slice(1, MAX_BEFORE_SUBCOMMAND).some((word) => running.has(word));
}

import { editDistance, nearestName } from "../contracts/did-you-mean.ts";
import { UserFacingError } from "../contracts/errors.ts";

/** A word with more different letters counts as another word. */
const MAX_DISTANCE = 2;
/** A shorter word is similar to too many names. */
const MIN_CHARS = 4;
const HELP = "help";
/** Runs a tool here, and a prompt in similar tools. */
const EXEC = "exec";
/** The names that similar tools give to our commands and options. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ["login", "auth login"],
  ["signin", "auth login"],
  ["logout", "auth logout"],
  ["whoami", "auth status"],
  ["resume", "--resume"],
  ["resume --last", "--continue"],
  ["continue", "--continue"],
]);
/** Options of similar tools, each with our option for it and the way to write that. */
const MEANT_OPTIONS: ReadonlyMap<string, readonly [option: string, use: string]> = new Map([
  ["--yolo", ["--dangerously-skip-permissions", "--dangerously-skip-permissions"]],
  ["--json", ["--output-format", "--output-format json, or stream-json for a line at each step"]],
]);
/** Words that people know as commands of similar tools, and our command for it, if there is one. */
const OF_OTHER_TOOLS: ReadonlyMap<string, string | undefined> = new Map([
  ["serve", "mcp serve"],
  ["usage", "stats"],
  ...["update", "upgrade", "init", "acp", "ssh", "fleet"].map((word) => [word, undefined] as const),
]);
/** How people do what a command of similar tools does, if there is no command for it. */
const OTHER_WAYS: ReadonlyMap<string, string> = new Map([
  ...["update", "upgrade"].map((word) => [word, 'pull the clone, then "npm install" and "npm run build"'] as const),
  ["init", "type /init in a session"],
]);

/**
 * Turns `quoll help [command …]` into the option `--help` of that command.
 * @param names The subcommands.
 * @throws {UserFacingError} (exit 2) there is no such subcommand.
 */
export function withoutHelpWord(argv: readonly string[], names: readonly string[]): readonly string[] {
  const [first, name, ...rest] = argv;
  if (first !== HELP) return argv;
  if (name === undefined || name.startsWith("-")) return ["--help"];
  if (names.includes(name)) return [name, ...rest, "--help"];
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? `there are ${names.join(", ")}` : `did you mean ${nearest}?`;
  throw new UserFacingError(`There is no command "${name}": ${hint} (as a prompt: quoll -- "${argv.join(" ")}")`, 2);
}

/** A word that is surely meant as a command, although there is none of this name. */
export class UnknownCommandError extends UserFacingError {
  readonly word: string;
  /** The command that the word resembles. */
  readonly nearest: string | undefined;

  constructor(word: string, nearest: string | undefined) {
    super(`${unknownLine(word, nearest)} (as a prompt: quoll -- ${word})`, 2);
    this.word = word;
    this.nearest = nearest;
  }
}

/** `There is no command "statu": did you mean quoll stats?` */
export function unknownLine(word: string, nearest: string | undefined): string {
  const way = OTHER_WAYS.get(word.toLowerCase());
  const hint = nearest === undefined ? way && `: ${way}.` : `: did you mean quoll ${nearest}?`;
  return `There is no command "${word}"${hint ?? "."}`;
}

/**
 * Refuses `quoll login openai`, which is `quoll auth login openai`, `quoll resume abc`, which is `quoll --resume abc`,
 * and `quoll exec "fix the tests"`, which is `quoll -p "fix the tests"`.
 * @throws {UserFacingError} (exit 2)
 */
export function assertNoOtherName([word = "", ...others]: readonly string[]): void {
  // No tool has a name with a blank.
  if (word === EXEC && /^[^-].*\s/s.test(others[0] ?? ""))
    throw new UserFacingError('quoll exec runs one tool: use quoll -p "…" for a prompt.', 2);
  const whole = MEANT.get([word, ...others].join(" ").toLowerCase());
  if (others.length > 0 && whole !== undefined) throw new UnknownCommandError(word, whole);
  const meant = others.length <= 1 ? MEANT.get(word.toLowerCase()) : undefined;
  if (meant !== undefined) throw new UnknownCommandError(word, [meant, ...others].join(" "));
}

/**
 * Refuses a prompt of one word that is nearly the name of a subcommand, or a command of similar tools, because the
 * person surely did not mean it for a model.
 * @param argv The whole command line: if it has any other word or option, the word is a prompt.
 * @throws {UnknownCommandError} (exit 2)
 */
export function assertNotMisspelled(argv: readonly string[], names: readonly string[]): void {
  const [word = "", ...others] = argv;
  if (others.length > 0 || !/^[a-z-]+$/i.test(word)) return;
  const low = word.toLowerCase();
  const near = names
    .map((name) => ({ name, distance: editDistance(low, name) }))
    .filter(({ distance }) => word.length >= MIN_CHARS && distance <= MAX_DISTANCE)
    .sort((a, b) => a.distance - b.distance);
  const [nearest] = near;
  if (nearest || OF_OTHER_TOOLS.has(low)) throw new UnknownCommandError(word, nearest?.name ?? OF_OTHER_TOOLS.get(low));
}

/**
 * Which of our options a person means who gives that of a similar tool.
 * @param known The long names of the command's options.
 * @returns undefined for any other name, and for a command without our option.
 */
export function meantOption(name: string, known: readonly (string | undefined)[]): string | undefined {
  const [option, use] = MEANT_OPTIONS.get(name) ?? [];
  return option !== undefined && known.includes(option) ? use : undefined;
}

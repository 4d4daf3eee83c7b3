import { launchOf } from "./launch.ts";
import { inFolder } from "./read-paths.ts";
import type { Redirect, ShellWord, SimpleCommand } from "./types.ts";

/** One program with its arguments, in the form for the tables of effects. */
export type CommandPart = {
  readonly name: string;
  /** git's own flags before its command are left out. */
  readonly args: readonly ShellWord[];
  /** The folder of `git -C`; "unknown" if the folder can't be known, or if another work tree is named. */
  readonly folder: string | undefined | "unknown";
  /** Texts that the program gets as input. */
  readonly input: readonly string[];
  /** The settings of `git -c`, as written. */
  readonly settings: readonly string[];
};

/**
 * Commands that run a program of the project or of a registry with the words after them, and the subcommands that do
 * so (or all).
 */
const PASS_ON: Readonly<Record<string, RegExp | "always">> = {
  npx: "always",
  bunx: "always",
  pnpx: "always",
  uvx: "always",
  npm: /^(?:exec|x)$/,
  pnpm: /^(?:exec|dlx)$/,
  yarn: /^(?:exec|dlx|run)$/,
  bun: /^(?:x|run)$/,
  pixi: /^run$/,
  mamba: /^run$/,
  micromamba: /^run$/,
  dotenvx: /^run$/,
  doppler: /^run$/,
  op: /^run$/,
  "aws-vault": /^exec$/,
  composer: /^exec$/,
  pipx: /^run$/,
  poetry: /^run$/,
  pipenv: /^run$/,
  pdm: /^run$/,
  hatch: /^run$/,
  rye: /^run$/,
  uv: /^run$/,
  bundle: /^exec$/,
  mise: /^(?:exec|x)$/,
  asdf: /^exec$/,
  direnv: /^exec$/,
  conda: /^run$/,
  heroku: /^run$/,
  "cross-env": "always",
  "cross-env-shell": "always",
  "env-cmd": "always",
  dotenv: "always",
  entr: "always",
  unshare: "always",
  nsenter: "always",
  "systemd-run": "always",
  firejail: "always",
  bwrap: "always",
  proot: "always",
  fakeroot: "always",
};

/** The number of their own operands before the program: `direnv exec . make`. */
const OWN_OPERANDS: Readonly<Record<string, number>> = { direnv: 1, "aws-vault": 1 };

const GIT_GLOBAL_VALUE = new Set([
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--exec-path",
  "--config-env",
  "--super-prefix",
  "--attr-source",
]);

/**
 * The command itself. For a launcher with unknown flags, also the words from each of its words on: additional
 * readings do no harm here.
 * @param known The names that a table has rows for.
 */
export function partsOf(command: SimpleCommand, known: ReadonlySet<string>): readonly CommandPart[] {
  const [head, ...args] = command.words;
  const name = nameOf(head);
  if (name === undefined) return [];
  const parts = [part(name, args, command.redirects)];
  const launch = launchOf(command);
  const module = /^python[\d.]*$/.test(name) && args[0]?.value === "-m" ? args.slice(1, 2) : [];
  const candidates =
    module.length > 0 ? module : launch === undefined ? passedOn(name, args) : launch.unknown.length > 0 ? args : [];
  for (const word of candidates) {
    const inner = nameOf(word);
    if (inner === undefined || !known.has(inner)) continue;
    parts.push(part(inner, untilTerminator(args.slice(args.indexOf(word) + 1)), []));
  }
  return parts;
}

/** The words that may be the program: only flags and their values precede the program. */
function passedOn(name: string, args: readonly ShellWord[]): readonly ShellWord[] {
  const rule = Object.hasOwn(PASS_ON, name) ? PASS_ON[name] : undefined;
  if (rule === undefined) return [];
  const sub = rule === "always" ? -1 : firstOperand(args);
  if (rule !== "always" && !rule.test(args[sub]?.value ?? "")) return [];
  const rest = args.slice(sub + 1).filter(({ value }) => !/^[A-Za-z_]\w*=/.test(value ?? ""));
  const end = rest.findIndex((_, at) => !mayPrecede(rest, at));
  const dashes = rest.findIndex(({ value }) => value === "--");
  const first = end < 0 ? rest : rest.slice(0, end + 1 + (OWN_OPERANDS[name] ?? 0));
  return [...new Set([...first, ...(dashes < 0 ? [] : rest.slice(dashes + 1, dashes + 2))])];
}

function firstOperand(args: readonly ShellWord[]): number {
  return args.findIndex(({ value }) => !value?.startsWith("-"));
}

function part(name: string, args: readonly ShellWord[], redirects: readonly Redirect[]): CommandPart {
  const input = redirects.flatMap(({ direction, target, body }) =>
    direction === "inline" ? ((body ? body.text : target.value) ?? []) : [],
  );
  if (name !== "git") return { name, args, folder: undefined, input, settings: [] };
  const settings: string[] = [];
  let at = 0;
  let folder: CommandPart["folder"];
  while (args[at]?.value?.startsWith("-")) {
    const flag = args[at]?.value ?? "";
    if (flag === "-C") folder = joined(folder, args[at + 1]);
    else if (/^--(?:git-dir|work-tree)\b/.test(flag)) folder = "unknown";
    else if (flag === "-c") settings.push(args[at + 1]?.value ?? "");
    else if (/^-c./.test(flag)) settings.push(flag.slice(2));
    at += GIT_GLOBAL_VALUE.has(flag) ? 2 : 1;
  }
  return { name, args: args.slice(at), folder, input, settings };
}

function joined(before: CommandPart["folder"], word: ShellWord | undefined): CommandPart["folder"] {
  if (before === "unknown" || word?.value === undefined || word.isGlob) return "unknown";
  return inFolder(before, word.value);
}

/** The program's name without its folder. */
export function nameOf(word: ShellWord | undefined): string | undefined {
  return word?.value?.split("/").at(-1);
}

/** `find -exec rm {} \; -print`: the inner command ends at `;` or `+`. */
function untilTerminator(words: readonly ShellWord[]): readonly ShellWord[] {
  const end = words.findIndex(({ value }) => value === ";" || value === "+");
  return end < 0 ? words : words.slice(0, end);
}

/**
 * The words after a subcommand; flags and their values may precede it or be between its words: `kubectl -n x delete pod
 * y`. For git, the first word must come first, because git's flags are known.
 * @returns undefined if the command lacks the subcommand.
 */
export function afterSub(
  { name, args }: Pick<CommandPart, "name" | "args">,
  sub: readonly string[] = [],
): readonly ShellWord[] | undefined {
  let at = 0;
  for (const text of sub) {
    while ((name !== "git" || at > 0) && args[at] !== undefined && args[at]?.value !== text && mayPrecede(args, at))
      at += 1;
    if (args[at]?.value !== text) return undefined;
    at += 1;
  }
  return args.slice(at);
}

/** True if a word is a flag, or may be the value of the preceding flag, or names a toolchain (`cargo +nightly`). */
export function mayPrecede(args: readonly ShellWord[], at: number): boolean {
  const isFlag = (index: number) => /^[-+]/.test(args[index]?.value ?? "");
  return isFlag(at) || (at > 0 && isFlag(at - 1) && !args[at - 1]?.value?.includes("="));
}

/** GNU programs and git accept the beginning of a long flag in place of the whole flag. */
const MIN_SHORTENED_CHARS = 5;

/** The same, and `--forc` counts as `--force`, for flags that must not be overlooked. */
export function mayHaveFlag(flag: string, words: readonly ShellWord[]): boolean {
  if (hasFlag(flag, words)) return true;
  return words.some((word) => {
    const name = knownPart(word).replace(/=.*$/s, "");
    return name.startsWith("--") && name.length >= MIN_SHORTENED_CHARS && flag.startsWith(name);
  });
}

/** True if the words contain a flag: `--long`, `--long=x`, `-f`, or `f` inside a cluster of short flags. */
export function hasFlag(flag: string, words: readonly ShellWord[]): boolean {
  return words.some((word) => {
    const value = knownPart(word);
    if (value === flag || value.startsWith(`${flag}=`)) return true;
    return /^-[A-Za-z0-9]$/.test(flag) && /^-[A-Za-z0-9]+$/.test(value) && value.includes(flag.slice(1));
  });
}

/** The text of a word as far as it is known: in `--lease=$x`, the flag can be recognised whatever its value. */
function knownPart({ value, source }: ShellWord): string {
  return value ?? source.replace(/["'\\]/g, "");
}

export function beforeDashes(words: readonly ShellWord[]): readonly ShellWord[] {
  const end = words.findIndex(({ value }) => value === "--");
  return end < 0 ? words : words.slice(0, end);
}

/** The words that are neither flags nor values of `valueFlags`. */
export function operandsOf(words: readonly ShellWord[], valueFlags: readonly string[] = []): readonly ShellWord[] {
  const operands: ShellWord[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    if (word.value === "--") return [...operands, ...words.slice(at + 1)];
    if (valueFlags.includes(word.value ?? "")) at += 1;
    else if (!word.value?.startsWith("-") || word.value === "-") operands.push(word);
  }
  return operands;
}

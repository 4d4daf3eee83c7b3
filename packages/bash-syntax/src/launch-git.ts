import { isHarmlessSetting } from "./global-flags.ts";
import { type Launch, type Launcher, type LaunchPart, plainValue, scriptLaunch } from "./launch-parts.ts";
import type { ShellWord } from "./types.ts";

/** git runs the command at the top of the work tree, of each submodule or of each commit, so the folder is unknown. */
const ELSEWHERE: ShellWord = { source: '"$GIT_WORK_TREE"', value: undefined, isGlob: false };
/** For each subcommand, the flags whose value is a command line. */
const COMMAND_FLAGS: Readonly<Record<string, readonly string[]>> = {
  rebase: ["-x", "--exec"],
  difftool: ["-x", "--extcmd"],
  fetch: ["--upload-pack"],
  pull: ["--upload-pack"],
  clone: ["-u", "--upload-pack"],
  "ls-remote": ["--upload-pack", "--exec"],
  "fetch-pack": ["--upload-pack", "--exec"],
  push: ["--receive-pack", "--exec"],
  "send-pack": ["--receive-pack", "--exec"],
  archive: ["--exec"],
  grep: ["-O", "--open-files-in-pager"],
  "filter-branch": [
    "--setup",
    "--env-filter",
    "--tree-filter",
    "--index-filter",
    "--parent-filter",
    "--msg-filter",
    "--commit-filter",
    "--tag-name-filter",
  ],
  "send-email": ["--sendmail-cmd", "--to-cmd", "--cc-cmd", "--header-cmd"],
};
const SETTING_FLAGS = ["-c", "--config"];
/** Matches a repository address that is a command. */
const EXT_ADDRESS = /^(?:ext|fd)::/;

/**
 * The commands that git starts because of its words: aliases and settings of `-c`, `bisect run`, `rebase --exec`,
 * `submodule foreach` …
 */
export const launchGit: Launcher = (args): Launch | undefined => {
  const found = new Collector();
  const rest = readGlobals(args, found);
  const sub = rest[0];
  const name = plainValue(sub);
  if (sub && name === undefined) found.unknown.push(sub.source);
  if (name !== undefined) readCommand(name, rest.slice(1), found);
  return found.launch();
};

class Collector {
  readonly parts: LaunchPart[] = [];
  readonly unknown: string[] = [];

  script(words: readonly ShellWord[], folder: ShellWord | undefined = ELSEWHERE): void {
    const { parts, unknown } = scriptLaunch(words, { within: "arguments", ...(folder && { folder }) });
    this.parts.push(...parts);
    this.unknown.push(...unknown);
  }

  launch(): Launch | undefined {
    const { parts, unknown } = this;
    return parts.length + unknown.length === 0 ? undefined : { parts, isTransparent: false, unknown };
  }
}

function readGlobals(args: readonly ShellWord[], found: Collector): readonly ShellWord[] {
  let at = 0;
  for (; at < args.length; at += 1) {
    const word = args[at];
    const text = plainValue(word);
    if (word === undefined || (text !== undefined && !text.startsWith("-"))) break;
    if (text === undefined) {
      found.unknown.push(word.source);
      continue;
    }
    if (/^--(?:exec-path=|config-env)/.test(text)) found.unknown.push(text);
    if (text === "-c") readSetting(args[at + 1], found);
    if (/^-c./.test(text)) readSetting({ ...word, value: text.slice(2) }, found);
    if (/^(?:-C|-c|--git-dir|--work-tree|--namespace|--config-env|--attr-source|--super-prefix)$/.test(text)) at += 1;
  }
  return args.slice(at);
}

/** `alias.x=!command` runs the command; many other settings name a program. */
function readSetting(word: ShellWord | undefined, found: Collector): void {
  const text = plainValue(word);
  if (word === undefined || (text !== undefined && isHarmlessSetting(text))) return;
  const alias = /^alias\.[^=]+=!([\s\S]+)$/i.exec(text ?? "")?.[1];
  if (alias !== undefined) found.script([{ ...word, value: alias }]);
  else found.unknown.push(word.source);
}

function readCommand(name: string, args: readonly ShellWord[], found: Collector): void {
  if (name === "bisect" && plainValue(args[0]) === "run")
    found.parts.push({ kind: "words", words: args.slice(1), within: "arguments", folder: ELSEWHERE });
  if (name === "submodule") readForeach(args, found);
  const flags = Object.hasOwn(COMMAND_FLAGS, name) ? (COMMAND_FLAGS[name] ?? []) : [];
  for (const [at, word] of args.entries()) {
    for (const flag of flags) readFlag(flag, word, args[at + 1], found);
    if (name === "clone" || name === "init" || name === "submodule")
      for (const flag of SETTING_FLAGS) {
        const value = flagValue(flag, word, args[at + 1]);
        if (value) readSetting(value, found);
      }
    if (EXT_ADDRESS.test(word.value ?? "")) found.unknown.push(word.source);
  }
}

function readForeach(args: readonly ShellWord[], found: Collector): void {
  const at = args.findIndex(({ value }) => value === "foreach");
  if (at < 0) return;
  const words = args.slice(at + 1);
  const start = words.findIndex(({ value }) => !/^(?:--recursive|--quiet|-q)$/.test(value ?? ""));
  if (start >= 0) found.script(words.slice(start));
}

function readFlag(flag: string, word: ShellWord, next: ShellWord | undefined, found: Collector): void {
  if (flag === "-O" || flag === "--open-files-in-pager") {
    if (new RegExp(`^${flag === "-O" ? "-[A-Za-z]*O" : "--open"}`).test(word.value ?? ""))
      found.unknown.push(word.source);
    return;
  }
  const value = flagValue(flag, word, next);
  if (value) found.script([value]);
}

/** The value of a flag; git accepts shortened long flags. */
function flagValue(flag: string, word: ShellWord, next: ShellWord | undefined): ShellWord | undefined {
  const missing: ShellWord = { source: word.source, value: undefined, isGlob: false };
  const text = word.value ?? word.source.replace(/["'\\]/g, "");
  const given = (value: string): ShellWord => (word.value === undefined ? missing : { ...word, value });
  if (text === flag) return next ?? missing;
  if (!flag.startsWith("--")) {
    if (!/^-[A-Za-z]/.test(text)) return undefined;
    if (text.startsWith(flag)) return given(text.slice(flag.length));
    return /^-[A-Za-z]+$/.test(text) && text.endsWith(flag.slice(1)) ? (next ?? missing) : undefined;
  }
  const equals = text.indexOf("=");
  const name = equals < 0 ? text : text.slice(0, equals);
  if (name.length < 4 || !flag.startsWith(name)) return undefined;
  return equals < 0 ? (next ?? missing) : given(text.slice(equals + 1));
}

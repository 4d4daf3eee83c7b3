import { dirname, join, resolve } from "node:path";
import { partsOf } from "@quoll/bash-syntax/command-parts";
import { stripWrappers } from "@quoll/bash-syntax/strip-wrappers";
import type { SimpleCommand } from "@quoll/bash-syntax/types";
import { findRepository } from "../../../platform/git/repository.ts";
import { readSmallFile } from "../../../platform/read-small-file.ts";
import type { ShellContext } from "./shell-context.ts";
import type { ShellFolder } from "./shell-folder.ts";

const MAX_CONFIG_BYTES = 256 * 1024;
/** Files that include each other; git itself stops at a depth of 10. */
const MAX_FILES = 32;

/** The meaning of a git alias. */
export type AliasedCommands = {
  readonly commands: readonly SimpleCommand[];
  readonly folder: ShellFolder;
  /** False if the alias can't be parsed. */
  readonly isRead: boolean;
};

/**
 * The commands that `git <alias>` runs, from the repository's and the user's settings. Does not start git.
 * @returns undefined for a command that is not an alias.
 */
export function aliasedCommands(
  command: SimpleCommand,
  folder: ShellFolder,
  context: ShellContext,
): AliasedCommands | undefined {
  const plain = stripWrappers(command) ?? command;
  const part = partsOf(plain, new Set(["git"])).find(({ name }) => name === "git");
  const name = part?.args[0]?.value?.toLowerCase();
  if (!part || name === undefined || command.within.includes("remote") || command.within.includes("container")) {
    return undefined;
  }
  const start =
    part.folder === undefined || part.folder === "unknown" ? folder?.real : resolve(folder?.real ?? "/", part.folder);
  const repository = start === undefined ? undefined : findRepository(start);
  const files = [
    ...(repository ? [join(repository.gitFolder, "config.worktree"), join(repository.commonFolder, "config")] : []),
    ...userFiles(context.env),
  ];
  const alias = findAlias(files, name, context.env["HOME"]);
  if (alias === undefined) return undefined;
  const args = part.args.slice(1).map(({ source }) => source);
  const isScript = alias.startsWith("!");
  const before = plain.words.slice(0, plain.words.length - part.args.length).map(({ source }) => source);
  const text = [...(isScript ? [alias.slice(1)] : [...before, alias]), ...args].join(" ");
  const parsed = context.parser.parse(text);
  const commands = parsed.understood ? parsed.commands : [];
  const at = isScript ? (repository?.top ?? start) : folder?.real;
  return {
    // The alias runs as a separate program, so a `cd` in it does not move the shell.
    commands: commands.map((one) => ({ ...one, within: [...command.within, "script" as const, ...one.within] })),
    folder: at === undefined ? undefined : { real: at, logical: at },
    isRead: parsed.understood,
  };
}

function userFiles(env: Readonly<Record<string, string>>): readonly string[] {
  const { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM } = env;
  const system = GIT_CONFIG_SYSTEM ?? "/etc/gitconfig";
  if (GIT_CONFIG_GLOBAL !== undefined) return [GIT_CONFIG_GLOBAL, system];
  if (HOME === undefined) return [system];
  return [join(HOME, ".gitconfig"), join(XDG_CONFIG_HOME ?? join(HOME, ".config"), "git/config"), system];
}

/** The last entry in the nearest file is used; an included file counts at its position, regardless of its condition. */
function findAlias(files: readonly string[], name: string, home: string | undefined): string | undefined {
  const seen = new Set<string>();
  const lookIn = (file: string): string | undefined => {
    if (seen.has(file) || seen.size >= MAX_FILES) return undefined;
    seen.add(file);
    let found: string | undefined;
    for (const { key, value } of settingsIn(readSmallFile(file, MAX_CONFIG_BYTES) ?? "")) {
      if (key === `alias.${name}` || key === `alias.${name}.command`) found = value;
      else if (/^include(?:if\..*)?\.path$/s.test(key)) found = lookIn(includedPath(value, file, home)) ?? found;
    }
    return found;
  };
  for (const file of files) {
    const found = lookIn(file);
    if (found !== undefined && found.trim() !== "") return found;
  }
  return undefined;
}

function includedPath(path: string, file: string, home: string | undefined): string {
  return path.startsWith("~/") && home !== undefined ? join(home, path.slice(2)) : resolve(dirname(file), path);
}

type Setting = { readonly key: string; readonly value: string };

const SECTION = /^\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/;
const NAME = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*([\s\S]*))?$/;

/** The settings in a git configuration file (git-config(1), "Syntax"), in lower case except for values. */
export function settingsIn(text: string): readonly Setting[] {
  const settings: Setting[] = [];
  let section = "";
  for (const line of text.replace(/\r\n/g, "\n").replace(/\\\n/g, "").split("\n")) {
    const header = SECTION.exec(line);
    if (header)
      section = [header[1], header[2]]
        .filter((part) => part !== undefined)
        .join(".")
        .toLowerCase();
    const [, name, value = ""] = NAME.exec(line.slice(header?.[0].length ?? 0)) ?? [];
    if (name !== undefined) settings.push({ key: `${section}.${name.toLowerCase()}`, value: plainValue(value) });
  }
  return settings;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b" };

/** Without quotes, escapes and comments. */
function plainValue(written: string): string {
  let value = "";
  let isQuoted = false;
  for (let at = 0; at < written.length; at += 1) {
    const char = written[at] ?? "";
    if (char === "\\") {
      at += 1;
      const next = written[at] ?? "";
      value += ESCAPES[next] ?? next;
    } else if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (char === "#" || char === ";")) break;
    else value += char;
  }
  return value.trim();
}

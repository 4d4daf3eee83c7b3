import { dirname, isAbsolute, join, resolve } from "node:path";
import { readSmallFile } from "../../platform/read-small-file.ts";
import type { GitFolder } from "./git-folder.ts";
import type { MountPoint } from "./io/mount-record.ts";

const MAX_CONFIG_BYTES = 1024 * 1024;
/** The maximum number of names read from one file, so that a crafted repository can't cause thousands of mounts. */
const MAX_NAMED = 100;
/** The maximum number of settings files that a repository may include, directly or indirectly. */
const MAX_FILES = 20;

/** Settings that name a file or folder that git runs or reads settings from (git-config(1)). */
const NAMING = /^[^#;\n]*?\b(hookspath|path|fsmonitor|excludesfile|attributesfile)[ \t]*=[ \t]*"?([^"\n#;]+)/gim;
const NO_PATH = /^(?:true|false|yes|no|on|off|0|1)$/i;
/** Settings of the user and of the machine; a relative path in them applies in every repository. */
const OF_HOME = [".gitconfig", ".config/git/config"];
const OF_MACHINE = "/etc/gitconfig";

export type NamedPaths = {
  /** All named paths, existing or not. */
  readonly existing: readonly string[];
  /** Missing paths that git would run or read settings from as soon as they exist. */
  readonly missing: readonly MountPoint[];
  /** True if git reads `config.worktree`. */
  readonly hasWorktreeSettings: boolean;
};

type Named = { readonly key: string; readonly value: string };

/** The paths named in a repository's settings and their includes. */
export function namedInSettings({
  gitFolder,
  workTree,
  homes,
}: Pick<GitFolder, "gitFolder" | "workTree" | "homes">): NamedPaths {
  const existing: string[] = [];
  const missing: MountPoint[] = [];
  const take = ({ key, value }: Named, file: string): string | undefined => {
    const included = expand(value, dirname(file), homes);
    const other = expand(value, workTree, homes);
    if (included === undefined || other === undefined) return undefined;
    existing.push(included, other);
    if (key === "path") missing.push({ path: included, kind: "file" });
    if (key === "hookspath") missing.push({ path: other, kind: "folder" });
    if (key === "fsmonitor" && value.includes("/")) missing.push({ path: other, kind: "file" });
    return key === "path" ? included : undefined;
  };
  const own = join(gitFolder, "config");
  const left = [own, join(gitFolder, "config.worktree")];
  for (let count = 0; count < MAX_FILES; count += 1) {
    const file = left.shift();
    if (file === undefined) break;
    const more = namings(file).map((named) => take(named, file));
    left.push(...more.filter((path) => path !== undefined && !left.includes(path)).map(String));
  }
  for (const file of [OF_MACHINE, ...homes.flatMap((home) => OF_HOME.map((name) => join(home, name)))])
    for (const named of namings(file))
      if (named.key !== "path" && !isAbsolute(named.value) && !named.value.startsWith("~")) take(named, file);
  return { existing, missing, hasWorktreeSettings: /\bworktreeconfig\b/i.test(textOf(own)) };
}

function namings(file: string): readonly Named[] {
  return [...textOf(file).matchAll(NAMING)]
    .map(([, key = "", value = ""]) => ({ key: key.toLowerCase(), value: value.trim() }))
    .filter(({ value }) => value !== "" && !NO_PATH.test(value))
    .slice(0, MAX_NAMED);
}

/** @returns undefined for a path that only git itself can resolve. */
function expand(value: string, base: string, homes: readonly string[]): string | undefined {
  if (value.startsWith("~/")) return homes[0] === undefined ? undefined : join(homes[0], value.slice(2));
  return value.startsWith("~") || value.startsWith("%(") ? undefined : resolve(base, value);
}

function textOf(file: string): string {
  return readSmallFile(file, MAX_CONFIG_BYTES) ?? "";
}

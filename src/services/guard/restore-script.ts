import { shellQuoted } from "../../platform/shell-quoted.ts";

/** One thing that was copied, or whose rights were noted. */
export type Kept = {
  /** Where it stood: absolute. */
  readonly path: string;
  /** Where its copy stands, relative to the backup's folder. */
  readonly copy: string;
};

export type Rights = { readonly path: string; readonly mode: number; readonly owner: number; readonly group: number };

/** A shell script that puts everything back where it was. What stands there by then is overwritten, nothing is deleted. */
export function restoreScript(kept: readonly Kept[], rights: readonly Rights[], isRoot: boolean): string {
  return [
    "#!/bin/sh",
    "# Puts back what was kept before a command that destroys.",
    "set -eu",
    'here=$(cd -- "$(dirname -- "$0")" && pwd -P)',
    ...kept.flatMap(copyLines),
    ...rights.flatMap((entry) => rightLines(entry, isRoot)),
    "",
  ].join("\n");
}

function copyLines({ path, copy }: Kept): readonly string[] {
  const parent = shellQuoted(path.slice(0, path.lastIndexOf("/")) || "/");
  return [`mkdir -p -- ${parent}`, `cp -a -- "$here"/${shellQuoted(copy)} ${parent}/`];
}

/** A folder's line stands before those of what is in it: it must be open again first. */
function rightLines({ path, mode, owner, group }: Rights, isRoot: boolean): readonly string[] {
  const name = shellQuoted(path);
  // A change of owner takes set-id bits away: the mode comes last.
  return [
    ...(isRoot ? [`chown -- ${owner}:${group} ${name} || true`] : []),
    `chmod -- ${mode.toString(8).padStart(4, "0")} ${name} || true`,
  ];
}

import { shellQuoted } from "../../platform/shell-quoted.ts";

/** One copied path, or one path with recorded permissions. */
export type Kept = {
  /** Original path: absolute. */
  readonly path: string;
  /** Path of the copy, relative to the backup folder. */
  readonly copy: string;
};

export type Rights = { readonly path: string; readonly mode: number; readonly owner: number; readonly group: number };

/** A shell script that restores everything to its original path. Overwrites existing files, deletes nothing. */
export function restoreScript(kept: readonly Kept[], rights: readonly Rights[], isRoot: boolean): string {
  return [
    "#!/bin/sh",
    "# Restores a backup that Quoll made before a destructive command.",
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

/** A folder precedes its content, because it must be accessible first. */
function rightLines({ path, mode, owner, group }: Rights, isRoot: boolean): readonly string[] {
  const name = shellQuoted(path);
  // A change of owner clears set-id bits, so the mode is set last.
  return [
    ...(isRoot ? [`chown -- ${owner}:${group} ${name} || true`] : []),
    `chmod -- ${mode.toString(8).padStart(4, "0")} ${name} || true`,
  ];
}

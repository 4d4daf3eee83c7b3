/** The most files that a note names. */
const MAX_NAMED = 5;

/** The reason why the change of a file has no text to show. */
export type UnshownKind = "empty" | "emptied" | "encoding" | "permissions" | "text" | "untracked";

const ONE_OR_MORE: Readonly<Record<UnshownKind, readonly [one: string, more: string]>> = {
  empty: ["new file is empty", "new files are empty"],
  emptied: ["deleted file was empty", "deleted files were empty"],
  encoding: ["file in another encoding", "files in another encoding"],
  permissions: ["file with other permissions", "files with other permissions"],
  text: ["file without a text to compare", "files without a text to compare"],
  untracked: ["file untracked, not shown", "files untracked, not shown"],
};

/** `1 new file is empty: a.txt`. @returns no line without a name. */
export function unshownNote(kind: UnshownKind, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const [one, more] = ONE_OR_MORE[kind];
  return [`${names.length} ${names.length === 1 ? one : more}: ${namesOf(names)}`];
}

function namesOf(names: readonly string[]): string {
  const left = names.length - MAX_NAMED;
  return [...names.slice(0, MAX_NAMED), ...(left > 0 ? [`${left} more`] : [])].join(", ");
}

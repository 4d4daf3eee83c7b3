/** Folders that a recording replaces by placeholders, so that it contains no folder of the original machine. */
export const PLACEHOLDER_NAMES = ["project", "session", "home"] as const;
type PlaceName = (typeof PLACEHOLDER_NAMES)[number];

/** Absolute folders, each possibly with several names (with and without links). */
export type PlaceholderFolders = Readonly<Record<PlaceName, readonly string[]>>;

const PLACEHOLDER = /~\{(project|session|home)\}/g;

/** `/home/ann/shop/a.ts` → `~{project}/a.ts`. Whole names only: `/home/anna` does not match `/home/ann`. */
export function withPlaceholders(places: PlaceholderFolders): (text: string) => string {
  const folders = PLACEHOLDER_NAMES.flatMap((name) => [...new Set(places[name])].map((folder) => ({ name, folder })))
    .filter(({ folder }) => folder.startsWith("/") && folder !== "/")
    .sort((a, b) => b.folder.length - a.folder.length);
  if (folders.length === 0) return (text) => text;
  // Of two names of one folder, the first is used.
  const names = new Map(folders.toReversed().map(({ name, folder }) => [folder, name]));
  const any = folders.map(({ folder }) => folder.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|");
  const pattern = new RegExp(`(?<![\\w.~}-])(?:${any})(?![\\w-]|\\.\\w)`, "g");
  return (text) => text.replace(pattern, (folder) => `~{${names.get(folder)}}`);
}

/** Replaces placeholders by folders, using the first name of each folder. */
export function withFolders(places: PlaceholderFolders): (text: string) => string {
  return (text) =>
    text.includes("~{")
      ? text.replace(PLACEHOLDER, (placeholder, name: PlaceName) => places[name][0] ?? placeholder)
      : text;
}

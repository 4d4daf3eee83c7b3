/** Sorts files by path, by code unit, so that the pages of one search match. */
export function byPath<Item extends { readonly path: string }>(items: readonly Item[]): readonly Item[] {
  return [...items].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

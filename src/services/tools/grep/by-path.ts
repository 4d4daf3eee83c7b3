/** Files in the order of their paths, by code unit, so that pages of one search fit together. */
export function byPath<Item extends { readonly path: string }>(items: readonly Item[]): readonly Item[] {
  return [...items].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

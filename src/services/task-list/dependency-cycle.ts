/**
 * Finds a cycle of dependencies by a depth-first search.
 * @param blockedBy The ids that each task waits for.
 * @returns the ids on the cycle, with the first id repeated at the end; undefined if there is no cycle.
 */
export function dependencyCycle(blockedBy: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  for (const start of blockedBy.keys()) {
    // The search is not recursive, because a chain may be as long as the list.
    const path: { readonly id: string; readonly rest: string[] }[] = [];
    const enter = (id: string) => path.push({ id, rest: [...(blockedBy.get(id) ?? [])] });
    if (!done.has(start)) enter(start);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.rest.pop();
      if (next === undefined) {
        done.add(top.id);
        path.pop();
        continue;
      }
      const at = path.findIndex(({ id }) => id === next);
      if (at !== -1) return [...path.slice(at).map(({ id }) => id), next];
      if (!done.has(next)) enter(next);
    }
  }
  return undefined;
}

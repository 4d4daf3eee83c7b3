import { MAX_PAGES } from "../mcp-limits.ts";

export type ListPage = { readonly items: readonly unknown[]; readonly nextCursor?: string | undefined };

/** Reads the pages of a list until the server names no further one, or until `maxItems` are read. */
export async function listPages(
  read: (params: { readonly cursor?: string }) => Promise<ListPage>,
  maxItems: number,
): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && items.length < maxItems; page += 1) {
    const { items: more, nextCursor } = await read(cursor === undefined ? {} : { cursor });
    items.push(...more);
    cursor = nextCursor;
    // A repeated cursor would cause an endless loop.
    if (cursor === undefined || seen.has(cursor)) break;
    seen.add(cursor);
  }
  return items;
}

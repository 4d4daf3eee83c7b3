import type {
  Inventory,
  InventoryEntry,
  InventoryFilter,
  InventoryKind,
  RouteMatch,
} from "../../contracts/inventory.ts";
import { scoreEntry } from "./route-score.ts";

/** The tools that a small prompt needs. */
const SIMPLE_TOOLS: ReadonlySet<string> = new Set(["Read", "Edit", "Write", "Bash"]);
const DEFAULT_ROUTE_LIMIT = 8;

/**
 * Everything a person may invoke and everything the model may call, declared before any I/O is wired.
 * @throws {Error} two entries of one kind share a name; both sources are named.
 */
export function createInventory(entries: readonly InventoryEntry[]): Inventory {
  const byKey = new Map<string, InventoryEntry>();
  for (const entry of entries) {
    const key = keyOf(entry.kind, entry.name);
    const other = byKey.get(key);
    if (other)
      throw new Error(`Two ${entry.kind}s are named "${entry.name}": one is ${other.source}, one ${entry.source}.`);
    byKey.set(key, entry);
  }
  const list = (kind?: InventoryKind, filter: InventoryFilter = {}) =>
    [...byKey.values()].filter((entry) => (kind === undefined || entry.kind === kind) && passes(entry, filter));
  return {
    list,
    get: (kind, name) => byKey.get(keyOf(kind, name)),
    route: (prompt, { limit = DEFAULT_ROUTE_LIMIT, filter } = {}) =>
      rank(list(undefined, filter), prompt).slice(0, limit),
  };
}

function keyOf(kind: InventoryKind, name: string): string {
  return `${kind}:${name}`;
}

function passes(entry: InventoryEntry, { simple, noMcp, deny = [] }: InventoryFilter): boolean {
  if (simple && entry.kind === "tool" && !SIMPLE_TOOLS.has(entry.name)) return false;
  if (noMcp && entry.source === "mcp") return false;
  return !deny.some((prefix) => entry.name.toLowerCase().startsWith(prefix.toLowerCase()));
}

/** The best of each kind first, the rest by score; ties by kind and name. Entries without any match are left out. */
function rank(entries: readonly InventoryEntry[], prompt: string): readonly RouteMatch[] {
  const scored = entries
    .map((entry) => ({ ...entry, score: scoreEntry(entry, prompt) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.kind.localeCompare(b.kind) || a.name.localeCompare(b.name));
  const best = new Set<RouteMatch>();
  for (const kind of ["command", "tool"] as const) {
    const first = scored.find((match) => match.kind === kind);
    if (first) best.add(first);
  }
  const leaders = scored.filter((match) => best.has(match));
  return [...leaders, ...scored.filter((match) => !best.has(match))];
}

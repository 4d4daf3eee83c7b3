import type { CommandSpec } from "../../contracts/command.ts";
import {
  BASIC_TOOLS,
  type Inventory,
  type InventoryEntry,
  type InventoryFilter,
  type InventoryKind,
  type RouteMatch,
} from "../../contracts/inventory.ts";
import type { Registry } from "../../contracts/registry.ts";
import type { ToolSpec } from "../../contracts/tool.ts";
import { scoreEntry } from "./route-score.ts";

const DEFAULT_ROUTE_LIMIT = 8;

/** The slash commands that a person can run, and the tools that the model can call. */
export type Invocables = {
  readonly commands: Registry<CommandSpec>;
  readonly tools: Registry<{ readonly spec: ToolSpec }>;
};

/** Both registries as one current list. */
export function createInventory({ commands, tools }: Invocables): Inventory {
  const all = (): Readonly<Record<InventoryKind, readonly InventoryEntry[]>> => ({
    command: commands.entries.map(({ value: { name, summary }, source }) => ({
      ...{ kind: "command", name, source: source.kind, level: "none", summary },
    })),
    tool: tools.entries.map(({ value: { spec }, source }) => ({
      ...{ kind: "tool", name: spec.name, source: source.kind, level: spec.level, summary: spec.summary },
    })),
  });
  const list = (kind?: InventoryKind, filter: InventoryFilter = {}) => {
    const { command, tool } = all();
    const wanted = kind === undefined ? [...command, ...tool] : { command, tool }[kind];
    return wanted.filter((entry) => passes(entry, filter));
  };
  return {
    list,
    get: (kind, name) => list(kind).find((entry) => entry.name === name),
    route: (prompt, { limit = DEFAULT_ROUTE_LIMIT, filter } = {}) =>
      rank(list(undefined, filter), prompt).slice(0, limit),
  };
}

function passes(entry: InventoryEntry, { simple, noMcp, deny = [] }: InventoryFilter): boolean {
  if (simple && entry.kind === "tool" && !BASIC_TOOLS.includes(entry.name)) return false;
  if (noMcp && entry.source === "mcp") return false;
  return !deny.some((prefix) => entry.name.toLowerCase().startsWith(prefix.toLowerCase()));
}

/**
 * The best entry of each kind first, then the rest by score; ties are sorted by kind and name. Entries without any
 * match are left out.
 */
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

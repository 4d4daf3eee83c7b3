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
import { searchWords, stemOf } from "../../contracts/search-words.ts";
import type { ToolSpec } from "../../contracts/tool.ts";

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
      kind: "command",
      name,
      source: source.kind,
      level: "none",
      summary,
    })),
    tool: tools.entries.map(({ value: { spec }, source }) => ({
      kind: "tool",
      name: spec.name,
      source: source.kind,
      level: spec.level,
      summary: spec.summary,
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

/**
 * A prompt begins with what is to be done: "find the bug" wants a search, and not the command /bug. So its first word
 * has more weight in an entry's name, or as the first word of its description, than any other word.
 */
const NAME_WEIGHT = 5;
const PART_OF_NAME_WEIGHT = 3;
const NAME_LATER_WEIGHT = 1;
const SUMMARY_WEIGHT = 1;
const VERB_WEIGHT = 2;

/** How well an entry fits a prompt: 0 for no shared word. Deterministic. */
export function scoreEntry(entry: InventoryEntry, prompt: string): number {
  const name = entry.name.toLowerCase();
  const parts = new Set(searchWords(entry.name));
  const [verb, ...others] = searchWords(entry.summary);
  const summary = new Set([verb, ...others]);
  const words = new Set(searchWords(prompt));
  const [first] = words;
  let score = first !== undefined && first === verb && words.size > 1 ? VERB_WEIGHT : 0;
  for (const word of words) {
    if (word === name || word === stemOf(name)) score += word === first ? NAME_WEIGHT : NAME_LATER_WEIGHT;
    else if (parts.has(word)) score += PART_OF_NAME_WEIGHT;
    if (summary.has(word)) score += SUMMARY_WEIGHT;
  }
  return score;
}

import type { SourceKind } from "./registry.ts";
import type { Level } from "./tool.ts";

export type InventoryKind = "command" | "tool";

/** One entry of the inventory: a command, tool, agent or skill. */
export type InventoryEntry = {
  readonly kind: InventoryKind;
  readonly name: string;
  readonly source: SourceKind;
  readonly level: Level;
  /** A summary in one line. */
  readonly summary: string;
};

/** The tools that a small prompt needs, used by `--bare` and `--simple`. */
export const BASIC_TOOLS: readonly string[] = ["Read", "Edit", "Write", "Bash"];

export type InventoryFilter = {
  /** True if the only tools are `BASIC_TOOLS`. */
  readonly simple?: boolean;
  readonly noMcp?: boolean;
  /** Names or prefixes to leave out. */
  readonly deny?: readonly string[];
};

export type RouteMatch = InventoryEntry & { readonly score: number };

export interface Inventory {
  list(kind?: InventoryKind, filter?: InventoryFilter): readonly InventoryEntry[];
  get(kind: InventoryKind, name: string): InventoryEntry | undefined;
  /** The best entry of each kind comes first, then all others by score; ties are sorted by kind and name. */
  route(
    prompt: string,
    options?: { readonly limit?: number; readonly filter?: InventoryFilter },
  ): readonly RouteMatch[];
}

import type { Level } from "./tool.ts";

export type InventoryKind = "command" | "tool";
export type InventorySource = "builtin" | "skill" | "plugin" | "mcp";

/** One line of the declared surface of the program. */
export type InventoryEntry = {
  readonly kind: InventoryKind;
  readonly name: string;
  readonly source: InventorySource;
  readonly level: Level;
  /** One line of responsibility. */
  readonly summary: string;
};

export type InventoryFilter = {
  /** Only what a small prompt needs: Read, Edit, Write and Bash among the tools. */
  readonly simple?: boolean;
  readonly noMcp?: boolean;
  /** Names or prefixes to leave out. */
  readonly deny?: readonly string[];
};

export type RouteMatch = InventoryEntry & { readonly score: number };

export interface Inventory {
  list(kind?: InventoryKind, filter?: InventoryFilter): readonly InventoryEntry[];
  get(kind: InventoryKind, name: string): InventoryEntry | undefined;
  /** Best of each kind first, then by score; ties by kind and name. */
  route(
    prompt: string,
    options?: { readonly limit?: number; readonly filter?: InventoryFilter },
  ): readonly RouteMatch[];
}

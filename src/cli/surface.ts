import { BUILTIN_TOOLS } from "../app/agent/builtin-tools.ts";
import { BUILTIN_COMMANDS } from "../commands/builtin-commands.ts";
import type { Inventory } from "../contracts/inventory.ts";
import type { ToolSpec } from "../contracts/tool.ts";
import { commandRegistry, toolRegistry } from "../services/inventory/create-registry.ts";
import { createInventory } from "../services/inventory/inventory.ts";

/** The declaration of each tool, in the order of the prompt. */
export const TOOL_SPECS: readonly ToolSpec[] = BUILTIN_TOOLS.map(({ spec }) => spec);

/** The complete inventory, from declarations alone. */
export function declaredInventory(): Inventory {
  const tools = toolRegistry(BUILTIN_TOOLS);
  return createInventory({ commands: commandRegistry(BUILTIN_COMMANDS), tools });
}

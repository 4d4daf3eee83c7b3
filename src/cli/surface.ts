import { clearSpec } from "../commands/clear.ts";
import { costSpec } from "../commands/cost.ts";
import { effortSpec } from "../commands/effort.ts";
import { exitSpec } from "../commands/exit.ts";
import { helpSpec } from "../commands/help.ts";
import { loginSpec } from "../commands/login.ts";
import { modelSpec } from "../commands/model.ts";
import { permissionsSpec } from "../commands/permissions.ts";
import { portsSpec } from "../commands/ports.ts";
import { queueSpec } from "../commands/queue.ts";
import { resumeSpec } from "../commands/resume.ts";
import { thinkingSpec } from "../commands/thinking.ts";
import type { Inventory, InventoryEntry } from "../contracts/inventory.ts";
import type { ToolSpec } from "../contracts/tool.ts";
import { createInventory } from "../services/inventory/inventory.ts";
import { bashSpec } from "../services/tools/bash/spec.ts";
import { editSpec } from "../services/tools/edit/spec.ts";
import { enterPlanModeSpec } from "../services/tools/enter-plan-mode/spec.ts";
import { exitPlanModeSpec } from "../services/tools/exit-plan-mode/spec.ts";
import { globSpec } from "../services/tools/glob/spec.ts";
import { grepSpec } from "../services/tools/grep/spec.ts";
import { readSpec } from "../services/tools/read/spec.ts";
import { taskOutputSpec } from "../services/tools/task-output/spec.ts";
import { taskStopSpec } from "../services/tools/task-stop/spec.ts";
import { todoWriteSpec } from "../services/tools/todo-write/spec.ts";
import { writeSpec } from "../services/tools/write/spec.ts";

/** The tools in the order in which the model sees them: it never changes, or the prompt cache is lost. */
export const TOOL_SPECS: readonly ToolSpec[] = [
  readSpec,
  editSpec,
  writeSpec,
  bashSpec,
  globSpec,
  grepSpec,
  todoWriteSpec,
  taskOutputSpec,
  taskStopSpec,
  enterPlanModeSpec,
  exitPlanModeSpec,
];

type CommandSpec = { readonly name: string; readonly summary: string; readonly argumentHint?: string };

export const COMMAND_SPECS: readonly CommandSpec[] = [
  clearSpec,
  costSpec,
  effortSpec,
  exitSpec,
  helpSpec,
  loginSpec,
  modelSpec,
  permissionsSpec,
  portsSpec,
  queueSpec,
  resumeSpec,
  thinkingSpec,
];

/** The whole declared surface, before any I/O is wired to it. */
export function declaredInventory(): Inventory {
  const commands = COMMAND_SPECS.map(
    ({ name, summary }): InventoryEntry => ({ kind: "command", name, source: "builtin", level: "none", summary }),
  );
  const tools = TOOL_SPECS.map(
    ({ name, level, summary }): InventoryEntry => ({ kind: "tool", name, source: "builtin", level, summary }),
  );
  return createInventory([...commands, ...tools]);
}

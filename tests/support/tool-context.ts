import { MAIN_AGENT } from "../../src/contracts/agent.ts";
import type { Tasks } from "../../src/contracts/task.ts";
import type { ToolContext, ToolPorts } from "../../src/contracts/tool.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { DISK_FILES } from "../../src/platform/files/disk-files.ts";
import { TaskRegistry } from "../../src/services/tasks/task-registry.ts";

/** The services that calls of the main agent share: the disk, a separate task registry, and no person to ask. */
export function toolPorts(tasks: Tasks = new TaskRegistry({ clock: systemClock }).seenBy(MAIN_AGENT)): ToolPorts {
  return {
    agent: MAIN_AGENT,
    ask: { canAsk: false, ask: async () => ({ decision: "reject" }) },
    tasks,
    files: DISK_FILES,
    spawnAgent: () => Promise.reject(new Error("This test opens no agents.")),
    forkPoint: () => null,
    findables: () => [],
    hasTool: () => true,
    accepts: () => ({ images: true, documents: true }),
  };
}

/** The context of one call. */
export function toolContext(given: Partial<ToolContext> = {}): ToolContext {
  const call = { toolUseId: "t", cwd: "/", signal: new AbortController().signal };
  return { ...toolPorts(), ...call, emit: () => undefined, ...given };
}

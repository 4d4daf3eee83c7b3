import type { ToolContext, ToolPorts } from "./tool.ts";

/** The part of the context that each call has for itself. */
type OwnContext = Omit<ToolContext, keyof ToolPorts> & Partial<Pick<ToolContext, "spawnAgent">>;

/** The context of one call: the services of its agent, and what belongs to this call alone. */
export function callContext(ports: ToolPorts, own: OwnContext): ToolContext {
  const { agent, ask, tasks, files, forkPoint, hasTool, accepts, findables } = ports;
  const { toolUseId, cwd, signal, emit, modelInput, spawnAgent = ports.spawnAgent } = own;
  return {
    agent,
    ask,
    tasks,
    files,
    spawnAgent,
    forkPoint,
    hasTool,
    accepts,
    findables,
    toolUseId,
    cwd,
    signal,
    emit,
    modelInput,
  };
}

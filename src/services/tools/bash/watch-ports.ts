import type { TaskInfo, Tasks } from "../../../contracts/task.ts";
import type { Spawn } from "../../../platform/processes/process-table.ts";
import type { ServerPorts } from "./server-ports.ts";

/** Offers the person the ports on which a confined background task listens, while the task runs. */
export function watchPorts(
  { id, title: command }: TaskInfo,
  spawn: Spawn,
  { tasks, ports }: { readonly tasks: Tasks; readonly ports: ServerPorts | undefined },
): void {
  void ports?.watch({
    id,
    command,
    spawn,
    isRunning: () => tasks.list().some((task) => task.id === id && task.status === "running"),
  });
}

import { oneLine } from "@quoll/terminal-text/one-line";
import { isOpenTask, type TaskInfo } from "../../../contracts/task.ts";

const MAX_COLUMNS = 100;

/** One line for each command that keeps running after Quoll ends: its process, and how to end it. */
export function keptShellLines(tasks: readonly TaskInfo[]): readonly string[] {
  return tasks.flatMap((task) => {
    const { id, title, process: started, outputFile } = task;
    if (!task.isKept || !started || !isOpenTask(task)) return [];
    // The command leads its own process group.
    return [
      `${id} (${oneLine(title, MAX_COLUMNS)}) keeps running as process ${started.pid}; its output: ${outputFile}. To end it: kill -- -${started.pid}`,
    ];
  });
}

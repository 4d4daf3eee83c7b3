import { oneLine } from "@quoll/terminal-text/one-line";
import { isOpenTask, type TaskInfo } from "../../contracts/task.ts";
import type { Agent } from "../agent/open-agent.ts";

const MAX_COLUMNS = 100;

type Told = { startupWarning(line: string): void; tellAtEnd?(line: string): void };

/**
 * Closes the main agent, and tells the person about a worktree or a command that stays.
 * @returns one phrase for each task that was still running.
 */
export async function closeMain(main: Agent, { tellAtEnd, startupWarning }: Told): Promise<readonly string[]> {
  const ended = await main.close();
  for (const line of keptShellLines(main.toolPorts.tasks.list())) (tellAtEnd ?? startupWarning)(line);
  const stays = await main.worktree?.close();
  if (stays !== undefined) (tellAtEnd ?? startupWarning)(stays);
  return ended;
}

/** One line for each command that keeps running after Quoll ends: its process, and how to end it. */
function keptShellLines(tasks: readonly TaskInfo[]): readonly string[] {
  return tasks.flatMap((task) => {
    const { id, title, process: started, outputFile } = task;
    if (!task.isKept || !started || !isOpenTask(task)) return [];
    // The command leads its own process group.
    return [
      `${id} (${oneLine(title, MAX_COLUMNS)}) keeps running as process ${started.pid}; its output: ${outputFile}. To end it: kill -- -${started.pid}`,
    ];
  });
}

import type { Agent } from "../agent/open-agent.ts";
import { keptShellLines } from "./notices/kept-shell-lines.ts";

type Told = { warn(line: string): void; tellAtEnd?(line: string): void };

/**
 * Closes the main agent, and tells the person about a worktree or a command that stays.
 * @returns one phrase for each task that was still running.
 */
export async function closeMain(main: Agent, { tellAtEnd, warn }: Told): Promise<readonly string[]> {
  const ended = await main.close();
  for (const line of keptShellLines(main.toolPorts.tasks.list())) (tellAtEnd ?? warn)(line);
  const stays = await main.worktree?.close();
  if (stays !== undefined) (tellAtEnd ?? warn)(stays);
  return ended;
}

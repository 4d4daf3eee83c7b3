import type { Agent } from "../agent/open-agent.ts";
import { keptShellLines } from "./kept-shell-lines.ts";

type Told = { warn(line: string): void; tellAtEnd?(line: string): void };

/** Closes the main agent, and tells the person what stays. @returns one phrase for each thing that still ran. */
export async function closeMain(main: Agent, { tellAtEnd, warn }: Told): Promise<readonly string[]> {
  const ended = await main.close();
  for (const line of keptShellLines(main.toolPorts.tasks.list())) (tellAtEnd ?? warn)(line);
  const stays = await main.worktree?.close();
  if (stays !== undefined) (tellAtEnd ?? warn)(stays);
  return ended;
}

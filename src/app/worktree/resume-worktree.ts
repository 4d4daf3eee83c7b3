import { oneLine } from "@quoll/terminal-text/one-line";
import { shortPath } from "../../platform/directories.ts";
import type { Agent } from "../agent/open-agent.ts";
import type { OpenedConversation } from "../session/open-conversation.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import { lastWorktree } from "./wire-main-worktree.ts";

const MAX_COLUMNS = 300;

type Parts = {
  readonly conversation: Pick<OpenedConversation, "restored">;
  readonly main: Pick<Agent, "engine" | "workspace" | "worktree">;
  readonly place: Pick<ProjectEnvironment, "own">;
};

/** Brings a resumed conversation back into the worktree that it had entered. @returns a line about where it goes on. */
export async function resumeWorktree({ conversation, main, place }: Parts): Promise<readonly string[]> {
  const name = lastWorktree(conversation.restored);
  if (name === undefined || !main.worktree) return [];
  const why = await main.worktree.resume(name, new AbortController().signal);
  const { cwd } = main.workspace;
  if (why === undefined) return [`The conversation goes on in the worktree ${oneLine(name, MAX_COLUMNS)}.`];
  main.engine.conversation.append({ kind: "worktree", optional: true });
  main.engine.taskNews.addModelNote("worktree", `${why} The working folder is ${cwd} now.`);
  return [`${oneLine(why, MAX_COLUMNS)} The conversation goes on in ${shortPath(cwd, place.own.home)}.`];
}

import { oneLine } from "@quoll/terminal-text/one-line";
import { shortPath } from "../../platform/directories.ts";
import type { OpenedSession } from "../session/opened-session.ts";
import { lastWorktree, type MainWorktree } from "./wire-main-worktree.ts";

const MAX_COLUMNS = 300;

type Parts = Pick<OpenedSession, "conversation" | "main" | "environment">;

/**
 * Holds the worktree that the session was started in, and brings a resumed conversation back into the one that it had
 * entered.
 * @returns lines for the person.
 */
export async function resumeWorktree(parts: Parts): Promise<readonly string[]> {
  const { worktree } = parts.main;
  if (!worktree) return [];
  const others = await worktree.hold();
  const name = lastWorktree(parts.conversation.restored);
  return [
    ...(others === undefined ? [] : [others]),
    ...(name === undefined ? [] : await resumed(name, worktree, parts)),
  ];
}

/** @returns a line about where the conversation continues. */
async function resumed(name: string, worktree: MainWorktree, { main, environment }: Parts): Promise<readonly string[]> {
  const why = await worktree.resume(name, new AbortController().signal);
  const { cwd } = main.workspace;
  if (why === undefined) return [`The conversation continues in the worktree ${oneLine(name, MAX_COLUMNS)}.`];
  main.engine.conversation.append({ kind: "worktree", optional: true });
  main.engine.taskNews.addModelNote("worktree", `${why} The working folder is ${cwd} now.`);
  return [`${oneLine(why, MAX_COLUMNS)} The conversation continues in ${shortPath(cwd, environment.own.home)}.`];
}

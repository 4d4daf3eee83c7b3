import { relative } from "node:path";
import { UserFacingError } from "../../contracts/errors.ts";
import type { Entry } from "../../contracts/session.ts";
import type { ChangedFile, SessionChanges } from "../../contracts/session-changes.ts";
import { shortPath } from "../../platform/directories.ts";
import { findGit } from "../../platform/git/find-git.ts";
import { findRepository } from "../../platform/git/repository.ts";
import { isInside } from "../../platform/paths.ts";
import { WorktreeGit } from "../../services/worktree/io/worktree-git.ts";
import { treeChanges } from "../../services/worktree/tree-changes.ts";
import type { Session } from "./open-session.ts";

type Parts = Pick<Session, "place" | "main" | "tasks" | "agents" | "conversation">;

/** The changes of a session, read from its records, and the differences from the last commit. */
export function sessionChanges(parts: Parts): SessionChanges {
  const { place, main } = parts;
  const shown = (path: string) =>
    isInside(main.workspace.cwd, path) ? relative(main.workspace.cwd, path) : shortPath(path, place.own.home);
  return {
    ofSession: () => byFile(allEntries(parts).flatMap(changeOf)).map((file) => ({ ...file, path: shown(file.path) })),
    async ofTree(signal) {
      const { env, isTrusted } = place;
      const repository = findRepository(main.workspace.cwd);
      if (!repository || repository.isBare) return undefined;
      const program = findGit(env, [repository.top]);
      if (program === undefined)
        throw new UserFacingError("git is not installed: install it to see the work tree's changes.");
      return treeChanges(new WorktreeGit({ program, environment: env, isTrusted }, repository), repository.top, signal);
    },
  };
}

/** The entries of the conversation and of its agents, sorted by time. A fork begins with its parent's entries. */
function allEntries({ main, tasks, agents, conversation }: Parts): readonly Entry[] {
  const ofAgents = tasks.list().flatMap(({ agent }) => {
    const lastId = agent?.agentId === undefined ? undefined : agents.lastEntryOf(agent.agentId);
    return lastId === undefined ? [] : conversation.log.pathTo(lastId);
  });
  const byId = new Map([...main.engine.conversation.history(), ...ofAgents].map((entry) => [entry.id, entry]));
  return [...byId.values()].sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
}

function changeOf(entry: Entry): readonly ChangedFile[] {
  if (entry.kind !== "shown" || entry.fact.type !== "call") return [];
  const { display } = entry.fact;
  return display?.kind === "diff" ? [display] : [];
}

/** Groups all changes of a file. */
function byFile(changes: readonly ChangedFile[]): readonly ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  for (const change of changes) {
    const before = files.get(change.path);
    files.set(change.path, before ? joined(before, change) : change);
  }
  return [...files.values()];
}

function joined(before: ChangedFile, next: ChangedFile): ChangedFile {
  return {
    ...before,
    added: before.added + next.added,
    removed: before.removed + next.removed,
    hunks: [...before.hunks, ...next.hunks],
  };
}

import { relative } from "node:path";
import type { Rewinds } from "../../contracts/checkpoint.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { Entry } from "../../contracts/session.ts";
import type { PartedFile, SessionChanges } from "../../contracts/session-changes.ts";
import { shortPath } from "../../platform/directories.ts";
import { findGit } from "../../platform/git/find-git.ts";
import { findRepository } from "../../platform/git/repository.ts";
import { isInside } from "../../platform/paths.ts";
import { WorktreeGit } from "../../services/worktree/io/worktree-git.ts";
import { treeChanges } from "../../services/worktree/tree-changes.ts";
import type { Session } from "./session.ts";

type Parts = Pick<Session, "environment" | "main" | "tasks" | "agents" | "conversation">;

const SHOWN: readonly Entry["kind"][] = ["shown"];
const NO_CHECKPOINTS = "This session keeps no checkpoints: /diff shows all its changes together.";

/** The changes of a session, read from its checkpoints or its records, and the differences from the last commit. */
export function sessionChanges(parts: Parts, rewinds: Rewinds | undefined): SessionChanges {
  const { environment, main } = parts;
  const shown = (path: string) =>
    isInside(main.workspace.cwd, path) ? relative(main.workspace.cwd, path) : shortPath(path, environment.own.home);
  return {
    shown,
    async ofSession(signal) {
      const found = await rewinds?.changes({ until: "now" }, signal);
      if (found) return found;
      const files = byFile(shownEntries(parts).flatMap(changeOf));
      return { files: files.map((file) => ({ ...file, path: shown(file.path) })), notes: [] };
    },
    async ofRange(range, signal) {
      const found = await rewinds?.changes(range, signal);
      if (!found) throw new UserFacingError(NO_CHECKPOINTS);
      return found;
    },
    async takeBack(file, part, signal) {
      if (!rewinds) throw new UserFacingError(NO_CHECKPOINTS);
      const { kept } = await rewinds.takeBack(file, part, signal);
      if (kept[0]) throw new UserFacingError(`${shown(file.file)} stays as it is: ${kept[0].reason}.`);
    },
    async ofTree(signal) {
      const { env, isTrusted } = environment;
      const repository = findRepository(main.workspace.cwd);
      if (!repository || repository.isBare) return undefined;
      const program = findGit(env, [repository.top]);
      if (program === undefined)
        throw new UserFacingError("git is not installed: install it to see the work tree's changes.");
      return treeChanges(new WorktreeGit({ program, environment: env, isTrusted }, repository), repository.top, signal);
    },
  };
}

/** The shown calls of the conversation and of its agents, sorted by time. A fork begins with its parent's entries. */
function shownEntries({ main, tasks, agents, conversation }: Parts): readonly Entry[] {
  const ofAgents = tasks.list().flatMap(({ agent }) => {
    const lastId = agent?.agentId === undefined ? undefined : agents.lastEntryOf(agent.agentId);
    return lastId === undefined ? [] : conversation.log.pathTo(lastId, SHOWN);
  });
  const byId = new Map([...main.engine.conversation.history(SHOWN), ...ofAgents].map((entry) => [entry.id, entry]));
  return [...byId.values()].sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
}

function changeOf(entry: Entry): readonly PartedFile[] {
  if (entry.kind !== "shown" || entry.fact.type !== "call") return [];
  const { display } = entry.fact;
  return display?.kind === "diff" ? [{ ...display, file: display.path }] : [];
}

/** Groups all changes of a file. */
function byFile(changes: readonly PartedFile[]): readonly PartedFile[] {
  const files = new Map<string, PartedFile>();
  for (const change of changes) {
    const before = files.get(change.path);
    files.set(change.path, before ? joined(before, change) : change);
  }
  return [...files.values()];
}

function joined(before: PartedFile, next: PartedFile): PartedFile {
  return {
    ...before,
    added: before.added + next.added,
    removed: before.removed + next.removed,
    hunks: [...before.hunks, ...next.hunks],
  };
}

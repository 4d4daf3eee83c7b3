import { relative, resolve } from "node:path";
import type { AgentCheckout } from "../../contracts/agent-scope.ts";
import type { PathRule } from "../../contracts/permission.ts";
import type { Sandbox, Workspace } from "../../contracts/ports.ts";
import type { Asker } from "../../contracts/question.ts";
import type { SandboxSettings } from "../../contracts/settings.ts";
import { entryExists, isInside, outerGitFolders, realPathOrSelf } from "../../platform/paths.ts";
import type { ChildCheckout } from "../../services/permission/permission-deps.ts";
import { findProject, openWorkspace } from "../../services/workspace/open-workspace.ts";
import { environmentWith } from "../session/environment-with.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { SessionParts } from "../session/session-parts.ts";
import { createSandbox, lazyGuard } from "../session/wire-safety.ts";

/** The parts of an agent that works in a worktree, where they differ from those of its parent or of the session. */
export type IsolatedParts = {
  readonly environment: ProjectEnvironment;
  readonly workspace: Workspace;
  readonly sandbox: Sandbox;
  readonly checkout: ChildCheckout;
};

/** The session, and the folders that the worktree replaces. */
type Origin = {
  readonly session: Pick<SessionParts, "conversation" | "notices">;
  readonly environment: ProjectEnvironment;
  readonly workspace: Workspace;
};

type Ports = {
  readonly asker: Asker;
  /** The path rules of the agent. */
  rules(): readonly PathRule[];
};

/**
 * Moves the parts of a session into a worktree: its settings, rules and trust stay; its folders and its sandbox are
 * those of the worktree. The caller closes the sandbox.
 * @throws {UserFacingError} (exit 2) a folder is missing or unreadable.
 */
export function isolatedParts(
  { session, environment: parent, workspace: outer }: Origin,
  { top, cwd, replaces }: AgentCheckout,
  { asker, rules }: Ports,
): IsolatedParts {
  const { artifacts } = session.conversation;
  const { home } = parent.own;
  const move = { from: replaces, to: top };
  // A folder that contains the replaced checkout would make it writable.
  const others = outer.roots.slice(1).filter((root) => !isInside(root, replaces));
  const addDirs = others.map((root) => moved(root, move)).filter(entryExists);
  const workspace = openWorkspace({ cwd, home, addDirs });
  const { trustRoot, id } = parent.project;
  const project = { ...findProject({ cwd, home }), trustRoot, id };
  const environment = environmentWith(parent, () => ({ project, workspace }));
  const settings = { ...environment.settings, sandbox: movedSandbox(environment.settings.sandbox, move) };
  const confined = environmentWith(environment, () => ({ settings }));
  const sandbox = createSandbox(confined, artifacts, { onNotice: session.notices.notify, asker, rules });
  const guard = lazyGuard(environment, artifacts);
  const checkout: ChildCheckout = {
    ...move,
    roots: workspace.roots,
    gitFolders: outerGitFolders(top),
    sandbox: () => sandbox.state(),
    get guard() {
      return environment.settings.guardsDestruction ? guard : undefined;
    },
  };
  return { environment, workspace, sandbox, checkout };
}

type Move = { readonly from: string; readonly to: string };

/**
 * The settings of the sandbox for the worktree: paths that are closed in the replaced checkout are also closed at the
 * corresponding paths of the worktree, and nothing in the replaced checkout is writable.
 */
function movedSandbox(settings: SandboxSettings, move: Move): SandboxSettings {
  const { filesystem = {} } = settings;
  const { allowWrite = [], allowRead = [], denyRead = [], denyWrite = [] } = filesystem;
  const there = (paths: readonly string[]) => paths.map((path) => moved(path, move));
  const both = (paths: readonly string[]) => [...new Set([...paths, ...there(paths)])];
  return {
    ...settings,
    filesystem: {
      allowWrite: there(allowWrite.filter((path) => !isInside(realPathOrSelf(path), move.from))),
      allowRead: both(allowRead),
      denyRead: both(denyRead),
      denyWrite: both(denyWrite),
    },
  };
}

/** Maps a path in the replaced checkout to the other checkout; any other path is unchanged. */
function moved(path: string, { from, to }: Move): string {
  const real = realPathOrSelf(path);
  return isInside(from, real) ? resolve(to, relative(from, real)) : path;
}

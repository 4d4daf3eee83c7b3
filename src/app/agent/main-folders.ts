import { resolve } from "node:path";
import type { Sandbox, Workspace } from "../../contracts/ports.ts";
import type { NarrowedPermissions, PermissionService } from "../../services/permission/permission-deps.ts";
import { environmentWith } from "../session/environment-with.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";

/** The folders that an agent works in, and the parts that belong to them. */
export type Folders = {
  readonly environment: ProjectEnvironment;
  readonly workspace: Workspace;
  readonly sandbox: Sandbox;
};

/** The worktree that the main conversation entered, and its folders. */
export type EnteredFolders = Folders & {
  /** The name of the worktree. */
  readonly name: string;
  readonly permissions: NarrowedPermissions;
};

/**
 * The folders of the main conversation: the starting folders, or those of the worktree that it entered. `environment`,
 * `workspace`, `sandbox` and the permissions of `following` always belong to the current folders; `settled` is for
 * agents, which stay where they began.
 */
export class MainFolders implements Folders {
  /** The folders in which the session began. */
  readonly start: Folders;
  readonly environment: ProjectEnvironment;
  readonly workspace: Workspace;
  readonly sandbox: Sandbox;
  readonly #listeners = new Set<() => Promise<void>>();
  #entered: EnteredFolders | undefined;

  constructor(start: Folders) {
    this.start = start;
    const now = () => this.#entered ?? this.start;
    this.environment = environmentWith(start.environment, () => {
      const { project, workspace } = now().environment;
      return { project, workspace };
    });
    this.workspace = followingWorkspace(() => now().workspace, start.workspace);
    this.sandbox = followingSandbox(() => now().sandbox);
  }

  /** The worktree that the conversation is in. */
  get entered(): EnteredFolders | undefined {
    return this.#entered;
  }

  /** The current folders as a snapshot that a later move does not change. */
  get settled(): Folders {
    const { environment, workspace, sandbox } = this.#entered ?? this.start;
    return { environment, workspace, sandbox };
  }

  /** @param entered The worktree's folders; undefined to return to the starting folders. */
  moveTo(entered: EnteredFolders | undefined): void {
    this.#entered = entered;
  }

  /** Tells the listeners about a completed move, and waits for them. */
  async moved(): Promise<void> {
    await Promise.all([...this.#listeners].map((listener) => listener()));
  }

  /** Calls back after each move. @returns the function that removes the listener. */
  onMoved(listener: () => Promise<void>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * The permissions of the main agent: calls are checked for the current folders; the mode, the rules and the consent
   * that a person changes belong to the session.
   * @param session The permissions in the starting folders.
   */
  following(session: PermissionService): PermissionService {
    const now = () => this.#entered?.permissions ?? session;
    return {
      authorize: (request, signal) => now().authorize(request, signal),
      hiddenTools: (names) => now().hiddenTools(names),
      matches: (rule, request) => now().matches(rule, request),
      isHidden: (path) => now().isHidden(path),
      mayRead: (path) => now().mayRead(path),
      namesHost: (host) => now().namesHost(host),
      narrow: (scope) => now().narrow(scope),
      explain: (request, signal) => now().explain(request, signal),
      get mode() {
        return session.mode;
      },
      set mode(mode) {
        session.mode = mode;
      },
      describe: () => session.describe(),
      // The sandbox of the starting folders obeys these rules; a worktree's own sandbox has the rules of its
      // permissions.
      pathRules: () => session.pathRules(),
      grantRules: (texts, source) => session.grantRules(texts, source),
      changeRules: (change, source) => session.changeRules(change, source),
      leaseRules: (rules, source) => session.leaseRules(rules, source),
      reloadRules: (rules, managedRulesOnly) => session.reloadRules(rules, managedRulesOnly),
      hookAnswer: (request, signal) => session.hookAnswer(request, signal),
      consent: () => session.consent(),
      revokeConsent: () => session.revokeConsent(),
    };
  }
}

/** A folder that the person adds stays added after a move back to the starting folders. */
function followingWorkspace(now: () => Workspace, start: Workspace): Workspace {
  return {
    get roots() {
      return now().roots;
    },
    get projectRoot() {
      return now().projectRoot;
    },
    get isBroad() {
      return now().isBroad;
    },
    get cwd() {
      return now().cwd;
    },
    moveTo: (path) => now().moveTo(path),
    contains: (path) => now().contains(path),
    add: (folder) => {
      const path = resolve(now().cwd, folder);
      const added = now().add?.(path);
      return (start === now() ? undefined : start.add?.(path)) ?? added ?? { path, isNew: false };
    },
  };
}

/** `close` does nothing here, because the owner of each sandbox closes it. */
function followingSandbox(now: () => Sandbox): Sandbox {
  return {
    state: () => now().state(),
    findings: () => now().findings(),
    confine: (start, signal) => now().confine(start, signal),
    beginUnconfined: (work, signal) => now().beginUnconfined(work, signal),
    portOpener: () => now().portOpener(),
    explainFailure: (output, ranMs, run) => now().explainFailure(output, ranMs, run),
    close: async () => undefined,
  };
}

import { join, relative } from "node:path";
import { lazy } from "@quoll/async/lazy";
import { MAIN_AGENT } from "../../../contracts/agent.ts";
import type { Backups, Checkpoints, FileRewinds, Rewinds } from "../../../contracts/checkpoint.ts";
import type { Workspace } from "../../../contracts/ports.ts";
import { isOpenTask } from "../../../contracts/task.ts";
import type { QueryEngine } from "../../../engine/query-engine.ts";
import { shortPath } from "../../../platform/directories.ts";
import { entryExists, isInside, realPathOrSelf } from "../../../platform/paths.ts";
import type { Checkpointing } from "../../../services/checkpoint/checkpointing.ts";
import type { TaskRegistry } from "../../../services/tasks/task-registry.ts";
import type { App } from "../../open-app.ts";
import type { SessionBackupsParts } from "../backups/session-backups.ts";
import type { PersonNotices } from "../notices/person-notices.ts";
import type { ProjectEnvironment } from "../project-environment.ts";
import type { SessionModel } from "../session-model.ts";
import type { BackupRestores } from "./session-rewinds.ts";

/** The project and the conversation whose states are kept. */
type Kept = Pick<SessionModel, "config" | "environment" | "conversation">;

/** The checkpoints of a session; their code is loaded after the first request. */
export type OpenCheckpoints = {
  /** The port of one agent. @param isMain True for the agent that the person talks with. */
  ofAgent(workspace: Pick<Workspace, "roots">, isMain: boolean): Checkpoints | undefined;
  /** Loads what a first call that may write needs. */
  prepare(): Promise<void>;
  /** Waits until everything that ended is recorded. @returns undefined where no checkpoints are kept. */
  restoring(): Promise<FileRewinds | undefined>;
  close(): Promise<void>;
};

/** A session that is not saved can't be resumed, so nothing of it is kept; nor is it if the person wants no checkpoints. */
export function openCheckpoints(
  app: Pick<App, "clock" | "ids">,
  { config, environment, conversation }: Kept,
  tasks: TaskRegistry,
  { notify }: Pick<PersonNotices, "notify">,
): OpenCheckpoints {
  if (!config.isSaved || environment.settings.checkpoints?.enabled === false)
    return {
      close: async () => undefined,
      ofAgent: () => undefined,
      prepare: () => Promise.resolve(),
      restoring: async () => undefined,
    };
  const seen = tasks.seenBy(MAIN_AGENT);
  let newestPrompt = "";
  /** Stores the state of the newest prompt at once, if it was not stored yet. */
  let pending: (() => void) | undefined;
  const opened = lazy(async () => {
    const [{ SessionCheckpoints }, { store, rewinds }] = await Promise.all([
      import("./session-checkpoints.ts"),
      openStore(app, environment, conversation),
    ]);
    const background = () => seen.list().flatMap((task) => (task.process && isOpenTask(task) ? [task.title] : []));
    const deps = { store, clock: app.clock, background, newestPrompt: () => newestPrompt, notify };
    const made = new SessionCheckpoints(deps);
    if (conversation.restored) made.recover(environment.workspace.roots);
    return { checkpoints: made, files: rewinds };
  });
  const checkpoints = async () => (await opened()).checkpoints;
  const prepare = async () => (await checkpoints()).prepare(environment.workspace.roots);
  return {
    ofAgent: (workspace, isMain) => ({
      promptSent(messageId) {
        if (!isMain) return;
        newestPrompt = messageId;
        pending?.();
        const take = async () => (await checkpoints()).takePrompt(messageId, workspace.roots);
        pending = () => {
          pending = undefined;
          take().catch(() => undefined);
        };
      },
      answerBegan() {
        // Without a person, many sessions write nothing: they wait for the first call that may.
        if (isMain && config.answerer === "person") pending?.();
      },
      makeReady() {
        prepare().catch(() => undefined);
      },
      expectWrite() {
        pending?.();
        const expect = async () => (await checkpoints()).expectWrite(workspace.roots);
        expect().catch(() => undefined);
      },
      hooksBegin: async (call) => (await checkpoints()).hooksBegin(call, workspace.roots),
      async beginCall(call, signal) {
        pending?.();
        try {
          return await (await checkpoints()).begin(call, workspace.roots, signal);
        } catch {
          signal.throwIfAborted();
          return { end: () => undefined };
        }
      },
    }),
    prepare,
    close: async () => void (await (await opened.begun)?.checkpoints.close()),
    async restoring() {
      pending?.();
      const { checkpoints: made, files } = await opened();
      await made.settled();
      return files;
    },
  };
}

async function openStore(
  app: Pick<App, "clock" | "ids">,
  environment: ProjectEnvironment,
  conversation: Kept["conversation"],
): Promise<Checkpointing> {
  const [{ openCheckpoints: open }, { findGit }] = await Promise.all([
    import("../../../services/checkpoint/checkpointing.ts"),
    import("../../../platform/git/find-git.ts"),
  ]);
  const { own, project, env, workspace } = environment;
  const forkedFrom = forkOf(conversation);
  return open({
    folder: folderOf(environment),
    sessionId: conversation.log.sessionId,
    home: realPathOrSelf(own.home),
    leftOut: [own.config, own.data, own.state, own.cache].map(realPathOrSelf),
    environment: env,
    git: findGit(env, [project.root, ...workspace.roots]),
    clock: app.clock,
    ids: app.ids,
    ...(forkedFrom && { forkedFrom }),
  });
}

/** The session that this one is a copy of, and when it was copied. */
function forkOf({ restored }: Kept["conversation"]) {
  const first = restored?.entries.find(({ kind }) => kind === "session");
  if (first?.kind !== "session" || first.forkedFrom === undefined) return undefined;
  return { sessionId: first.forkedFrom, untilMs: Date.parse(first.time) };
}

/** Finishes a rewind that the end of an earlier process interrupted. @returns lines for the person. */
export async function finishEarlierRewind(
  parts: Pick<Kept, "conversation"> & Checkpointed & Shown,
  followConversation: FollowConversation,
): Promise<readonly string[]> {
  const { environment, conversation, main, checkpoints } = parts;
  if (!conversation.restored || !entryExists(join(folderOf(environment), `${conversation.log.sessionId}.jsonl`)))
    return [];
  const { finishRewind } = await import("./session-rewinds.ts");
  const shown = shownPath(parts);
  return finishRewind({ main, files: checkpoints.restoring, shown, followConversation }, new AbortController().signal);
}

function folderOf({ own, project }: Pick<ProjectEnvironment, "own" | "project">): string {
  return join(own.data, "checkpoints", project.id);
}

type Shown = Pick<Kept, "environment"> & {
  readonly main: { readonly engine: QueryEngine; readonly workspace: Pick<Workspace, "cwd"> };
};
/** As in `SessionRewindsParts`. */
type FollowConversation = (signal: AbortSignal) => Promise<void>;
type Checkpointed = { readonly checkpoints: Pick<OpenCheckpoints, "restoring"> };
type RewindParts = { readonly work: { readonly tasks: TaskRegistry } } & Checkpointed & Shown;

/** A path as a person reads it: relative to the working folder, or with `~`. */
function shownPath({ main: { workspace }, environment }: Shown): (path: string) => string {
  return (path) =>
    isInside(workspace.cwd, path) ? relative(workspace.cwd, path) : shortPath(path, environment.own.home);
}

/** The rewinds of a session; their code is loaded at the first use. */
export function lazyRewinds(parts: RewindParts, followConversation: FollowConversation): Rewinds & BackupRestores {
  const shown = shownPath(parts);
  const rewinds = lazy(async () => {
    const { sessionRewinds } = await import("./session-rewinds.ts");
    return sessionRewinds({
      main: parts.main,
      files: () => parts.checkpoints.restoring(),
      tasks: parts.work.tasks.seenBy(MAIN_AGENT),
      shown,
      followConversation,
    });
  });
  return {
    shown,
    points: async (signal) => (await rewinds()).points(signal),
    preview: async (request, signal) => (await rewinds()).preview(request, signal),
    diffOf: async (messageId, path, signal) => (await rewinds()).diffOf(messageId, path, signal),
    rewind: async (request, signal) => (await rewinds()).rewind(request, signal),
    changes: async (range, signal) => (await rewinds()).changes(range, signal),
    takeBack: async (file, part, signal) => (await rewinds()).takeBack(file, part, signal),
    previewBackup: async (request, signal) => (await rewinds()).previewBackup(request, signal),
    restoreBackup: async (request, signal) => (await rewinds()).restoreBackup(request, signal),
    canRedo: async () => (await rewinds()).canRedo(),
    redo: async (choices, signal) => (await rewinds()).redo(choices, signal),
  };
}

/** The backups of a session; their code is loaded at the first use. */
export function lazyBackups(parts: SessionBackupsParts): Backups {
  const backups = lazy(async () => (await import("../backups/session-backups.ts")).sessionBackups(parts));
  return {
    shown: (path) => parts.shown(path),
    list: async (signal) => (await backups()).list(signal),
    preview: async (id, signal) => (await backups()).preview(id, signal),
    restore: async (id, choices, signal) => (await backups()).restore(id, choices, signal),
  };
}

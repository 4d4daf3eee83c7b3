import { oneLine } from "@quoll/terminal-text/one-line";
import type {
  FileRewinds,
  RedoResult,
  RewindPoint,
  RewindRequest,
  RewindResult,
  RewindScope,
  Rewinds,
} from "../../../contracts/checkpoint.ts";
import { UserFacingError } from "../../../contracts/errors.ts";
import { rewoundPhrase } from "../../../contracts/rewound-parts.ts";
import type { Entry } from "../../../contracts/session.ts";
import { isOpenTask, type TaskInfo, type Tasks } from "../../../contracts/task.ts";
import { namedFew } from "../../../contracts/words.ts";
import type { QueryEngine } from "../../../engine/query-engine.ts";

const MAX_TITLE_COLUMNS = 60;
/** How many changed files a note for the model names. */
const MAX_NAMED_FILES = 20;
const NOTHING_TO_REDO = "There is nothing to redo: the last rewind was taken back, or a prompt followed it.";
const NO_SUCH_PROMPT = "This conversation has no such prompt: /rewind lists its prompts.";
const NOT_STORED = "files: there is no checkpoint since this prompt";
const NO_CHECKPOINTS = "This session keeps no checkpoints: only the conversation can go back.";
const NO_RESTORES = "This session keeps no checkpoints: `quoll backups restore <id>` in a shell restores it.";

export type SessionRewindsParts = {
  readonly main: { readonly engine: QueryEngine };
  /** Waits until all changes are recorded; undefined where no checkpoints are kept. */
  files(): Promise<FileRewinds | undefined>;
  readonly tasks: Pick<Tasks, "list" | "stop">;
  shown(path: string): string;
  /** Takes the session to the folder in which the conversation works at its present entry. */
  followConversation(signal: AbortSignal): Promise<void>;
};

/** A restore of a backup, as in `FileRewinds`, that `Rewinds.redo` takes back. */
export type BackupRestores = Pick<FileRewinds, "previewBackup" | "restoreBackup">;

/** Goes back to the moment before a prompt, and forward again: the files by the store, the conversation by the engine. */
export function sessionRewinds(parts: SessionRewindsParts): Rewinds & BackupRestores {
  const { engine } = parts.main;
  /** The rewinds of this process that a redo can take back, oldest first. */
  const made: Made[] = [];
  /** Work of the store alone, which the conversation does not follow. */
  const inFiles = async (
    { of, without }: { readonly of: RedoResult["of"]; readonly without: string },
    work: (files: FileRewinds) => Promise<RewindResult>,
  ) => {
    assertRest(engine);
    const done = await work(await filesOf(parts, without));
    if (hasChanged(done)) made.push({ scope: "files", of });
    tellModel(done, parts);
    return done;
  };

  return {
    ...views(parts),
    async rewind(request, signal) {
      const { done, scope } = await goBack(parts, request, signal);
      if (scope !== "files" || hasChanged(done)) made.push({ scope });
      return done;
    },
    takeBack: (file, part, signal) =>
      inFiles({ of: "change", without: NO_CHECKPOINTS }, (files) => files.takeBack(file, part, signal)),
    previewBackup: async (request, signal) => (await filesOf(parts, NO_RESTORES)).previewBackup(request, signal),
    restoreBackup: (request, signal) =>
      inFiles({ of: "backup", without: NO_RESTORES }, (files) => files.restoreBackup(request, signal)),
    canRedo: async () => movedBy(engine) !== undefined || (await parts.files())?.redoable() !== undefined,
    async redo(choices, signal) {
      const newest = made.at(-1);
      const done = await redoNewest(parts, { choices, scope: newest?.scope }, signal);
      made.pop();
      return newest?.of ? { ...done, of: newest.of } : done;
    },
  };
}

/** A rewind, or a restore of files alone. */
type Made = { readonly scope: RewindScope; readonly of?: RedoResult["of"] };

function hasChanged({ restored, deleted, folders }: RewindResult): boolean {
  return restored.length + deleted.length > 0 || folders !== undefined;
}

/** @param without The words of the error. @throws {UserFacingError} (as a rejection) no checkpoints are kept. */
async function filesOf(
  parts: Pick<SessionRewindsParts, "files">,
  without: string = NO_CHECKPOINTS,
): Promise<FileRewinds> {
  const found = await parts.files();
  if (!found) throw new UserFacingError(without);
  return found;
}

/** The part of the rewinds that changes nothing. */
function views(parts: SessionRewindsParts): Pick<Rewinds, "shown" | "points" | "preview" | "diffOf" | "changes"> {
  const { engine } = parts.main;
  return {
    shown: parts.shown,
    points: (signal) => pointsOf(parts, signal),
    async preview({ messageId, scope }, signal) {
      const stops = runningWork(parts.tasks).map(nameOf);
      if (scope === "conversation") return { ...NO_PREVIEW, messageId };
      const stored = await filesOf(parts);
      if (isTalkOnly({ messageId, scope }, engine, stored))
        return { ...NO_PREVIEW, messageId, notCovered: [NOT_STORED], stops };
      const preview = await stored.preview(knownFrom(messageId, engine, stored), signal);
      return { ...preview, messageId, stops };
    },
    async diffOf(messageId, path, signal) {
      const stored = await filesOf(parts);
      const found = await stored.diffOf(knownFrom(messageId, engine, stored), path, signal);
      const shown = parts.shown(path);
      return typeof found === "string" ? found.replace(path, () => shown) : { ...found, path: shown };
    },
    changes: async (range, signal) => (await parts.files())?.changes(range, parts.shown, signal),
  };
}

/** `scope`: what the store and the conversation recorded, which a redo takes back. */
type WentBack = { readonly done: RewindResult; readonly scope: RewindScope };

async function goBack(
  parts: SessionRewindsParts,
  { messageId, scope, choices }: RewindRequest,
  signal: AbortSignal,
): Promise<WentBack> {
  const { engine } = parts.main;
  assertRest(engine);
  assertPrompt(engine, messageId);
  let prompt: string | undefined;
  const moveBack = () => {
    if (scope !== "files") prompt = engine.moves.moveBefore(messageId);
  };
  if (scope === "conversation") {
    moveBack();
    await parts.followConversation(signal);
    return { done: { ...NO_FILES, ...(prompt !== undefined && { prompt }) }, scope };
  }
  const stopped = await stopWork(parts.tasks, signal);
  const stored = await filesOf(parts);
  const request = { messageId, knownFrom: knownFrom(messageId, engine, stored), scope, ...(choices && { choices }) };
  const isTalk = isTalkOnly(request, engine, stored);
  const done = isTalk ? noFiles(moveBack) : await stored.rewind(request, signal, moveBack);
  if (scope === "files") tellModel(done, parts);
  else await parts.followConversation(signal);
  const whole = { ...done, stopped, ...(prompt !== undefined && { prompt }) };
  return { done: whole, scope: isTalk ? "conversation" : scope };
}

/** `scope`: of the newest rewind; undefined if another process made it. */
type Redo = { readonly choices: RewindRequest["choices"]; readonly scope: RewindScope | undefined };

async function redoNewest(parts: SessionRewindsParts, { choices, scope }: Redo, signal: AbortSignal) {
  const { engine } = parts.main;
  assertRest(engine);
  const stored = await parts.files();
  const moved = movedBy(engine);
  const inFiles = stored?.redoable();
  const newest = scope ?? (moved && inFiles && newerOf(moved, inFiles));
  const entryId = newest === "files" ? undefined : moved?.from;
  const goForward = () => {
    if (entryId !== undefined) engine.moves.moveTo(entryId, "redo");
  };
  const hasFiles = newest !== "conversation" && inFiles !== undefined;
  if (entryId === undefined && !hasFiles) throw new UserFacingError(NOTHING_TO_REDO);
  if (!hasFiles || !stored) {
    goForward();
    await parts.followConversation(signal);
    return NO_FILES;
  }
  const stopped = await stopWork(parts.tasks, signal);
  const done = await stored.redo(choices, signal, goForward);
  if (entryId === undefined) tellModel(done, parts);
  else await parts.followConversation(signal);
  return { ...done, stopped };
}

/** Tells which of two rewinds of other processes a redo takes back: one of the files alone is no part of the other. */
function newerOf(moved: Moved, inFiles: NonNullable<ReturnType<FileRewinds["redoable"]>>): RewindScope {
  if (inFiles.scope !== "files") return "both";
  return inFiles.time >= moved.time ? "files" : "conversation";
}

async function pointsOf({ main, files }: SessionRewindsParts, signal: AbortSignal): Promise<readonly RewindPoint[]> {
  const stored = await (await files())?.points(signal);
  const byId = new Map((stored ?? []).map((point) => [point.messageId, point]));
  return promptsOf(main.engine.conversation.history(["user"])).map((prompt) => ({
    files: [],
    commands: [],
    ...byId.get(prompt.messageId),
    ...prompt,
  }));
}

/** Nothing is stored of a run that writes nothing: then a rewind of both is one of the conversation. */
function isTalkOnly(
  { messageId, scope }: Pick<RewindRequest, "messageId" | "scope">,
  engine: QueryEngine,
  stored: FileRewinds,
): boolean {
  return scope === "both" && !stored.hasSince(promptsFrom(messageId, engine));
}

/** The conversation alone goes back. */
function noFiles(goBack: () => void): RewindResult {
  goBack();
  return { ...NO_FILES, notUndone: [NOT_STORED] };
}

const NO_PREVIEW = { restores: [], deletes: [], conflicts: [], notUndone: [], notCovered: [] };
const NO_FILES: RewindResult = { restored: [], deleted: [], kept: [], notUndone: [] };

/** Finishes the files, and the conversation, of a rewind that the end of a process interrupted. @returns lines for the person. */
export async function finishRewind(
  parts: Pick<SessionRewindsParts, "main" | "files" | "shown" | "followConversation">,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { engine } = parts.main;
  // As in a rewind, the conversation goes first: a rewind whose files are finished is not found again.
  const found = await (await parts.files())?.finishInterrupted(signal, (request) => {
    const moved = movedBy(engine);
    if (!request && moved) engine.moves.moveTo(moved.from, "redo");
    if (request?.scope === "both" && hasPrompt(engine, request.messageId)) engine.moves.moveBefore(request.messageId);
  });
  if (!found) return [];
  const { request } = found;
  if (request?.scope === "files") tellModel(found, parts);
  else await parts.followConversation(signal);
  const undo = request ? " /redo takes it back." : "";
  const kept = found.kept.slice(0, MAX_NAMED_FILES).map(({ path, reason }) => `${parts.shown(path)} stays: ${reason}.`);
  return [`A rewind was interrupted; it is finished now: ${rewoundPhrase(found)}.${undo}`, ...kept];
}

/** The prompt whose checkpoint stands for a prompt. */
function knownFrom(messageId: string, engine: QueryEngine, files: Pick<FileRewinds, "knownFrom">): string {
  return files.knownFrom(promptsFrom(messageId, engine)) ?? messageId;
}

/** A prompt of the conversation and those after it, in order. @throws {UserFacingError} there is no such prompt. */
function promptsFrom(messageId: string, engine: QueryEngine): readonly string[] {
  const ids = promptsOf(engine.conversation.history(["user"])).map((prompt) => prompt.messageId);
  if (!ids.includes(messageId)) throw new UserFacingError(NO_SUCH_PROMPT);
  return ids.slice(ids.indexOf(messageId));
}

function assertPrompt(engine: QueryEngine, messageId: string): void {
  if (!hasPrompt(engine, messageId)) throw new UserFacingError(NO_SUCH_PROMPT);
}

function hasPrompt(engine: QueryEngine, messageId: string): boolean {
  return promptsOf(engine.conversation.history(["user"])).some((prompt) => prompt.messageId === messageId);
}

function promptsOf(history: readonly Entry[]): readonly Pick<RewindPoint, "messageId" | "text" | "time">[] {
  return history.flatMap((entry) =>
    entry.kind === "user" && entry.by === undefined
      ? [{ messageId: entry.message.id, text: entry.prompt, time: Date.parse(entry.time) }]
      : [],
  );
}

/** Entries that may follow a rewind. */
const ASIDE: ReadonlySet<Entry["kind"]> = new Set(["shown", "note", "setup", "worktree"]);

/** `from`: the end of the branch that a rewind left. `time`: milliseconds since the epoch. */
type Moved = { readonly from: string; readonly time: number };

/** The newest rewind of the conversation; undefined if a prompt or a redo followed it. */
function movedBy({ conversation }: QueryEngine): Moved | undefined {
  const newest = conversation.links().findLast(({ kind }) => !ASIDE.has(kind));
  if (newest?.kind !== "branch") return undefined;
  const last = conversation.history(["branch"]).at(-1);
  if (last?.kind !== "branch" || last.by !== "rewind" || last.from === null) return undefined;
  return { from: last.from, time: Date.parse(last.time) };
}

function runningWork(tasks: Pick<Tasks, "list">): readonly TaskInfo[] {
  return tasks.list().filter((task) => isOpenTask(task));
}

/** Ends everything that could go on writing. @returns the names of what was ended. */
async function stopWork(tasks: SessionRewindsParts["tasks"], signal: AbortSignal): Promise<readonly string[]> {
  const running = runningWork(tasks);
  await Promise.all(running.map(({ id }) => tasks.stop(id, signal, "person")));
  return running.map(nameOf);
}

function nameOf({ id, title }: TaskInfo): string {
  return `${id} (${oneLine(title, MAX_TITLE_COLUMNS)})`;
}

/** The model still remembers its changes, so it must learn that they are gone. */
function tellModel(
  { restored, deleted }: RewindResult,
  { main, shown }: Pick<SessionRewindsParts, "main" | "shown">,
): void {
  const changed = [...restored, ...deleted];
  if (changed.length === 0) return;
  const named = changed.map((path) => shown(path));
  main.engine.userMessages.addNote(
    `The user has set these files back to an earlier state: ${namedFew(named, MAX_NAMED_FILES)}. Read them again before you use or change them.`,
  );
}

function assertRest({ state }: QueryEngine): void {
  if (state.busy) throw new UserFacingError("A turn is running: wait for it, or press Esc first.");
}

import { join, resolve } from "node:path";
import { processEnvironment } from "../../app/process-environment.ts";
import { environmentWith } from "../../app/session/environment-with.ts";
import { openProjectEnvironment, type ProjectEnvironment } from "../../app/session/project-environment.ts";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { mapTexts } from "../../contracts/map-texts.ts";
import type { Redactor } from "../../contracts/ports.ts";
import { artifactFolder } from "../../platform/artifact-folder.ts";
import { directories } from "../../platform/directories.ts";
import { environment } from "../../platform/env.ts";
import { kindAt } from "../../platform/files/kind-at.ts";
import { host, printProblem } from "../../platform/host.ts";
import { isInside, realFolder, realPathOrSelf } from "../../platform/paths.ts";
import { readSmallText } from "../../platform/private-file.ts";
import { copyProject, placeFile, type ScratchCopy } from "../../platform/scratch/copy-project.ts";
import { printOut, printText } from "../../platform/standard-output.ts";
import { CallMatcher } from "../../services/replay/call-matcher.ts";
import { type PlaceholderFolders, withFolders, withPlaceholders } from "../../services/replay/path-placeholders.ts";
import { Playback } from "../../services/replay/playback.ts";
import { parseRecording, type Recording, type Setup } from "../../services/replay/recording.ts";
import { makeReport, type ReplayReport, renderReport } from "../../services/replay/report.ts";
import { prepareFile } from "../../services/replay/start-files.ts";
import { createTrustStore } from "../../services/trust/trust-store.ts";
import { openWorkspace } from "../../services/workspace/open-workspace.ts";
import { abortAtSignal } from "../signals.ts";
import { ownRedactor } from "./export-session.ts";
import { homeOf, placeOf, presentText, recordSession } from "./record-session.ts";
import { type ReplayEngine, type ReplayRequest, replayEngine, replayMode } from "./replay-engine.ts";

const MAX_RECORDING_BYTES = 512 * 1024 * 1024;
/** Tools that restore a secret from its placeholder. */
const RESTORING: ReadonlySet<string> = new Set(["Edit", "Write", "NotebookEdit"]);

export type ReplayOptions = {
  readonly json?: true;
  /** The folder or commit that the scratch copy is made from. */
  readonly project?: string;
  readonly keep?: true;
  readonly allowRecorded?: true;
};

type Source = {
  readonly recording: Recording;
  readonly project: string | undefined;
  /** Milliseconds since the epoch; set if the project is restored to that time as far as possible. */
  readonly since?: number | undefined;
  readonly redactor: Redactor;
  /** True if the recording is a file of unknown origin, not a session of this Quoll. */
  readonly isFile: boolean;
};

/** `quoll replay`: exits with 0 if all results are equal, with 1 if one differs. */
export async function runReplayCommand(wanted: string, options: ReplayOptions, version: string): Promise<number> {
  using signals = abortAtSignal(new Error("Interrupted."));
  try {
    const source = await openSource(wanted, options, version);
    const { report, isWhole } = await replay(source, options, version, signals.signal);
    if (signals.exitCode !== undefined) return signals.exitCode;
    if (options.json) printOut(`${JSON.stringify(report, null, 2)}\n`);
    else printText(renderReport(report));
    return report.differs > 0 || !isWhole ? 1 : 0;
  } catch (error) {
    if (signals.exitCode !== undefined) return signals.exitCode;
    throw error;
  }
}

/** @throws {UserFacingError} (exit 2) the session, file or project does not exist, or the file is not a recording. */
async function openSource(wanted: string, { project }: ReplayOptions, version: string): Promise<Source> {
  const redactor = await ownRedactor();
  const given = project === undefined ? undefined : projectFolder(project);
  const file = resolve(host().cwd, wanted);
  if (kindAt(file) === "file") {
    const recording = parseRecording(await recordingText(file, wanted), wanted);
    return { recording, project: given, redactor, isFile: true };
  }
  if (wanted.includes("/") || wanted.endsWith(".jsonl"))
    throw new UserFacingError(`There is no file ${wanted}: give the file of an export, or the id of a session.`, 2);
  const { recording, root, startedAt, warnings } = await recordSession(wanted, { version, redactor, hasProject: true });
  for (const line of warnings) printProblem(line);
  if (!recording.steps.some(({ kind }) => kind === "answer"))
    throw new UserFacingError(
      `Session ${recording.head.sessionId} has no answer from a model, so there is nothing to replay.`,
      2,
    );
  return {
    recording,
    redactor,
    isFile: false,
    ...(given === undefined ? { project: root, since: startedAt } : { project: given }),
  };
}

function projectFolder(folder: string): string {
  try {
    return realFolder(resolve(host().cwd, folder));
  } catch (cause) {
    throw new UserFacingError(`--project: the folder ${folder} can't be read: ${errorMessage(cause)}.`, 2, { cause });
  }
}

async function recordingText(file: string, name: string): Promise<string> {
  try {
    return (await readSmallText(file, MAX_RECORDING_BYTES)) ?? "";
  } catch (cause) {
    throw new UserFacingError(`${name} can't be read: ${errorMessage(cause)}.`, 2, { cause });
  }
}

type Replayed = { readonly report: ReplayReport; readonly isWhole: boolean };

async function replay(source: Source, options: ReplayOptions, version: string, signal: AbortSignal): Promise<Replayed> {
  const { recording, project, since } = source;
  const known = new Set(recording.files.flatMap(({ path, text }) => (text === null ? [] : [path])));
  const made = { root: project, signal, ...(since !== undefined && { since: { ms: since, known } }) };
  const copy = await copyProject(made).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new UserFacingError(`${project} could not be copied: ${errorMessage(cause)}.`, 1, { cause });
  });
  const artifacts = artifactFolder(undefined);
  try {
    const notes = new Set(missingNotes(source));
    for (const line of copy.notes) notes.add(`not in the copy: ${line}`);
    if (project === undefined)
      notes.add("no project was given (--project): the copy has only the recording's own files");
    const own = directories(environment());
    const places: PlaceholderFolders = { project: [copy.root], session: placeOf(artifacts.path), home: homeOf(own) };
    await prepareFiles(source, copy, places, notes);
    const scratch = await scratchEnvironment(copy.root, source);
    const player = new Player({ ...source, copy, places, environment: scratch, artifacts, version, options, notes });
    const isWhole = await player.play(signal);
    const kept = options.keep ? { kept: copy.root } : {};
    const about = { sessionId: recording.head.sessionId, notes: [...notes], ...kept };
    return { report: makeReport(player.outcomes(), about), isWhole };
  } finally {
    artifacts.dispose();
    if (!options.keep || signal.aborted) await copy.remove();
  }
}

async function prepareFiles(
  { recording, redactor }: Source,
  { root }: ScratchCopy,
  places: PlaceholderFolders,
  notes: Set<string>,
) {
  const expand = withFolders(places);
  for (const file of recording.files) {
    const held = { ...file, text: file.text === null ? null : expand(file.text) };
    const laid = prepareFile(held, await presentText(join(root, file.path), redactor));
    try {
      if (laid.what === "place") placeFile(root, file.path, laid.text);
      else if ("note" in laid) notes.add(laid.note);
    } catch (error) {
      notes.add(`${file.path} could not be restored: ${errorMessage(error)}`);
    }
  }
}

function missingNotes({ recording }: Source): readonly string[] {
  return recording.head.missing.map((line) => `not in the recording: ${line}`);
}

/** The copy is trusted if its original is, unless the recording is foreign, since its files may be settings. */
async function scratchEnvironment(root: string, { project, isFile }: Source): Promise<ProjectEnvironment> {
  const own = directories(environment());
  const store = await createTrustStore(join(own.state, "trusted-folders.json"), { home: own.home });
  const isTrusted = project !== undefined && !isFile && store.isTrusted(project);
  const opened = await openProjectEnvironment(processEnvironment(), {
    cwd: root,
    ...(isTrusted && { isTrusted: true }),
  });
  // Other folders of the workspace are not copied, so the replay does not use them.
  const workspace = openWorkspace({ cwd: root, home: own.home, addDirs: [] });
  const settings = { ...opened.settings, additionalDirectories: [] };
  return environmentWith(opened, () => ({ workspace, settings }));
}

type Playing = Source & {
  readonly copy: ScratchCopy;
  readonly places: PlaceholderFolders;
  readonly environment: ProjectEnvironment;
  readonly artifacts: ReturnType<typeof artifactFolder>;
  readonly version: string;
  readonly options: ReplayOptions;
  readonly notes: Set<string>;
};

/** Plays a recording from its first step to its last, with one engine for each process of the session. */
class Player {
  readonly #playing: Playing;
  readonly #matcher: CallMatcher;
  readonly #playback: Playback;
  readonly #answers: readonly (Recording["steps"][number] & { readonly kind: "answer" })["message"][];
  #live: ReplayEngine | undefined;
  #setup: Setup | undefined;

  constructor(playing: Playing) {
    this.#playing = playing;
    const { recording, places, redactor } = playing;
    const expand = withFolders(places);
    const hide = withPlaceholders(places);
    const steps = recording.steps.map((step) =>
      step.kind === "answer" || step.kind === "setup" ? mapTexts(step, expand) : step,
    );
    this.#matcher = new CallMatcher(steps, {
      hide,
      unplayable: ({ name, input }, { ran }) => unplayable(name, input, ran, redactor),
    });
    this.#playback = new Playback(steps, this.#matcher);
    this.#answers = steps.flatMap((step) => (step.kind === "answer" ? [step.message] : []));
  }

  outcomes() {
    return this.#matcher.outcomes();
  }

  /** @returns false if the engine ended before the recording. */
  async play(signal: AbortSignal): Promise<boolean> {
    const onAbort = () => this.#live?.engine.interrupt();
    signal.addEventListener("abort", onAbort);
    try {
      for (let move = this.#playback.next(); move; move = this.#playback.next()) {
        signal.throwIfAborted();
        if (move.kind === "setup") await this.#change(move.setup);
        else if (!(await this.#input(move.prompt))) return false;
      }
      return true;
    } finally {
      signal.removeEventListener("abort", onAbort);
      await this.#live?.close();
    }
  }

  async #input(prompt: string): Promise<boolean> {
    const live = this.#live ?? this.#start();
    const { left } = this.#playback;
    const { outcome } = await live.engine.submit({ prompt });
    if (this.#playback.left < left) return true;
    const why = "message" in outcome ? outcome.message : outcome.reason;
    this.#playing.notes.add(`the replay ended before the recording: ${why}`);
    return false;
  }

  async #change(setup: Setup): Promise<void> {
    this.#setup = setup;
    if (!setup.isStart && this.#live) {
      this.#live.engine.setMode(replayMode(setup.mode));
      return;
    }
    const restored = this.#live?.said();
    await this.#live?.close();
    this.#start(restored);
  }

  #start(restored?: ReplayRequest["restored"]): ReplayEngine {
    const { environment, artifacts, version, options, notes, copy, isFile } = this.#playing;
    // Each process starts in its recorded folder, even if the previous one had moved.
    const cwd = realPathOrSelf(this.#setup?.cwd ?? copy.root);
    environment.workspace.moveTo(isInside(copy.root, cwd) && kindAt(cwd) === "folder" ? cwd : copy.root);
    this.#live = replayEngine({
      environment,
      playback: this.#playback,
      matcher: this.#matcher,
      artifacts,
      version,
      allowsRecorded: options.allowRecorded ?? false,
      isForeign: isFile,
      setup: this.#setup,
      answers: this.#answers,
      restored,
      note: (line) => notes.add(line),
    });
    return this.#live;
  }
}

/** The reason why a call cannot run regardless of permissions; undefined if it can. */
function unplayable(
  name: string,
  input: Readonly<Record<string, unknown>>,
  ran: boolean,
  redactor: Redactor,
): string | undefined {
  if (!ran) return undefined;
  const text = JSON.stringify(input);
  if (/\bbash-[0-9a-f]{8}\.log\b/.test(text)) return "it reads an output file that existed only during the session";
  const holdsSecret = !RESTORING.has(name) && redactor.placeholdersIn(text).length > 0;
  return holdsSecret ? "its input held a secret, which is not in the recording" : undefined;
}

import type { Progress } from "../../../contracts/display.ts";
import type { Files } from "../../../contracts/files.ts";
import type { NamedPath } from "../../../contracts/ports.ts";
import type { TaskInfo } from "../../../contracts/task.ts";
import { type ToolContext, type ToolResult, textResult } from "../../../contracts/tool.ts";
import { realPathOrSelf } from "../../../platform/paths.ts";
import { withheldHint } from "../../../platform/processes/credential-variables.ts";
import { appendLines, removeFiles } from "../../../platform/processes/output-file.ts";
import type { ReadTracker } from "../read-tracker.ts";
import type { BackgroundShells } from "./background-shells.ts";
import {
  type ApprovedCommand,
  type BashDeps,
  type BashInput,
  bashFor,
  descriptionOf,
  type JudgedCommand,
  placeNote,
} from "./bash-call.ts";
import { collectOutput } from "./collect-output.ts";
import { describeRun, displayOf, isFailure } from "./describe-run.ts";
import { exitAnswer, failedInPipe } from "./exit-answer.ts";
import { planTracking, settleTracking, withoutComplaints } from "./git-tracking.ts";
import type { BashLimits } from "./limits.ts";
import { type CommandRun, releasable, runCommand } from "./run-command.ts";
import { watchPorts } from "./run-in-background.ts";
import { hiddenNote } from "./searched-secrets.ts";
import { filesOfSed, noteSedLines } from "./sed-lines.ts";
import { settleFolder } from "./working-folder.ts";

/** The maximum number of new files of one command that are noted. */
const MAX_NEW_FILES = 10;

/** Time from the end of a command until its output is read. */
const NEWS_MS = 100;

/**
 * Runs an approved command to its end, or until it is moved to the background.
 * @throws {ToolFailedError} the shell can't be started.
 * @throws the abort reason of the call before the command runs.
 */
export async function runInForeground(
  input: BashInput,
  shell: ApprovedCommand & { readonly mayMove: boolean; readonly endsInPipe: boolean; readonly limits: BashLimits },
  deps: BashDeps,
  context: ToolContext,
  report: (progress: Progress) => void,
): Promise<ToolResult> {
  const { signal } = context;
  signal.throwIfAborted();
  const { limits } = shell;
  const { artifacts, workspace, clock, shells } = deps;
  const timeoutMs = Math.min(input.timeout ?? limits.defaultTimeoutMs, limits.maxTimeoutMs);
  const request = { ...shell, bash: bashFor(shell, workspace), directory: artifacts.directory, timeoutMs };
  const place = { cwd: shell.cwd, workspace, env: shell.env };
  const tracking = shell.confine ? planTracking(shell.commands, place) : undefined;
  const edited = await filesOfSed(shell.commands, shell.named, context);
  const missing = await missingFiles(shell.named, context.files);
  const run = await releasable(context, (released) =>
    runCommand(request, { clock, shells, limits, released }, signal, report),
  );
  try {
    const size = await run.output.size();
    const how = { maxChars: limits.maxResultChars, fold: !shell.onlyReads };
    const output = await collectOutput(run.output, { start: 0, end: size }, how);
    if (run.endedBy === "itself") await run.follower.step(Number.POSITIVE_INFINITY);
    const isKept = run.leftBehind.length > 0 || run.endedBy === "released";
    const left = isKept ? keepRunning(input, run, shell, deps, context) : undefined;
    const settled = shell.folderNote === undefined ? settleFolder(workspace, shell.cwd, run.endFolder) : {};
    const folderNote = shell.folderNote ?? settled.note;
    const changes = run.endedBy === "interrupt" || left ? [] : await run.changes;
    const answered = tracking && run.endedBy === "itself" ? await settleTracking(tracking, place, signal) : 0;
    const text = withoutComplaints(output.text, answered);
    const answer = run.endedBy === "itself" ? meaningOf(run, shell, text) : undefined;
    const isError = isFailure(run) && answer === undefined;
    const hidden = shell.confine ? hiddenNote([...shell.hidden, ...run.hiddenSecrets], shell.cwd, shell.opened) : [];
    const where = placeNote(shell);
    const hints = [
      ...changes,
      ...hidden,
      ...where,
      ...(isError ? hintsFor(shell, deps, { run, output: output.text }) : []),
    ];
    const { hasTool } = context;
    const notes = { ...limits, text, timeoutMs, answer, left, folderNote, hints, hasTool };
    if (output.isWhole && left === undefined) discardLog(run, deps.shells);
    if (shell.named.length > 0 && !left) {
      const { files } = context;
      if (missing.length > 0) await noteCreated(missing, { files, tracker: await deps.tracker() });
      if (edited.length > 0) await noteSedLines(edited, { files, signal, tracker: await deps.tracker() });
      await noteFiles(shell, output.isWhole ? text : undefined, deps, context);
    }
    return textResult(describeRun(run, notes), {
      isError,
      ...(run.endedBy === "interrupt" && { end: { kind: "interrupted" } }),
      ...(settled.movedTo !== undefined && { movedTo: settled.movedTo }),
      ...(!output.isWhole && output.note === undefined && { wholeIn: run.output.path }),
      display: displayOf(input.command, run, {
        left,
        clean: (tail) => withoutComplaints(tail, answered),
        instead: output.note,
        place: shell.opened ? [...where, ...hidden] : where,
      }),
      exemptFromSpill: true,
    });
  } finally {
    await run.output.close();
  }
}

/** The part of the end that the exit code of the line does not say. */
function meaningOf(
  { exit, pipeCodes }: CommandRun,
  { command, commands }: JudgedCommand,
  text: string,
): string | undefined {
  if (exit?.exitCode === 1) return exitAnswer(command, commands, text);
  return exit?.exitCode === 0 ? failedInPipe(pipeCodes, commands) : undefined;
}

/** @param output Undefined if the model gets only a part of it. */
async function noteFiles(
  { command, named }: JudgedCommand,
  output: string | undefined,
  deps: BashDeps,
  { files, signal }: ToolContext,
): Promise<void> {
  const [{ noteKnownFiles }, tracker] = await Promise.all([import("./note-known-files.ts"), deps.tracker()]);
  await noteKnownFiles(named, { command, output }, { tracker, files, signal });
}

/** Possible reasons of a failure, besides the command itself. */
function hintsFor(
  { confine, command }: ApprovedCommand,
  { sandbox, credentials }: BashDeps,
  { run, output }: { readonly run: CommandRun; readonly output: string },
): readonly string[] {
  const ended = { command, exitCode: run.exit?.exitCode };
  const isExplained = confine !== undefined && (run.endedBy === "itself" || run.endedBy === "timeout");
  const fromSandbox = isExplained ? sandbox.explainFailure(output, run.durationMs + NEWS_MS, ended) : undefined;
  const hints = [fromSandbox, withheldHint(output, credentials.withheld)];
  return hints.filter((hint) => hint !== undefined);
}

function keepRunning(
  input: BashInput,
  run: CommandRun,
  { confine }: ApprovedCommand,
  { shells, ports }: BashDeps,
  context: ToolContext,
): TaskInfo {
  const task = shells.add({
    owner: context.agent,
    spawn: run.running,
    command: input.command,
    description: descriptionOf(input),
    logPath: run.output.path,
    exited:
      run.endedBy === "released"
        ? run.running.exited
        : Promise.resolve(run.exit ?? { exitCode: undefined, signal: undefined }),
    ranMs: run.durationMs,
  });
  if (run.endedBy === "released") shells.settle(run.changes.then((changes) => appendLines(run.output.path, changes)));
  if (confine) watchPorts(task, run.running, { tasks: context.tasks, ports });
  return task;
}

/**
 * The model has the whole output, so the file is deleted. After an early end, the file may still be written to for a
 * moment.
 */
function discardLog({ stopped, output }: CommandRun, shells: BackgroundShells): void {
  shells.settle(stopped.then(() => removeFiles([output.path])));
}

/** The files that a command would write and that do not exist yet. */
async function missingFiles(named: readonly NamedPath[], files: Files): Promise<readonly string[]> {
  const written = new Set(named.flatMap(({ action, path }) => (action === "write" ? [realPathOrSelf(path)] : [])));
  const found: string[] = [];
  for (const path of [...written].slice(0, MAX_NEW_FILES)) {
    const stamp = await files.stamp(path).catch(() => null);
    if (stamp === undefined) found.push(path);
  }
  return found;
}

/** Notes which of these files the command created. */
async function noteCreated(
  missing: readonly string[],
  { files, tracker }: { readonly files: Files; readonly tracker: ReadTracker },
): Promise<void> {
  for (const path of missing) {
    const stamp = await files.stamp(path).catch(() => undefined);
    if (stamp?.kind === "file") tracker.created.add(path, stamp);
  }
}

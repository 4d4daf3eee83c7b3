import { lazy } from "@quoll/async/lazy";
import { z } from "zod";
import { assertNotCleared } from "../../../contracts/cleared-input.ts";
import { defineTool } from "../../../contracts/define-tool.ts";
import type { Progress } from "../../../contracts/display.ts";
import { InvalidInputError, ToolFailedError } from "../../../contracts/errors.ts";
import type { NamedPath } from "../../../contracts/ports.ts";
import type { Subject } from "../../../contracts/subject.ts";
import type { TaskInfo } from "../../../contracts/task.ts";
import { type Tool, type ToolContext, type ToolResult, textResult } from "../../../contracts/tool.ts";
import { childEnvironment } from "../../../platform/processes/child-environment.ts";
import { withheldHint } from "../../../platform/processes/credential-variables.ts";
import { appendLines, removeFiles } from "../../../platform/processes/output-file.ts";
import type { BackgroundShells } from "./background-shells.ts";
import {
  type ApprovedCommand,
  type BashDeps,
  type BashInput,
  bashFor,
  descriptionOf,
  type JudgedCommand,
  mixedFiles,
  outsideNote,
  placeNote,
  startRequest,
  titleOf,
} from "./bash-call.ts";
import { collectOutput } from "./collect-output.ts";
import { describeRun, displayOf, isFailure } from "./describe-run.ts";
import { exitAnswer } from "./exit-answer.ts";
import { foundFiles } from "./found-files.ts";
import { gitIncomingNames } from "./git-incoming-names.ts";
import { planTracking, settleTracking, withoutComplaints } from "./git-tracking.ts";
import { BASH_LIMITS, type BashLimits } from "./limits.ts";
import { missingFiles, noteCreated } from "./new-files.ts";
import { areReadOnly } from "./plain-names.ts";
import { type CommandRun, releasable, runCommand } from "./run-command.ts";
import { runInBackground, watchedIn, watchPorts } from "./run-in-background.ts";
import { hiddenNote, hiddenOf } from "./searched-secrets.ts";
import { filesOfSed, noteSedLines } from "./sed-lines.ts";
import { judgeShell } from "./shell-subjects.ts";
import { bashSpec } from "./spec.ts";
import { presentFolder, settleFolder } from "./working-folder.ts";

export const bashInput = z.object({
  command: z.string().min(1),
  description: z.string().optional().describe("What it does, in 5 to 10 words, for the person"),
  timeout: z.number().min(1).optional().describe("Milliseconds; default 120000, at most 600000"),
  run_in_background: z.boolean().optional().describe("Return at once with a task_id"),
  notify_on: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe("In the background: you are told each output line with this text; `ready|error`: either"),
  dangerouslyDisableSandbox: z.boolean().optional().describe("Ask the user; only after the sandbox stopped it"),
});

/** Time from the end of a command until its output is read. */
const NEWS_MS = 100;
const WARM_UP_LINES = [
  "ls -la",
  "cd src && grep -rn 'a b' . | head -20",
  'for f in *.ts; do echo "$f"; done > out.txt 2>&1',
];

/** Runs a command in bash. bash.md is the description for the model; shell-subjects.ts determines what permissions judge. */
export function bashTool(deps: BashDeps): Tool {
  // The limits of the settings may change between calls.
  const limitsNow = (): BashLimits => ({ ...BASH_LIMITS, ...deps.limits });
  const tool = defineTool(bashSpec, bashInput, async (input, context) => {
    const { command } = input;
    if (command.trim() === "") throw new InvalidInputError("The command is empty.");
    if (command.includes("\0"))
      throw new InvalidInputError("The command holds a NUL character, which bash can't be given.");
    assertNotCleared(command);
    const watched = watchedIn(input);
    const { cwd, note } = presentFolder(deps.workspace, context.cwd);
    const path = await deps.userPath();
    const parser = await deps.shellParser();
    const parsed = parser.parse(command);
    const place = { workspace: deps.workspace, cwd, parser, isHidden: (file: string) => deps.isHidden(file) };
    const env = childEnvironment(deps.environment, { path, tag: crypto.randomUUID(), pass: deps.credentials.passed });
    const { roots } = deps.workspace;
    const tree = { roots, env, contains: (file: string) => deps.workspace.contains(file) };
    const view = await deps.temporary?.();
    const judged = await judgeShell(command, parsed, {
      ...place,
      env,
      temporary: view,
      brings: (one, folder) => gitIncomingNames(one, folder, tree, context.signal),
      isTrusted: deps.isTrusted,
      onlyLooks: parsed.understood && areReadOnly(parsed.commands),
      found: parsed.understood ? await foundFiles(command, parsed.commands, place) : undefined,
    });
    const mixed = mixedFiles(judged.subjects);
    if (mixed !== undefined) throw new ToolFailedError(mixed);
    const isBackground = input.run_in_background ?? false;
    const shell = {
      command,
      cwd,
      path,
      folderNote: note,
      commands: judged.commands,
      onlyReads: judged.readOnly,
      named: namedIn(judged.subjects),
      temporary: view,
      outsideNote: outsideNote(command, judged.subjects, view),
      hidden: hiddenOf(judged.subjects, (file) => deps.isHidden(file)),
    };
    return {
      level: judged.readOnly ? "read" : "execute",
      concurrencySafe: judged.readOnly && !judged.movesFolder && !isBackground && note === undefined,
      subjects: judged.subjects,
      title: titleOf(command),
      preview: { kind: "command", command, description: input.description ?? "", unclear: judged.unclear },
      ...(input.dangerouslyDisableSandbox && { wantsOutside: true }),
      run: async (grant, report) => {
        const request = await startRequest(shell, deps, grant, context);
        return isBackground
          ? runInBackground(input, { ...request, watched }, deps, context)
          : runInForeground(
              input,
              { ...request, mayMove: judged.movesFolder },
              { ...deps, limits: limitsNow() },
              context,
              report,
            );
      },
    };
  });
  return { ...tool, load: lazy(async () => void (await Promise.all([deps.userPath(), warmParser(deps)]))) };
}

/** A parser's first lines take fifty times as long as later lines. Between two lines, other work has its turn. */
async function warmParser({ shellParser }: BashDeps): Promise<void> {
  const parser = await shellParser();
  for (const line of WARM_UP_LINES) {
    parser.parse(line);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function namedIn(subjects: readonly Subject[]): readonly NamedPath[] {
  return subjects.flatMap((subject) =>
    subject.action === "read" || subject.action === "write"
      ? [{ action: subject.action, path: subject.path }]
      : subject.action === "execute"
        ? (subject.brings ?? []).map((path) => ({ action: "write" as const, path }))
        : [],
  );
}

async function runInForeground(
  input: BashInput,
  shell: ApprovedCommand & { readonly mayMove: boolean },
  deps: BashDeps & { readonly limits: BashLimits },
  context: ToolContext,
  report: (progress: Progress) => void,
): Promise<ToolResult> {
  const { signal } = context;
  signal.throwIfAborted();
  const { limits, artifacts, workspace } = deps;
  const timeoutMs = Math.min(input.timeout ?? limits.defaultTimeoutMs, limits.maxTimeoutMs);
  const request = { ...shell, bash: bashFor(shell, workspace), directory: artifacts.directory, timeoutMs };
  const place = { cwd: shell.cwd, workspace, env: shell.env };
  const tracking = shell.confine ? planTracking(shell.commands, place) : undefined;
  const edited = await filesOfSed(shell.commands, shell.named, context);
  const missing = await missingFiles(shell.named, context.files);
  const run = await releasable(context, (released) => runCommand(request, { ...deps, released }, signal, report));
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
    const answer =
      run.endedBy === "itself" && run.exit?.exitCode === 1
        ? exitAnswer(shell.command, shell.commands, text)
        : undefined;
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
      if (missing.length > 0) await noteCreated(missing, { files: context.files, tracker: await deps.tracker() });
      if (edited.length > 0) await noteSedLines(edited, { ...context, tracker: await deps.tracker() });
      await noteFiles(shell, output.isWhole ? text : undefined, deps, context);
    }
    return textResult(describeRun(run, notes), {
      isError,
      ...(run.endedBy === "interrupt" && { end: { kind: "interrupted" } }),
      ...(settled.movedTo !== undefined && { movedTo: settled.movedTo }),
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

import { basename, join } from "node:path";
import { once } from "@quoll/async/once";
import type { ShellParser, SimpleCommand } from "@quoll/bash-syntax/types";
import { assertNotCleared } from "../../../contracts/cleared-input.ts";
import { defineTool } from "../../../contracts/define-tool.ts";
import type { Progress } from "../../../contracts/display.ts";
import { InvalidInputError, ToolFailedError } from "../../../contracts/errors.ts";
import type {
  ArtifactStore,
  Clock,
  NamedPath,
  Sandbox,
  SessionTemporary,
  Workspace,
} from "../../../contracts/ports.ts";
import { promptText } from "../../../contracts/prompt-text.ts";
import type { Grant, OpenedNetwork, Subject } from "../../../contracts/subject.ts";
import type { TaskInfo } from "../../../contracts/task.ts";
import { type Tool, type ToolContext, type ToolResult, textResult } from "../../../contracts/tool.ts";
import type { Environment } from "../../../platform/env.ts";
import { childEnvironment } from "../../../platform/processes/child-environment.ts";
import { withheldHint } from "../../../platform/processes/credential-variables.ts";
import { findBash } from "../../../platform/processes/find-program.ts";
import { appendLines, newOutputName, removeFiles } from "../../../platform/processes/output-file.ts";
import type { ReadTracker } from "../read-tracker.ts";
import type { BackgroundShells, Watched } from "./background-shells.ts";
import { collectOutput } from "./collect-output.ts";
import { titleOf } from "./command-title.ts";
import type { Credentials } from "./credentials.ts";
import { describeRun, displayOf, isFailure, sandboxEnd } from "./describe-run.ts";
import { exitAnswer } from "./exit-answer.ts";
import { foundFiles } from "./found-files.ts";
import { gitIncomingNames } from "./git-incoming-names.ts";
import { planTracking, settleTracking, withoutComplaints } from "./git-tracking.ts";
import { bashInput } from "./input.ts";
import { BASH_LIMITS, type BashLimits } from "./limits.ts";
import { missingFiles, noteCreated } from "./new-files.ts";
import { areReadOnly } from "./plain-names.ts";
import { releasable } from "./release-call.ts";
import { type CommandRequest, type CommandRun, runCommand, type StartedBash, startBash } from "./run-command.ts";
import { hiddenNote, hiddenOf } from "./searched-secrets.ts";
import { filesOfSed, noteSedLines } from "./sed-lines.ts";
import type { ServerPorts } from "./server-ports.ts";
import { mayLeaveProcesses, prepareShell } from "./shell-start.ts";
import { judgeShell } from "./shell-subjects.ts";
import { bashSpec } from "./spec.ts";
import { mixedFiles, outsideNote } from "./temporary-files.ts";
import { watchPorts } from "./watch-ports.ts";
import { WatchedLines } from "./watched-lines.ts";
import { presentFolder, settleFolder } from "./working-folder.ts";

/** Time from the end of a command until its output is read. */
const NEWS_MS = 100;
const WARM_UP_LINES = [
  "ls -la",
  "cd src && grep -rn 'a b' . | head -20",
  'for f in *.ts; do echo "$f"; done > out.txt 2>&1',
];

export type BashDeps = {
  readonly workspace: Workspace;
  readonly artifacts: ArtifactStore;
  readonly clock: Clock;
  /** Background tasks, and the ends of interrupted commands. */
  readonly shells: BackgroundShells;
  /** Opens ports on which confined tasks listen; undefined if nobody could use them. */
  readonly ports?: ServerPorts;
  /** Records the files that the model has seen. */
  tracker(): Promise<ReadTracker>;
  /** Loaded at the first call. */
  shellParser(): Promise<ShellParser>;
  /** The search path for commands. */
  userPath(): Promise<string>;
  /** True if a file's text may not be shown without asking: it contains secrets, or a rule restricts reading it. */
  isHidden(path: string): boolean;
  /** The environment that commands inherit, before withheld variables are removed. */
  readonly environment: Environment;
  /** The credentials in the environment that commands may get. */
  readonly credentials: Credentials;
  /** Undefined if commands always run unconfined. */
  readonly sandbox: Sandbox | undefined;
  /** The session's folder for temporary files; undefined if commands see the machine's own. */
  readonly temporary?: (() => Promise<SessionTemporary | undefined>) | undefined;
  /** True if the person has trusted this folder. */
  readonly isTrusted: boolean;
  /** True if the session ends with its first complete answer. */
  readonly isOneTurn?: boolean | undefined;
  readonly limits?: Partial<BashLimits>;
};

type Input = {
  command: string;
  description?: string | undefined;
  timeout?: number | undefined;
  run_in_background?: boolean | undefined;
  notify_on?: string | undefined;
  dangerouslyDisableSandbox?: boolean | undefined;
};

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
      ...(deps.sandbox && { brings: (one, folder) => gitIncomingNames(one, folder, tree, context.signal) }),
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
  return { ...tool, load: once(async () => void (await Promise.all([deps.userPath(), warmParser(deps)]))) };
}

/** A parser's first lines take fifty times as long as later lines. Between two lines, other work has its turn. */
async function warmParser({ shellParser }: BashDeps): Promise<void> {
  const parser = await shellParser();
  for (const line of WARM_UP_LINES) {
    parser.parse(line);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

type Judged = Pick<CommandRequest, "command" | "cwd"> & {
  readonly path: string;
  readonly folderNote: string | undefined;
  readonly commands: readonly SimpleCommand[];
  readonly named: readonly NamedPath[];
  /** Files that a search would find and that may not be shown; masked in the sandbox. */
  readonly hidden: readonly string[];
  readonly temporary: SessionTemporary | undefined;
  /** The note about temporary files if the command runs outside the sandbox. */
  readonly outsideNote: string | undefined;
  /** The paths that the command prints by request. */
  readonly onlyReads: boolean;
};
type Shell = Judged &
  Omit<CommandRequest, "bash" | "directory" | "timeoutMs" | "mayMove"> & {
    /** The network opened for this command alone. */
    readonly opened?: OpenedNetwork | undefined;
    /** True if there is a sandbox, and the command runs outside it. */
    readonly isOutside: boolean;
  };

/**
 * The command's start conditions, after its approval. The environment is built this late because a person may be asked
 * about it.
 */
async function startRequest(
  shell: Judged,
  { credentials, environment, sandbox }: BashDeps,
  grant: Grant,
  { toolUseId, signal }: ToolContext,
): Promise<Shell> {
  const tag = crypto.randomUUID();
  const offered = await credentials.offer(shell.commands, toolUseId, signal);
  const env = childEnvironment(environment, { path: shell.path, tag, pass: [...credentials.passed, ...offered] });
  if (grant.confinement === "none")
    return {
      ...shell,
      tag,
      // A command that names the variable means the folder that was judged.
      env: shell.temporary && namesVariable(shell.command) ? { ...env, TMPDIR: shell.temporary.inside } : env,
      confine: undefined,
      isOutside: grant.isOutside === true,
      beginOutside:
        sandbox && ((abort) => sandbox.beginOutside({ makes: writtenBy(shell.named), mayMakeMore: true }, abort)),
    };
  if (!sandbox) throw new ToolFailedError("The sandbox of this command does not exist: nothing was run.");
  return {
    ...shell,
    tag,
    env,
    isOutside: false,
    opened: grant.opened,
    confine: (start, abort) =>
      sandbox.confine(
        {
          ...start,
          ...{ named: shell.named, hidden: shell.hidden, command: titleOf(shell.command) },
          ...(grant.opened && { opened: grant.opened }),
        },
        abort,
      ),
  };
}

function namesVariable(command: string): boolean {
  return /TMPDIR/.test(command);
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

function writtenBy(named: readonly NamedPath[]): readonly string[] {
  return named.filter(({ action }) => action === "write").map(({ path }) => path);
}

function bashFor({ path }: Shell, workspace: Workspace): string {
  const bash = findBash(path, (file) => !workspace.contains(file));
  if (bash === undefined)
    throw new ToolFailedError(
      "There is no bash on this machine, in the system's folders or in PATH. Install it to run commands.",
    );
  return bash;
}

async function runInForeground(
  input: Input,
  shell: Shell & { readonly mayMove: boolean },
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
    const folderNote = shell.folderNote ?? settleFolder(workspace, shell.cwd, run.endFolder);
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
    prepareNext(request, run, deps);
  }
}

/** Makes what the next command would wait for. After a confined command, the next one is probably confined too. */
function prepareNext(
  shell: Shell & Pick<CommandRequest, "bash">,
  { endedBy }: Pick<CommandRun, "endedBy">,
  { artifacts, credentials, environment, sandbox, shells, workspace }: BashDeps,
): void {
  const directory = () => artifacts.directory;
  shells.outputs.prepare(directory);
  if (!shell.confine || !sandbox || endedBy !== "itself") return;
  const env = (tag: string) => childEnvironment(environment, { path: shell.path, tag, pass: credentials.passed });
  const { cwd } = workspace;
  shells.waiting.prepare({ bash: shell.bash, cwd, env, directory, sandbox });
}

/** @param output Undefined if the model gets only a part of it. */
async function noteFiles(
  { command, named }: Judged,
  output: string | undefined,
  deps: BashDeps,
  { files, signal }: ToolContext,
): Promise<void> {
  const [{ noteKnownFiles }, tracker] = await Promise.all([import("./note-known-files.ts"), deps.tracker()]);
  await noteKnownFiles(named, { command, output }, { tracker, files, signal });
}

/** Where a command runs, if not in the sandbox as it always does. */
function placeNote({ opened, isOutside, onlyReads, confine, outsideNote }: Shell): readonly string[] {
  if (opened) return [`in the sandbox, with the network: ${hostsIn(opened)}`];
  if (!confine && outsideNote !== undefined) return [outsideNote];
  return isOutside && !onlyReads ? ["outside the sandbox"] : [];
}

function hostsIn({ hosts }: OpenedNetwork): string {
  return hosts.map(({ host, port }) => (port === undefined ? host : `${host}:${port}`)).join(", ");
}

/** Possible reasons of a failure, besides the command itself. */
function hintsFor(
  { confine, command }: Shell,
  { sandbox, credentials }: BashDeps,
  { run, output }: { readonly run: CommandRun; readonly output: string },
): readonly string[] {
  const ended = { command, exitCode: run.exit?.exitCode };
  const isExplained = confine !== undefined && (run.endedBy === "itself" || run.endedBy === "timeout");
  const fromSandbox = isExplained ? sandbox?.explainFailure(output, run.durationMs + NEWS_MS, ended) : undefined;
  const hints = [fromSandbox, withheldHint(output, credentials.withheld)];
  return hints.filter((hint) => hint !== undefined);
}

function keepRunning(
  input: Input,
  run: CommandRun,
  { confine }: Shell,
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

const FOLLOW =
  "{{if TaskOutput TaskStop}}Follow it with TaskOutput, end it with TaskStop.{{else}}Read that file to follow it; it ends with the session.{{end}}";

/** @throws {InvalidInputError} the command does not run in the background, or the text can't be looked for. */
function watchedIn({ notify_on: pattern, run_in_background: isBackground }: Input): Watched | undefined {
  if (pattern === undefined) return undefined;
  if (isBackground !== true)
    throw new InvalidInputError("`notify_on` needs `run_in_background`: you get all output of this command anyway.");
  return { pattern, lines: new WatchedLines(pattern) };
}

async function runInBackground(
  input: Input,
  { watched, ...shell }: Shell & { readonly watched: Watched | undefined },
  deps: BashDeps,
  context: ToolContext,
): Promise<ToolResult> {
  const outputPath = join(deps.artifacts.directory, newOutputName());
  const request = { ...shell, bash: bashFor(shell, deps.workspace) };
  const running = await startInBackground(request, outputPath, deps, context.signal);
  const task = deps.shells.add({
    owner: context.agent,
    spawn: running,
    command: input.command,
    description: descriptionOf(input),
    logPath: outputPath,
    exited: running.exited,
    timeoutMs: input.timeout,
    ...(watched && { watched }),
  });
  const { id } = task;
  if (shell.confine) watchPorts(task, running, { tasks: context.tasks, ports: deps.ports });
  const hidden = shell.opened ? hiddenNote(running.hiddenSecrets, shell.cwd, shell.opened) : [];
  const notes = [...(shell.folderNote === undefined ? [] : [shell.folderNote]), ...hidden, ...placeNote(shell)];
  const note = notes.map((one) => `\n[${one}]`).join("");
  const limit = input.timeout === undefined ? "" : ` It is ended at its timeout of ${input.timeout} ms.`;
  const advice = `${promptText(FOLLOW, context.hasTool)}${limit}${endWith(deps, context)}`;
  return textResult(`Started in the background as task ${id}; its output goes to ${outputPath}. ${advice}${note}`, {
    display: { kind: "summary", text: `started in the background as ${id}` },
  });
}

/** The log of the task shows the changes of the command, and the processes that ended with its sandbox. */
async function startInBackground(
  request: Omit<CommandRequest, "directory" | "timeoutMs" | "mayMove">,
  outputPath: string,
  { artifacts, shells }: BashDeps,
  signal: AbortSignal,
): Promise<StartedBash> {
  const free = shells.reserve();
  const reports = request.confine !== undefined && mayLeaveProcesses(request.command);
  try {
    const start = reports ? await prepareShell(artifacts.directory, basename(outputPath, ".log"), true) : undefined;
    const how = { outputPath, shells, isBackground: true, reports, ...(start && { start }) };
    const running = await startBash(request, how, signal);
    const logged = running.changes.then(async (changes) => {
      const left = (await running.isGone) ? (start?.leftBehind() ?? []) : [];
      await removeFiles(start?.files ?? []);
      await appendLines(outputPath, [...changes, ...sandboxEnd(left)]);
    });
    shells.settle(logged);
    // The end of the task is told when the log is complete.
    return start ? { ...running, exited: logged.then(() => running.exited) } : running;
  } finally {
    free();
  }
}

/** Nobody waits for the background commands of an agent, or of a run with one prompt. */
function endWith({ isOneTurn }: BashDeps, { agent, hasTool }: ToolContext): string {
  if (agent.parentAgentId === null && !isOneTurn) return "";
  const wait = hasTool("TaskOutput") ? "wait for it with TaskOutput before that" : "run it in the foreground";
  return ` It is ended with your final answer, which does not wait for it: if you need its result, ${wait}.`;
}

/**
 * The model has the whole output, so the file is deleted. After an early end, the file may still be written to for a
 * moment.
 */
function discardLog({ stopped, output }: CommandRun, shells: BackgroundShells): void {
  shells.settle(stopped.then(() => removeFiles([output.path])));
}

/** The command itself, if the model gave no description. */
function descriptionOf({ command, description = "" }: Input): string {
  return description.trim() === "" ? titleOf(command) : description;
}

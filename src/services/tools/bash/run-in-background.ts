import { join } from "node:path";
import { InvalidInputError } from "../../../contracts/errors.ts";
import { promptText } from "../../../contracts/prompt-text.ts";
import type { TaskInfo, Tasks } from "../../../contracts/task.ts";
import { type ToolContext, type ToolResult, textResult } from "../../../contracts/tool.ts";
import { appendLines, newOutputName, removeFiles } from "../../../platform/processes/output-file.ts";
import type { Spawn } from "../../../platform/processes/process-table.ts";
import type { Watched } from "./background-shells.ts";
import { type ApprovedCommand, type BashDeps, type BashInput, bashFor, descriptionOf, placeNote } from "./bash-call.ts";
import { sandboxEnd } from "./describe-run.ts";
import { hiddenNote } from "./searched-secrets.ts";
import type { ServerPorts } from "./server-ports.ts";
import { type BashRequest, type StartedBash, startBash } from "./start-bash.ts";
import { WatchedLines } from "./watched-lines.ts";

const FOLLOW =
  "{{if TaskOutput TaskStop}}Follow it with TaskOutput, end it with TaskStop.{{else}}Read that file to follow it; it ends with the session.{{end}}";

/** @throws {InvalidInputError} the command does not run in the background, or the text can't be looked for. */
export function watchedIn({ notify_on: pattern, run_in_background: isBackground }: BashInput): Watched | undefined {
  if (pattern === undefined) return undefined;
  if (isBackground !== true)
    throw new InvalidInputError("`notify_on` needs `run_in_background`: you get all output of this command anyway.");
  return { pattern, lines: new WatchedLines(pattern) };
}

export async function runInBackground(
  input: BashInput,
  { watched, ...shell }: ApprovedCommand & { readonly watched: Watched | undefined },
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
  request: Omit<BashRequest, "mayMove" | "endsInPipe">,
  outputPath: string,
  { shells }: BashDeps,
  signal: AbortSignal,
): Promise<StartedBash> {
  shells.assertRoom();
  const how = { outputPath, shells, isBackground: true };
  const running = await startBash({ ...request, mayMove: false, endsInPipe: false }, how, signal);
  const { report } = running;
  const logged = running.changes.then(async (changes) => {
    const left = (await running.isGone) ? (report?.leftBehind() ?? []) : [];
    await removeFiles(report?.files ?? []);
    await appendLines(outputPath, [...changes, ...sandboxEnd(left)]);
  });
  shells.settle(logged);
  // The end of the task is told when the log is complete.
  return report ? { ...running, exited: logged.then(() => running.exited) } : running;
}

/** Nobody waits for the background commands of an agent, or of a run with one prompt. */
function endWith({ isOneTurn }: BashDeps, { agent, hasTool }: ToolContext): string {
  if (agent.parentAgentId === null && !isOneTurn) return "";
  const wait = hasTool("TaskOutput") ? "wait for it with TaskOutput before that" : "run it in the foreground";
  return ` It is ended with your final answer, which does not wait for it: if you need its result, ${wait}.`;
}

/** Offers the person the ports on which a confined background task listens, while the task runs. */
export function watchPorts(
  { id, title: command }: TaskInfo,
  spawn: Spawn,
  { tasks, ports }: { readonly tasks: Tasks; readonly ports: ServerPorts | undefined },
): void {
  void ports?.watch({
    id,
    command,
    spawn,
    isRunning: () => tasks.list().some((task) => task.id === id && task.status === "running"),
  });
}

import { lazy } from "@quoll/async/lazy";
import { z } from "zod";
import { assertNotCleared } from "../../../contracts/cleared-input.ts";
import { defineTool } from "../../../contracts/define-tool.ts";
import { InvalidInputError, ToolFailedError } from "../../../contracts/errors.ts";
import type { NamedPath } from "../../../contracts/ports.ts";
import type { Subject } from "../../../contracts/subject.ts";
import type { Tool, ToolContext } from "../../../contracts/tool.ts";
import { childEnvironment } from "../../../platform/processes/child-environment.ts";
import { approvedCommand, type BashDeps, type JudgedCommand, mixedFiles, outsideNote, titleOf } from "./bash-call.ts";
import { endsInPipe } from "./exit-answer.ts";
import { foundFiles } from "./found-files.ts";
import { gitIncomingNames } from "./git-incoming-names.ts";
import { BASH_LIMITS, type BashLimits } from "./limits.ts";
import { areReadOnly } from "./plain-names.ts";
import { runInBackground, watchedIn } from "./run-in-background.ts";
import { runInForeground } from "./run-in-foreground.ts";
import { hiddenOf, secretsBehindMove } from "./searched-secrets.ts";
import { judgeShell } from "./shell-subjects.ts";
import { bashSpec } from "./spec.ts";
import { presentFolder } from "./working-folder.ts";

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
    const { judged, shell } = await judgeCommand(command, deps, context);
    const isBackground = input.run_in_background ?? false;
    return {
      level: judged.readOnly ? "read" : "execute",
      concurrencySafe: judged.readOnly && !judged.movesFolder && !isBackground && shell.folderNote === undefined,
      subjects: judged.subjects,
      title: titleOf(command),
      preview: { kind: "command", command, description: input.description ?? "", unclear: judged.unclear },
      ...(input.dangerouslyDisableSandbox && { wantsOutside: true }),
      run: async (grant, report) => {
        const request = await approvedCommand(shell, deps, grant, context);
        return isBackground
          ? runInBackground(input, { ...request, watched }, deps, context)
          : runInForeground(
              input,
              {
                ...request,
                mayMove: judged.movesFolder,
                endsInPipe: endsInPipe(judged.commands),
                limits: limitsNow(),
              },
              deps,
              context,
              report,
            );
      },
    };
  });
  return { ...tool, load: lazy(async () => void (await Promise.all([deps.userPath(), deps.shellParser()]))) };
}

/** A command with what permissions judge. @throws {ToolFailedError} it names files that can't be judged together. */
async function judgeCommand(command: string, deps: BashDeps, context: ToolContext) {
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
  const behindMove = parsed.understood ? await secretsBehindMove(command, parsed.commands, place) : [];
  const mixed = mixedFiles(judged.subjects);
  if (mixed !== undefined) throw new ToolFailedError(mixed);
  const shell: JudgedCommand = {
    command,
    cwd,
    path,
    folderNote: note,
    commands: judged.commands,
    onlyReads: judged.readOnly,
    named: namedIn(judged.subjects),
    temporary: view,
    outsideNote: outsideNote(command, judged.subjects, view),
    hidden: [...hiddenOf(judged.subjects, place.isHidden), ...behindMove],
  };
  return { judged, shell };
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

import { processEnvironment } from "../../app/process-environment.ts";
import { compileProjectRules } from "../../app/session/compile-project-rules.ts";
import { openProjectEnvironment, type ProjectEnvironment } from "../../app/session/project-environment.ts";
import { type LazySandbox, lazySandbox } from "../../app/session/wire-safety.ts";
import { ToolFailedError, UserFacingError } from "../../contracts/errors.ts";
import type { PathRule } from "../../contracts/permission.ts";
import type { ConfinedStart } from "../../contracts/ports.ts";
import { artifactFolder } from "../../platform/artifact-folder.ts";
import { printError } from "../../platform/host.ts";
import { childEnvironment } from "../../platform/processes/child-environment.ts";
import { executable, findProgram } from "../../platform/processes/find-program.ts";
import { runAttached } from "../../platform/processes/run-attached.ts";
import { printLine } from "../../platform/standard-output.ts";
import { pathRulesOf } from "../../services/permission/rules/path-rules.ts";
import { renderFindings, renderStatus } from "../../services/sandbox/doctor.ts";
import type { PolicyOptions, SandboxAction } from "../invocation.ts";
import { projectConfigOf } from "../session/session-config.ts";
import { watchSignals } from "../signals.ts";

/** `quoll sandbox status|doctor|run`. */
export async function runSandboxCommand(action: SandboxAction, options: PolicyOptions): Promise<number> {
  const around = processEnvironment();
  const place = await openProjectEnvironment(around, projectConfigOf(options, around.machine.cwd), {
    warn: (line) => printError(`quoll: ${line}`),
  });
  const artifacts = artifactFolder(undefined);
  const sandbox = lazySandbox(place, artifacts, { hasTerminal: true, rules: pathRulesIn(place) });
  try {
    if (action.what === "run") return await runConfined(action.command, place, sandbox);
    if (action.what === "doctor") {
      const findings = await sandbox.findings();
      printLine(options.json ? JSON.stringify(findings, null, 2) : renderFindings(findings));
      return findings.some(({ level }) => level === "problem") ? 1 : 0;
    }
    const state = await sandbox.state();
    printLine(options.json ? JSON.stringify(state, null, 2) : renderStatus(state));
    return 0;
  } finally {
    await sandbox.close();
    artifacts.dispose();
  }
}

/** @throws {UserFacingError} if there is no sandbox, no such program, or the program cannot be confined here. */
async function runConfined(
  command: readonly string[],
  place: ProjectEnvironment,
  sandbox: LazySandbox,
): Promise<number> {
  const state = await sandbox.state();
  if (state.kind === undefined)
    throw new UserFacingError(state.reason ?? "The sandbox is off (setting sandbox.enabled): nothing was run.");
  const [name = "", ...args] = command;
  const path = place.env["PATH"] ?? "";
  const file = name.includes("/") ? executable(name) : findProgram(name, path);
  if (file === undefined) throw new UserFacingError(`There is no program ${name} to run.`, 2);
  const env = childEnvironment(
    { ...place.env, ...place.settings.env },
    { path, tag: crypto.randomUUID(), pass: place.settings.passedVariables },
  );
  const abort = new AbortController();
  const signals = watchSignals(() => abort.abort(new Error("Interrupted.")));
  try {
    return await runToEnd(
      () => sandbox.confine({ file, args, cwd: place.workspace.cwd, env }, abort.signal),
      abort.signal,
    );
  } catch (error) {
    // The failure message that a model would get, for the person.
    if (error instanceof ToolFailedError) throw new UserFacingError(error.message, 1, { cause: error });
    throw error;
  } finally {
    signals.stop();
  }
}

/** The path rules of a session in this folder. */
function pathRulesIn(place: ProjectEnvironment): () => readonly PathRule[] {
  const paths = pathRulesOf(compileProjectRules(place).rules, place.workspace.roots);
  return () => paths;
}

async function runToEnd(confine: () => Promise<ConfinedStart>, signal: AbortSignal): Promise<number> {
  const confined = await confine();
  try {
    return await runAttached(confined, signal);
  } finally {
    await confined.dispose();
    for (const line of confined.changes?.() ?? []) printError(`quoll: ${line}`);
  }
}

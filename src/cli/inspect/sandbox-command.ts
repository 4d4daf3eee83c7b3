import { basename } from "node:path";
import { loadShellParser } from "../../app/agent/load-shell-parser.ts";
import { processEnvironment } from "../../app/process-environment.ts";
import { compileProjectRules } from "../../app/session/compile-project-rules.ts";
import { openProjectEnvironment, type ProjectEnvironment } from "../../app/session/project-environment.ts";
import { createSandbox } from "../../app/session/wire-safety.ts";
import { ToolFailedError, UserFacingError } from "../../contracts/errors.ts";
import type { PathRule } from "../../contracts/permission.ts";
import type { ConfinedStart, Sandbox } from "../../contracts/ports.ts";
import { artifactFolder } from "../../platform/artifact-folder.ts";
import { printProblem } from "../../platform/host.ts";
import { childEnvironment } from "../../platform/processes/child-environment.ts";
import { executable, findProgram } from "../../platform/processes/find-program.ts";
import { runAttached, SetUpFailedError } from "../../platform/processes/run-attached.ts";
import { shellQuoted } from "../../platform/shell-quoted.ts";
import { printLine } from "../../platform/standard-output.ts";
import { isSecret } from "../../services/permission/judge/secrets.ts";
import { allowsMatch } from "../../services/permission/rules/match-rule.ts";
import { isKeptBack, pathRulesOf } from "../../services/permission/rules/path-rules.ts";
import type { Rule } from "../../services/permission/rules/rule.ts";
import { renderFindings, renderStatus } from "../../services/sandbox/doctor.ts";
import { hiddenNote, searchedSecrets } from "../../services/tools/bash/searched-secrets.ts";
import type { PolicyOptions } from "../invocation.ts";
import { projectConfigOf } from "../session/session-config.ts";
import { abortAtSignal } from "../signals.ts";

async function withSandbox(
  options: PolicyOptions,
  run: (sandbox: Sandbox, environment: ProjectEnvironment) => Promise<number>,
): Promise<number> {
  const around = processEnvironment();
  const config = { ...projectConfigOf(options, around.machine.cwd), asksNoModel: true as const };
  const environment = await openProjectEnvironment(around, config, {
    startupWarning: printProblem,
  });
  const artifacts = artifactFolder(undefined);
  const sandbox = createSandbox(environment, artifacts, { hasTerminal: true, rules: pathRulesIn(environment) });
  try {
    return await run(sandbox, environment);
  } finally {
    await sandbox.close();
    artifacts.dispose();
  }
}

/** `quoll sandbox status`. */
export function showStatus(options: PolicyOptions): Promise<number> {
  return withSandbox(options, async (sandbox) => {
    const state = await sandbox.state();
    printLine(options.json ? JSON.stringify(state, null, 2) : renderStatus(state));
    return 0;
  });
}

/** `quoll sandbox doctor`. @returns 1 if there is a problem. */
export function showFindings(options: PolicyOptions): Promise<number> {
  return withSandbox(options, async (sandbox) => {
    const findings = await sandbox.findings();
    printLine(options.json ? JSON.stringify(findings, null, 2) : renderFindings(findings));
    return findings.some(({ level }) => level === "problem") ? 1 : 0;
  });
}

/** `quoll sandbox run`. */
export function runInSandbox(command: readonly string[], options: PolicyOptions): Promise<number> {
  return withSandbox(options, (sandbox, environment) => runConfined(command, environment, sandbox));
}

/** @throws {UserFacingError} if there is no sandbox, no such program, or the program cannot be confined here. */
async function runConfined(
  command: readonly string[],
  environment: ProjectEnvironment,
  sandbox: Sandbox,
): Promise<number> {
  const state = await sandbox.state();
  if (state.kind === undefined)
    throw new UserFacingError(state.reason ?? "The sandbox is off (setting sandbox.enabled): nothing was run.");
  const [name = "", ...args] = command;
  const path = environment.env["PATH"] ?? "";
  const file = name.includes("/") ? executable(name) : findProgram(name, path);
  if (file === undefined) throw new UserFacingError(`There is no program ${name} to run.`, 2);
  const env = childEnvironment(
    { ...environment.env, ...environment.settings.env },
    { path, tag: crypto.randomUUID(), pass: environment.settings.passedVariables },
  );
  using signals = abortAtSignal(new Error("Interrupted."));
  const { signal } = signals;
  try {
    const { cwd } = environment.workspace;
    const hidden = await secretsIn(command, env, environment);
    for (const line of hiddenNote(hidden, cwd)) printProblem(line);
    const run = () => runToEnd(() => sandbox.confine({ file, args, cwd, env, hidden }, signal), signal);
    return await run().catch((error: unknown) => {
      // A socket that is hidden may disappear while its mask is mounted: the next set-up doesn't find it.
      if (error instanceof SetUpFailedError && !signal.aborted) return run();
      throw error;
    });
  } catch (error) {
    // The failure message that a model would get, for the person.
    if (error instanceof ToolFailedError) throw new UserFacingError(error.message, 1, { cause: error });
    throw error;
  }
}

/** The files that a session would hide from this command, because it would find them in a search. */
async function secretsIn(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  environment: ProjectEnvironment,
): Promise<readonly string[]> {
  const { workspace, isTrusted } = environment;
  const { rules } = compileProjectRules(environment);
  const isHidden = (path: string) => isKeptBack(path, rules) || (isSecret(path) && !isNamed(path, rules));
  const parser = await loadShellParser();
  return searchedSecrets(lineOf(command), { workspace, cwd: workspace.cwd, env, parser, isTrusted, isHidden });
}

/** A shell's script is judged itself, like a line of a model. */
function lineOf(command: readonly string[]): string {
  const [shell = "", flag, script = ""] = command;
  const isScript = command.length === 3 && flag === "-c" && /^(?:ba|da)?sh$/.test(basename(shell));
  return isScript ? script : command.map(shellQuoted).join(" ");
}

/** True if an allow rule names the file, so that the model may read it. */
function isNamed(path: string, rules: readonly Rule[]): boolean {
  const asked = { toolName: "Read", subject: { action: "read", path } } as const;
  return rules.some(
    (rule) =>
      rule.decision === "allow" &&
      rule.spec.kind === "path" &&
      allowsMatch(rule, asked) &&
      rule.spec.pattern.names(path),
  );
}

/** The path rules of a session in this folder. */
function pathRulesIn(environment: ProjectEnvironment): () => readonly PathRule[] {
  const paths = pathRulesOf(compileProjectRules(environment).rules, environment.workspace.roots);
  return () => paths;
}

async function runToEnd(confine: () => Promise<ConfinedStart>, signal: AbortSignal): Promise<number> {
  const confined = await confine();
  try {
    return await runAttached(confined, signal);
  } finally {
    await confined.dispose();
    for (const line of confined.changes?.() ?? []) printProblem(line);
  }
}

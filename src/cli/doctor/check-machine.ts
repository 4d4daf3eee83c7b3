import { ripgrepOf } from "../../app/find-ripgrep.ts";
import type { ProcessEnvironment } from "../../app/process-environment.ts";
import type { Check } from "../../contracts/doctor.ts";
import { errorMessage } from "../../contracts/errors.ts";
import { folderFacts } from "../../platform/files/folder-facts.ts";
import { runtimeName, systemName } from "../../platform/host.ts";
import { findProgram } from "../../platform/processes/find-program.ts";
import { runCaptured } from "../../platform/processes/run-captured.ts";

const PROGRAM_TIMEOUT_MS = 5_000;
const MAX_OUTPUT_BYTES = 16 * 1024;
const MIB = 1024 * 1024;

export function checkVersions({ machine, env }: ProcessEnvironment, version: string): readonly Check[] {
  const terminal = ["TERM", "COLORTERM", "LANG", "LC_ALL"].flatMap((name) =>
    env[name] ? [`${name}=${env[name]}`] : [],
  );
  return [
    { name: "quoll", level: "ok", text: `${version} on ${runtimeName()}` },
    { name: "system", level: "ok", text: `${machine.platform}, ${systemName()}` },
    { name: "terminal", level: "ok", text: terminal.join(" ") || "no TERM is set" },
  ];
}

/** Checks that each folder of Quoll exists or can be created. */
export function checkFolders({ own }: ProcessEnvironment): Promise<readonly Check[]> {
  const folders = { config: own.config, data: own.data, state: own.state, cache: own.cache };
  return Promise.all(Object.entries(folders).map(([name, path]) => checkFolder(name, path)));
}

async function checkFolder(name: string, path: string): Promise<Check> {
  const { kind, isWritable, bytes, isPart } = await folderFacts(path);
  if (kind === "other") return { name, level: "problem", text: `${path} is not a folder`, fix: "Move that file away." };
  const size = `${isPart ? "more than " : ""}${(bytes / MIB).toFixed(1)} MB`;
  const text = kind === "missing" ? `${path} (created when needed)` : `${path} (${size})`;
  if (isWritable) return { name, level: "ok", text };
  const fix = "Give your user the right to write there, or set QUOLL_HOME to another folder.";
  return { name, level: "problem", text: `${path} can't be written`, fix };
}

/** Checks the programs that Quoll runs. */
export async function checkPrograms(
  around: ProcessEnvironment,
  version: string,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  return [
    await checkRipgrep(around, version, signal),
    await checkProgram("bash", { level: "problem", fix: "Install bash: every command runs in it." }, around, signal),
    await checkProgram(
      "git",
      { level: "warning", fix: "Install git: backups, branches and diffs need it." },
      around,
      signal,
    ),
  ];
}

async function checkRipgrep({ env, own }: ProcessEnvironment, version: string, signal: AbortSignal): Promise<Check> {
  const name = "rg";
  const fix = "Install ripgrep 13 or newer. Until then Quoll uses its own, slower search.";
  try {
    const found = await (await ripgrepOf({ environment: env, cache: own.cache, version, isTrusted: () => true }))();
    if (!found) return { name, level: "warning", text: "no ripgrep was found", fix };
    let output = "";
    const onOutput = (chunk: Buffer) => {
      output += chunk.toString("latin1");
      return output.length < MAX_OUTPUT_BYTES;
    };
    await found({ args: ["--no-config", "--version"], cwd: "/", signal, timeoutMs: PROGRAM_TIMEOUT_MS, onOutput });
    return { name, level: "ok", text: `${versionIn(output)}, ${found.path}` };
  } catch (error) {
    signal.throwIfAborted();
    return { name, level: "warning", text: errorMessage(error), fix };
  }
}

type Missing = Pick<Check, "level" | "fix">;

async function checkProgram(
  name: string,
  missing: Missing,
  { env }: ProcessEnvironment,
  signal: AbortSignal,
): Promise<Check> {
  const path = env["PATH"] ?? "";
  const file = findProgram(name, path);
  if (file === undefined) return { name, text: "not found on PATH", ...missing };
  const limits = { timeoutMs: PROGRAM_TIMEOUT_MS, maxBytes: MAX_OUTPUT_BYTES };
  const run = await runCaptured({ file, args: ["--version"], cwd: "/", env: { PATH: path }, ...limits }, signal);
  if (run.kind !== "ended" || run.exitCode !== 0) return { name, text: `${file} does not run`, ...missing };
  return { name, level: "ok", text: `${versionIn(run.stdout)}, ${file}` };
}

/** The first number that looks like a version. */
function versionIn(output: string): string {
  return /\d+(?:\.\d+)+/.exec(output)?.[0] ?? "of unknown version";
}

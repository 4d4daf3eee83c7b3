import { processEnvironment } from "../../app/process-environment.ts";
import { doctorLines, doctorVerdict } from "../../commands/doctor.ts";
import { printLine } from "../../platform/standard-output.ts";
import type { DoctorOptions } from "../invocation.ts";
import { projectConfigOf } from "../session/session-config.ts";
import { runChecks } from "./run-checks.ts";

/** `quoll doctor`: exits with 1 if a requirement of every session is missing. */
export async function runDoctorCommand(options: DoctorOptions, version: string): Promise<number> {
  const around = processEnvironment();
  const config = projectConfigOf(options, around.machine.cwd);
  const examination = { around, version, config, mcpConfigs: options.mcpConfig ?? [] };
  const report = await runChecks(examination, new AbortController().signal);
  if (options.json) printLine(JSON.stringify({ version, ...report }, null, 2));
  else for (const line of [...doctorLines(report), doctorVerdict(report)]) printLine(line);
  return report.isUsable ? 0 : 1;
}

import type { OpenExtensions } from "../../app/extensions/session-extensions.ts";
import type { Session } from "../../app/session/session.ts";
import type { DoctorReport } from "../../contracts/doctor.ts";

/** `/doctor` of a session. The checks are loaded when the command runs. */
export function sessionDoctor({
  app,
  config,
  extensions,
}: Pick<Session, "app" | "config"> & { extensions(): OpenExtensions | undefined }): (
  signal: AbortSignal,
  model?: string,
) => Promise<DoctorReport> {
  return async (signal, model) => {
    const { runChecks } = await import("./run-checks.ts");
    return runChecks(
      {
        around: app,
        version: app.version,
        config,
        mcpConfigs: config.mcp?.configs ?? [],
        extensions: extensions(),
        inUse: model,
      },
      signal,
    );
  };
}

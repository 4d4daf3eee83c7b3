import { errorMessage } from "../../../contracts/errors.ts";
import type { ModelCatalog, Redactor } from "../../../contracts/ports.ts";
import { randomIds, systemClock } from "../../../platform/clock.ts";
import { printProblem } from "../../../platform/host.ts";
import { createTelemetry, type Telemetry } from "../../../services/telemetry/create-telemetry.ts";
import { readTelemetryPlan } from "../../../services/telemetry/read-telemetry-plan.ts";
import type { ProjectEnvironment } from "../project-environment.ts";

export type TelemetryWiring = {
  readonly environment: Pick<ProjectEnvironment, "settings" | "env" | "machine">;
  readonly version: string;
  readonly sessionId: string;
  readonly isInteractive: boolean;
  readonly catalog: Pick<ModelCatalog, "cost">;
  redactor(): Promise<Redactor>;
  /** Tells the person one line. */
  notify(line: string): void;
};

/**
 * Sends traces, metrics and events of a session. A wrong setup is reported and stops nothing. On closing, lost data is
 * reported on stderr, since the screen is gone.
 */
export async function wireTelemetry(wiring: TelemetryWiring): Promise<Telemetry | undefined> {
  const { environment, notify, catalog, redactor, version, sessionId, isInteractive } = wiring;
  const plan = readTelemetryPlan(environment.settings.telemetry ?? {}, environment.env);
  for (const line of plan.warnings) notify(`telemetry: ${line}`);
  if (Object.keys(plan.targets).length === 0) return undefined;
  try {
    const telemetry = await createTelemetry({
      plan,
      version,
      sessionId,
      isInteractive,
      instanceId: randomIds.next(),
      os: environment.machine.os,
      clock: systemClock,
      redactor,
      cost: (model, usage) => catalog.cost(model, usage),
    });
    const { watchProvider, watchDecisions, observe, notifyFirstLoss } = telemetry;
    return { watchProvider, watchDecisions, observe, notifyFirstLoss, close: () => closeLoudly(telemetry) };
  } catch (error) {
    notify(`telemetry is off: ${errorMessage(error)}`);
    return undefined;
  }
}

async function closeLoudly(telemetry: Telemetry): Promise<string | undefined> {
  const problem = await telemetry.close();
  if (problem !== undefined) printProblem(problem);
  return problem;
}

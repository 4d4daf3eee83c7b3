import { errorMessage } from "../../contracts/errors.ts";
import type { ModelCatalog, Redactor } from "../../contracts/ports.ts";
import { randomIds, systemClock } from "../../platform/clock.ts";
import { printError } from "../../platform/host.ts";
import { createTelemetry, type Telemetry } from "../../services/telemetry/create-telemetry.ts";
import { readTelemetryPlan } from "../../services/telemetry/read-telemetry-plan.ts";
import type { ProjectEnvironment } from "./project-environment.ts";

export type TelemetryWiring = {
  readonly place: Pick<ProjectEnvironment, "settings" | "env" | "machine">;
  readonly version: string;
  readonly sessionId: string;
  readonly isInteractive: boolean;
  readonly catalog: Pick<ModelCatalog, "cost">;
  redactor(): Promise<Redactor>;
  /** Tells the person one line. */
  warn(line: string): void;
};

/**
 * What sends traces, metrics and events of a session. Whatever is wrong with how it is set up is told, and stops nothing.
 * When it is closed, what was lost is told on stderr: the screen is gone by then.
 */
export async function wireTelemetry(wiring: TelemetryWiring): Promise<Telemetry | undefined> {
  const { place, warn, catalog, redactor, version, sessionId, isInteractive } = wiring;
  const plan = readTelemetryPlan(place.settings.telemetry ?? {}, place.env);
  for (const line of plan.warnings) warn(`telemetry: ${line}`);
  if (Object.keys(plan.targets).length === 0) return undefined;
  try {
    const telemetry = await createTelemetry({
      plan,
      version,
      sessionId,
      isInteractive,
      instanceId: randomIds.next(),
      os: place.machine.os,
      clock: systemClock,
      redactor,
      cost: (model, usage) => catalog.cost(model, usage),
    });
    return { ...telemetry, close: () => closeLoudly(telemetry) };
  } catch (error) {
    warn(`telemetry is off: ${errorMessage(error)}`);
    return undefined;
  }
}

async function closeLoudly(telemetry: Telemetry): Promise<string | undefined> {
  const problem = await telemetry.close();
  if (problem !== undefined) printError(`quoll: ${problem}`);
  return problem;
}

import type { TelemetrySettings } from "../../../src/contracts/settings.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { modelCatalog } from "../../../src/services/provider/catalog.ts";
import { createTelemetry, type TelemetryOptions } from "../../../src/services/telemetry/create-telemetry.ts";
import { readTelemetryPlan } from "../../../src/services/telemetry/read-telemetry-plan.ts";
import { answering, engineHarness, NO_SECRETS } from "../../support/engine-harness.ts";
import { watchedPermissions } from "../../support/watched-permissions.ts";

type Harness = Parameters<typeof engineHarness>[0];

export function telemetryOn(settings: TelemetrySettings, more: Partial<TelemetryOptions> = {}) {
  const catalog = modelCatalog();
  return createTelemetry({
    plan: readTelemetryPlan(settings, {}),
    version: "1.2.3",
    sessionId: "session-1",
    instanceId: "instance-1",
    os: "linux",
    isInteractive: false,
    clock: systemClock,
    redactor: async () => NO_SECRETS,
    cost: (model, usage) => catalog.cost(model, usage),
    ...more,
  });
}

/** An engine whose telemetry goes to a collector. `finish` closes both and gives the line that a person would get. */
export async function watchedEngine(
  settings: TelemetrySettings,
  { permissions = answering(), ...harness }: Harness,
  more: Partial<TelemetryOptions> = {},
) {
  const telemetry = await telemetryOn(settings, more);
  const h = await engineHarness({
    ...harness,
    permissions: watchedPermissions(permissions, telemetry.watchDecisions),
    watch: (provider) => telemetry.watchProvider(provider, "main"),
  });
  h.engine.subscribe(telemetry.observe);
  return {
    ...h,
    telemetry,
    finish: async () => {
      await h.engine.close();
      return telemetry.close();
    },
  };
}

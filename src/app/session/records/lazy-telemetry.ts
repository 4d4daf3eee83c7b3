import type { Settings } from "../../../contracts/settings.ts";
import type { Environment } from "../../../platform/env.ts";
import type { Telemetry } from "../../../services/telemetry/create-telemetry.ts";
import type { TelemetryWiring } from "./wire-telemetry.ts";

/** Quoll's own variable, which turns telemetry on or off for a run. */
const OWN_SWITCH = "QUOLL_TELEMETRY";
const YES = /^(?:1|true|yes|on)$/i;

/**
 * True if Quoll sends telemetry: only if the user's own settings or QUOLL_TELEMETRY turn it on. OpenTelemetry's own
 * variables never turn telemetry on, since they may be set for other programs; OTEL_SDK_DISABLED turns it off.
 */
export function wantsTelemetry({ telemetry }: Pick<Settings, "telemetry">, env: Environment): boolean {
  if (env["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true") return false;
  const own = env[OWN_SWITCH]?.trim() ?? "";
  return own === "" ? telemetry?.enabled === true : YES.test(own);
}

/** The session's telemetry; undefined if telemetry is off, in which case its code is not loaded. */
export async function lazyTelemetry(wiring: TelemetryWiring): Promise<Telemetry | undefined> {
  const { settings, env } = wiring.environment;
  if (!wantsTelemetry(settings, env)) return undefined;
  const { wireTelemetry } = await import("./wire-telemetry.ts");
  return wireTelemetry(wiring);
}

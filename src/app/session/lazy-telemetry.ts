import type { Settings } from "../../contracts/settings.ts";
import type { Environment } from "../../platform/env.ts";
import type { Telemetry } from "../../services/telemetry/create-telemetry.ts";
import type { TelemetryWiring } from "./wire-telemetry.ts";

/** Our own variable, which switches telemetry on or off for a run. */
const OWN_SWITCH = "QUOLL_TELEMETRY";
const YES = /^(?:1|true|yes|on)$/i;

/**
 * True if Quoll sends telemetry: only if the user's own settings or QUOLL_TELEMETRY turn it on. OpenTelemetry's own
 * variables never turn telemetry on, since they are set for other programs too; OTEL_SDK_DISABLED switches it off.
 */
export function wantsTelemetry({ telemetry }: Pick<Settings, "telemetry">, env: Environment): boolean {
  if (env["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true") return false;
  const own = env[OWN_SWITCH]?.trim() ?? "";
  return own === "" ? telemetry?.enabled === true : YES.test(own);
}

/** The session's telemetry; undefined, with no code loaded, if telemetry is off. */
export async function lazyTelemetry(wiring: TelemetryWiring): Promise<Telemetry | undefined> {
  const { settings, env } = wiring.place;
  if (!wantsTelemetry(settings, env)) return undefined;
  const { wireTelemetry } = await import("./wire-telemetry.ts");
  return wireTelemetry(wiring);
}

import type { TelemetrySettings } from "../../contracts/settings.ts";
import { TELEMETRY_PROTOCOLS, TELEMETRY_SIGNALS } from "../../contracts/settings-table.ts";
import type { Environment } from "../../platform/env.ts";
import { proxyFor } from "../../platform/proxy-route.ts";

export type Signal = (typeof TELEMETRY_SIGNALS)[number];
export type Protocol = (typeof TELEMETRY_PROTOCOLS)[number];

/** The target of one signal. */
export type Target = {
  readonly url: string;
  readonly protocol: Protocol;
  /** Includes user name and password; never shown. */
  readonly proxyUrl?: string;
};

export type TelemetryPlan = {
  readonly targets: { readonly [Name in Signal]?: Target };
  /** True if prompts, answers, tool inputs and tool results are sent. */
  readonly content: boolean;
  /** The headers of the settings. */
  readonly headers: Readonly<Record<string, string>>;
  /** True if the exporters may read all of OTEL_EXPORTER_OTLP_*: no endpoint is in the settings. */
  readonly usesVariables: boolean;
  readonly metricIntervalMs: number;
  /** Warnings about options that could not be applied: one line each, without values that may be secret. */
  readonly warnings: readonly string[];
};

/** The specification's default. */
const DEFAULT_ENDPOINT = "http://localhost:4318";
const DEFAULT_PROTOCOL: Protocol = "http/protobuf";
const DEFAULT_METRIC_INTERVAL_MS = 60_000;
const LOOPBACK = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/;

type Reading = {
  readonly settings: TelemetrySettings;
  readonly env: Environment;
  notify(line: string): void;
};

/**
 * The targets and options of telemetry, from the user's settings and those of OpenTelemetry's variables that its
 * exporters do not read themselves.
 *
 * An endpoint in the settings ignores the OTEL_EXPORTER_OTLP_* variables, except for timeouts and the temporality of
 * metrics, so that headers for another program's collector never reach this one. Each error gives a warning and disables at most its signal.
 */
export function readTelemetryPlan(settings: TelemetrySettings, env: Environment): TelemetryPlan {
  const warnings = new Set<string>();
  const reading: Reading = { settings, env, notify: (line) => void warnings.add(line) };
  const targets = TELEMETRY_SIGNALS.flatMap((signal) => {
    const target = isWanted(signal, reading) ? targetOf(signal, reading) : undefined;
    return target ? [[signal, target] as const] : [];
  });
  return {
    targets: Object.fromEntries(targets),
    content: settings.content ?? false,
    headers: settings.headers ?? {},
    usesVariables: settings.endpoint === undefined,
    metricIntervalMs: millisecondsOf(env, "OTEL_METRIC_EXPORT_INTERVAL") ?? DEFAULT_METRIC_INTERVAL_MS,
    warnings: [...warnings],
  };
}

function isWanted(signal: Signal, { settings, env, notify }: Reading): boolean {
  if (settings.signals) return settings.signals.includes(signal);
  const name = `OTEL_${signal.toUpperCase()}_EXPORTER`;
  const exporter = variable(env, name) ?? "otlp";
  if (exporter === "otlp") return true;
  if (exporter !== "none")
    notify(`${name} is ${JSON.stringify(exporter)}, but only otlp is supported: no ${signal} are sent`);
  return false;
}

function targetOf(signal: Signal, reading: Reading): Target | undefined {
  const { settings, env } = reading;
  const { url, by } = urlOf(signal, reading);
  if (url === undefined) {
    reading.notify(`${by} is not an http or https address: no ${signal} are sent`);
    return undefined;
  }
  const proxy = proxyTo(url, env);
  if (proxy?.url === undefined && proxy?.variable !== undefined) {
    reading.notify(`${proxy.variable} is not the address of an http or https proxy: no ${signal} are sent`);
    return undefined;
  }
  return {
    url,
    protocol: settings.protocol ?? protocolOf(signal, reading),
    ...(proxy?.url !== undefined && { proxyUrl: proxy.url }),
  };
}

/** A collector on this machine is always reached directly. */
function proxyTo(
  url: string,
  env: Environment,
): { readonly variable: string; readonly url: string | undefined } | undefined {
  const route = LOOPBACK.test(new URL(url).hostname) ? undefined : proxyFor(url, env);
  if (!route) return undefined;
  const isSpoken = route.host !== "" && /^https?:/i.test(route.url);
  return { variable: route.variable, url: isSpoken ? route.url : undefined };
}

/** `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, or without a signal `OTEL_EXPORTER_OTLP_ENDPOINT`. */
function exporterVariable(signal: Signal | "", what: string): string {
  return `OTEL_EXPORTER_OTLP_${signal === "" ? "" : `${signal.toUpperCase()}_`}${what}`;
}

/** A signal's own address is used unchanged; other addresses get the suffix `/v1/<signal>`. */
function urlOf(signal: Signal, { settings, env }: Reading): { readonly url: string | undefined; readonly by: string } {
  if (settings.endpoint !== undefined)
    return { url: below(settings.endpoint, signal), by: "the setting telemetry.endpoint" };
  const own = variable(env, exporterVariable(signal, "ENDPOINT"));
  if (own !== undefined) return { url: httpUrl(own)?.href, by: exporterVariable(signal, "ENDPOINT") };
  const base = variable(env, exporterVariable("", "ENDPOINT")) ?? DEFAULT_ENDPOINT;
  return { url: below(base, signal), by: exporterVariable("", "ENDPOINT") };
}

function below(base: string, signal: Signal): string | undefined {
  const url = httpUrl(base);
  if (!url) return undefined;
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/${signal}`;
  return url.href;
}

function httpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

function protocolOf(signal: Signal, { settings, env, notify }: Reading): Protocol {
  const names =
    settings.endpoint === undefined ? [exporterVariable(signal, "PROTOCOL"), exporterVariable("", "PROTOCOL")] : [];
  const name = names.find((one) => variable(env, one) !== undefined);
  if (name === undefined) return DEFAULT_PROTOCOL;
  const wanted = variable(env, name);
  const known = TELEMETRY_PROTOCOLS.find((protocol) => protocol === wanted);
  if (known === undefined)
    notify(
      `${name} is ${JSON.stringify(wanted)}, but only http is supported: ${DEFAULT_PROTOCOL} is used (a collector's port for it is usually 4318)`,
    );
  return known ?? DEFAULT_PROTOCOL;
}

/** Milliseconds from a variable; undefined if it is empty or not a positive whole number. */
function millisecondsOf(env: Environment, name: string): number | undefined {
  const text = env[name]?.trim() ?? "";
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** The value of a variable; empty counts as unset, as the specification requires. */
function variable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

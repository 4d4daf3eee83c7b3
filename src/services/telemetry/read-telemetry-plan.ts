import { decodedEscapes } from "../../contracts/decoded-escapes.ts";
import type { TelemetrySettings } from "../../contracts/settings.ts";
import { TELEMETRY_PROTOCOLS, TELEMETRY_SIGNALS } from "../../contracts/settings-table.ts";
import type { Environment } from "../../platform/env.ts";
import { proxyFor } from "../../platform/proxy-route.ts";

export type Signal = (typeof TELEMETRY_SIGNALS)[number];
export type Protocol = (typeof TELEMETRY_PROTOCOLS)[number];

/** The target of one signal. */
export type Target = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: Protocol;
  /** Time limit of one batch, retries included. */
  readonly timeoutMs: number;
  readonly isPacked?: true;
  /** Includes user name and password; never shown. */
  readonly proxyUrl?: string;
  /** PEM files by their role in TLS. */
  readonly pemFiles?: Readonly<Partial<Record<PemUse, PemFile>>>;
};

export type PemUse = "ca" | "cert" | "key";
export type PemFile = { readonly path: string; readonly variable: string };

export const TEMPORALITIES = ["cumulative", "delta", "lowmemory"] as const;

export type TelemetryPlan = {
  readonly targets: { readonly [Name in Signal]?: Target };
  /** True if prompts, answers, tool inputs and tool results are sent. */
  readonly content: boolean;
  /** Our resource attributes from OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME. */
  readonly resource: Readonly<Record<string, string>>;
  readonly metricIntervalMs: number;
  readonly temporality: (typeof TEMPORALITIES)[number];
  /** Warnings about options that could not be applied: one line each, without values that may be secret. */
  readonly warnings: readonly string[];
};

/** The specification's default. */
const DEFAULT_ENDPOINT = "http://localhost:4318";
const DEFAULT_PROTOCOL: Protocol = "http/protobuf";
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_METRIC_INTERVAL_MS = 60_000;
/** For each TLS role: the suffix of its variable. */
const PEM_VARIABLES = { ca: "CERTIFICATE", cert: "CLIENT_CERTIFICATE", key: "CLIENT_KEY" } as const;
const LOOPBACK = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/;
const TEMPORALITY = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE";

type Reading = {
  readonly settings: TelemetrySettings;
  readonly env: Environment;
  warn(line: string): void;
};

/**
 * The targets and options of telemetry, from the user's settings and OpenTelemetry's variables.
 *
 * An endpoint in the settings ignores the OTEL_EXPORTER_OTLP_* variables, except for timeouts and the temporality of
 * metrics, so that headers for another program's collector never reach this one. Each error gives a warning and disables at most its signal.
 */
export function readTelemetryPlan(settings: TelemetrySettings, env: Environment): TelemetryPlan {
  const warnings = new Set<string>();
  const reading: Reading = { settings, env, warn: (line) => void warnings.add(line) };
  const targets = TELEMETRY_SIGNALS.flatMap((signal) => {
    const target = isWanted(signal, reading) ? targetOf(signal, reading) : undefined;
    return target ? [[signal, target] as const] : [];
  });
  const resource = readPairs(env["OTEL_RESOURCE_ATTRIBUTES"]);
  if (resource.unread > 0) reading.warn("a part of OTEL_RESOURCE_ATTRIBUTES is not key=value and was ignored");
  const serviceName = variable(env, "OTEL_SERVICE_NAME");
  return {
    targets: Object.fromEntries(targets),
    content: settings.content ?? false,
    resource: { ...resource.pairs, ...(serviceName !== undefined && { "service.name": serviceName }) },
    metricIntervalMs: millisecondsOf(env, "OTEL_METRIC_EXPORT_INTERVAL") ?? DEFAULT_METRIC_INTERVAL_MS,
    temporality: temporalityOf(reading),
    warnings: [...warnings],
  };
}

function isWanted(signal: Signal, { settings, env, warn }: Reading): boolean {
  if (settings.signals) return settings.signals.includes(signal);
  const name = `OTEL_${signal.toUpperCase()}_EXPORTER`;
  const exporter = variable(env, name) ?? "otlp";
  if (exporter === "otlp") return true;
  if (exporter !== "none")
    warn(`${name} is ${JSON.stringify(exporter)}, but only otlp is supported: no ${signal} are sent`);
  return false;
}

function targetOf(signal: Signal, reading: Reading): Target | undefined {
  const { settings, env } = reading;
  const { url, by } = urlOf(signal, reading);
  if (url === undefined) {
    reading.warn(`${by} is not an http or https address: no ${signal} are sent`);
    return undefined;
  }
  const proxy = proxyTo(url, env);
  if (proxy?.url === undefined && proxy?.variable !== undefined) {
    reading.warn(`${proxy.variable} is not the address of an http or https proxy: no ${signal} are sent`);
    return undefined;
  }
  const timeoutMs = millisecondsOf(env, exporterVariable(signal, "TIMEOUT"));
  const pemFiles = pemFilesOf(signal, reading);
  return {
    url,
    headers: headersOf(signal, reading),
    protocol: settings.protocol ?? protocolOf(signal, reading),
    timeoutMs: timeoutMs ?? millisecondsOf(env, exporterVariable("", "TIMEOUT")) ?? DEFAULT_TIMEOUT_MS,
    ...(isPacked(signal, reading) && { isPacked: true }),
    ...(proxy?.url !== undefined && { proxyUrl: proxy.url }),
    ...(Object.keys(pemFiles).length > 0 && { pemFiles }),
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

/** The variable of the signal, otherwise the general variable; neither applies to an endpoint in the settings. */
function exporterWord(signal: Signal, what: string, { settings, env }: Reading) {
  if (settings.endpoint !== undefined) return undefined;
  for (const name of [exporterVariable(signal, what), exporterVariable("", what)]) {
    const value = variable(env, name);
    if (value !== undefined) return { name, value };
  }
  return undefined;
}

function isPacked(signal: Signal, reading: Reading): boolean {
  const word = exporterWord(signal, "COMPRESSION", reading);
  if (word && !["gzip", "none"].includes(word.value))
    reading.warn(`${word.name} is ${JSON.stringify(word.value)}, but only gzip is supported: data is not compressed`);
  return word?.value === "gzip";
}

function pemFilesOf(signal: Signal, reading: Reading): NonNullable<Target["pemFiles"]> {
  const found = (["ca", "cert", "key"] as const).flatMap((use) => {
    const word = exporterWord(signal, PEM_VARIABLES[use], reading);
    return word ? [[use, { path: word.value, variable: word.name }] as const] : [];
  });
  return Object.fromEntries(found);
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

function headersOf(signal: Signal, { settings, env, warn }: Reading): Readonly<Record<string, string>> {
  const names = settings.endpoint === undefined ? (["", signal] as const) : [];
  const headers: Record<string, string> = {};
  const take = (pairs: Readonly<Record<string, string>>, where: string) => {
    for (const [name, value] of Object.entries(pairs)) {
      if (isHeader(name, value)) headers[name.toLowerCase()] = value;
      else warn(`${where}: ${JSON.stringify(name)} is not a valid header and was ignored`);
    }
  };
  for (const of of names) {
    const name = exporterVariable(of, "HEADERS");
    const { pairs, unread } = readPairs(env[name]);
    if (unread > 0) warn(`a part of ${name} is not key=value and was ignored`);
    take(pairs, name);
  }
  take(settings.headers ?? {}, "the setting telemetry.headers");
  return headers;
}

function protocolOf(signal: Signal, reading: Reading): Protocol {
  const { name, value: wanted } = exporterWord(signal, "PROTOCOL", reading) ?? {};
  if (name === undefined) return DEFAULT_PROTOCOL;
  const known = TELEMETRY_PROTOCOLS.find((protocol) => protocol === wanted);
  if (known === undefined)
    reading.warn(
      `${name} is ${JSON.stringify(wanted)}, but only http is supported: ${DEFAULT_PROTOCOL} is used (a collector's port for it is usually 4318)`,
    );
  return known ?? DEFAULT_PROTOCOL;
}

function temporalityOf({ env, warn }: Reading): TelemetryPlan["temporality"] {
  const wanted = variable(env, TEMPORALITY)?.toLowerCase() ?? "cumulative";
  const known = TEMPORALITIES.find((one) => one === wanted);
  if (known === undefined) warn(`${TEMPORALITY} is ${JSON.stringify(wanted)}: cumulative is used`);
  return known ?? "cumulative";
}

/** The name of a header or attribute; values are percent-encoded, as in W3C Baggage, which the specification refers to. */
const PAIR = /^([^=\s]+)\s*=(.*)$/;
/** Valid characters of a header's name and value in HTTP (RFC 9110, 5.1 and 5.5). */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Reads `key=value,key=value`, the format of OTEL_EXPORTER_OTLP_HEADERS and OTEL_RESOURCE_ATTRIBUTES.
 * @returns the pairs, and the number of invalid parts.
 */
function readPairs(text: string | undefined): {
  readonly pairs: Readonly<Record<string, string>>;
  readonly unread: number;
} {
  const parts = (text ?? "").split(",").map((part) => part.trim());
  const pairs: Record<string, string> = {};
  let unread = 0;
  for (const part of parts) {
    if (part === "") continue;
    const [, key, raw = ""] = PAIR.exec(part) ?? [];
    const value = decodedEscapes(raw.trim());
    if (key === undefined || value === undefined) unread += 1;
    else pairs[decodedEscapes(key) ?? key] = value;
  }
  return { pairs, unread };
}

/** True if the pair is a valid HTTP header. */
function isHeader(name: string, value: string): boolean {
  return HEADER_NAME.test(name) && HEADER_VALUE.test(value);
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

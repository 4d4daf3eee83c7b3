import type { Logger, Meter, Tracer } from "@opentelemetry/api";
import type { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider, type LogRecordExporter } from "@opentelemetry/sdk-logs";
import {
  AggregationTemporality,
  InstrumentType,
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import { errorCode, errorMessage } from "../../contracts/errors.ts";
import { withoutVariables } from "../../platform/env.ts";
import { readSmallText } from "../../platform/private-file.ts";
import type { Delivery } from "./delivery.ts";
import type { PemFile, PemUse, Target, TelemetryPlan } from "./read-telemetry-plan.ts";

const SCOPE = "quoll";
/** Short enough to report a rejecting collector during the first turn. */
const SEND_EVERY_MS = 1_000;
/** The maximum number of waiting spans and events; further ones are dropped. If content is sent, each may be large. */
const QUEUE = { maxQueueSize: 2_048, maxExportBatchSize: 512, scheduledDelayMillis: SEND_EVERY_MS };
const QUEUE_WITH_CONTENT = { maxQueueSize: 256, maxExportBatchSize: 32, scheduledDelayMillis: SEND_EVERY_MS };
const MAX_PEM_BYTES = 1024 * 1024;
/** The maximum number of series of a metric; further series are summed under one label. */
const MAX_SERIES = 500;

/** Values of an enumeration in a package below the exporters. */
type Compression = NonNullable<NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>["compression"]>;
const [PACKED, PLAIN] = ["gzip" as Compression, "none" as Compression];

/** The meters and exporters. No state is global: each session has its own. */
export type Signals = {
  readonly tracer: Tracer;
  readonly meter: Meter;
  readonly logger: Logger;
  /** Sends waiting data and ends. Never rejects; may take as long as an endpoint takes. */
  close(): Promise<void>;
};

export type SignalOptions = {
  readonly plan: TelemetryPlan;
  readonly version: string;
  /** Attributes of the resource; the plan's attributes take precedence. */
  readonly resource: Readonly<Record<string, string>>;
  readonly delivery: Delivery;
};

/** Opens the signals of a plan. A signal without a target is measured but not sent. */
export async function openSignals({ plan, version, resource, delivery }: SignalOptions): Promise<Signals> {
  const { traces, metrics, logs } = plan.targets;
  const userAgent = `quoll/${version}`;
  const [spanExporter, metricExporter, logExporter] = await Promise.all([
    traces && spansTo(traces, userAgent),
    metrics && metricsTo(metrics, userAgent, plan.temporality),
    logs && logsTo(logs, userAgent),
  ]);
  if (spanExporter) delivery.watch("traces", spanExporter);
  if (metricExporter) delivery.watch("metrics", metricExporter);
  if (logExporter) delivery.watch("logs", logExporter);
  const queue = plan.content ? QUEUE_WITH_CONTENT : QUEUE;
  const about = { resource: resourceOf({ ...resource, ...plan.resource }) };
  const tracers = new TracerProvider({
    ...about,
    spanProcessors: spanExporter ? [new BatchSpanProcessor({ ...queue, exporter: spanExporter })] : [],
  });
  const meters = new MeterProvider({
    ...about,
    readers: metricExporter ? [readerOf(metricExporter, plan.metricIntervalMs)] : [],
  });
  const loggers = new LoggerProvider({
    ...about,
    processors: logExporter ? [new BatchLogRecordProcessor({ ...queue, exporter: logExporter })] : [],
  });
  return {
    tracer: tracers.getTracer(SCOPE, version),
    meter: meters.getMeter(SCOPE, version),
    logger: loggers.getLogger(SCOPE, version),
    close: async () => {
      await Promise.allSettled([tracers.shutdown(), meters.shutdown(), loggers.shutdown()]);
    },
  };
}

function resourceOf(attributes: Readonly<Record<string, string>>): Resource {
  return defaultResource().merge(resourceFromAttributes(attributes));
}

function readerOf(exporter: PushMetricExporter, exportIntervalMillis: number): PeriodicExportingMetricReader {
  return new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis,
    cardinalityLimits: { default: MAX_SERIES },
  });
}

/** The exporters also read OTEL_EXPORTER_OTLP_* themselves; the target already contains the effective values. */
function made<Exporter>(make: () => Exporter): Exporter {
  return withoutVariables(/^OTEL_EXPORTER_OTLP_/, make);
}

/** @throws {Error} one line: a certificate or key file is unreadable. */
async function optionsOf({ url, headers, timeoutMs, isPacked, proxyUrl, pemFiles }: Target, userAgent: string) {
  return {
    url,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
    userAgent,
    compression: isPacked ? PACKED : PLAIN,
    httpAgentOptions: {
      keepAlive: true,
      ...(await readPems(pemFiles)),
      ...(proxyUrl !== undefined && { proxyEnv: { HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl } }),
    },
  };
}

async function readPems(files: Target["pemFiles"] = {}): Promise<{ readonly [Use in PemUse]?: string }> {
  const read = Object.entries(files).map(async ([use, file]) => [use, await readPem(file)] as const);
  return Object.fromEntries(await Promise.all(read));
}

async function readPem({ path, variable }: PemFile): Promise<string> {
  let why = "the file does not exist";
  try {
    const text = await readSmallText(path, MAX_PEM_BYTES);
    if (text !== undefined) return text;
  } catch (error) {
    why = errorCode(error) ?? errorMessage(error);
  }
  throw new Error(`${variable} names an unreadable file (${why}): ${path}`);
}

async function spansTo(target: Target, userAgent: string): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    target.protocol === "http/json"
      ? await import("@opentelemetry/exporter-trace-otlp-http")
      : await import("@opentelemetry/exporter-trace-otlp-proto");
  const options = await optionsOf(target, userAgent);
  return made(() => new OTLPTraceExporter(options));
}

async function logsTo(target: Target, userAgent: string): Promise<LogRecordExporter> {
  const { OTLPLogExporter } =
    target.protocol === "http/json"
      ? await import("@opentelemetry/exporter-logs-otlp-http")
      : await import("@opentelemetry/exporter-logs-otlp-proto");
  const options = await optionsOf(target, userAgent);
  return made(() => new OTLPLogExporter(options));
}

async function metricsTo(
  target: Target,
  userAgent: string,
  temporality: TelemetryPlan["temporality"],
): Promise<PushMetricExporter> {
  const { OTLPMetricExporter } =
    target.protocol === "http/json"
      ? await import("@opentelemetry/exporter-metrics-otlp-http")
      : await import("@opentelemetry/exporter-metrics-otlp-proto");
  const options = await optionsOf(target, userAgent);
  const exporter = made(() => new OTLPMetricExporter(options));
  exporter.selectAggregationTemporality = (type) => temporalityOf(temporality, type);
  return exporter;
}

/** The three preferences from the specification of OTLP exporters; our instruments are only counters and histograms. */
function temporalityOf(preference: TelemetryPlan["temporality"], type: InstrumentType): AggregationTemporality {
  const isDelta = preference !== "cumulative" && (type === InstrumentType.COUNTER || type === InstrumentType.HISTOGRAM);
  return isDelta ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE;
}

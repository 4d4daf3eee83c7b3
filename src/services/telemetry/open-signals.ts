import type { Logger, Meter, Tracer } from "@opentelemetry/api";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider, type LogRecordExporter } from "@opentelemetry/sdk-logs";
import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import { withoutVariables } from "../../platform/env.ts";
import type { Delivery } from "./delivery.ts";
import type { Target, TelemetryPlan } from "./read-telemetry-plan.ts";

const SCOPE = "quoll";
/** Short enough to report a rejecting collector during the first turn. */
const SEND_EVERY_MS = 1_000;
/** The maximum number of waiting spans and events; further ones are dropped. If content is sent, each may be large. */
const QUEUE = { maxQueueSize: 2_048, maxExportBatchSize: 512, scheduledDelayMillis: SEND_EVERY_MS };
const QUEUE_WITH_CONTENT = { maxQueueSize: 256, maxExportBatchSize: 32, scheduledDelayMillis: SEND_EVERY_MS };
/** The maximum number of series of a metric; further series are summed under one label. */
const MAX_SERIES = 500;

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
  /** Attributes of the resource; those of OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME take precedence. */
  readonly resource: Readonly<Record<string, string>>;
  readonly delivery: Delivery;
};

/** Opens the signals of a plan. A signal without a target is measured but not sent. */
export async function openSignals({ plan, version, resource, delivery }: SignalOptions): Promise<Signals> {
  const { traces, metrics, logs } = plan.targets;
  const way = { ...plan, userAgent: `quoll/${version}` };
  const [spanExporter, metricExporter, logExporter] = await Promise.all([
    traces && spansTo(traces, way),
    metrics && metricsTo(metrics, way),
    logs && logsTo(logs, way),
  ]);
  if (spanExporter) delivery.watch("traces", spanExporter);
  if (metricExporter) delivery.watch("metrics", metricExporter);
  if (logExporter) delivery.watch("logs", logExporter);
  const queue = plan.content ? QUEUE_WITH_CONTENT : QUEUE;
  const own = defaultResource().merge(resourceFromAttributes(resource));
  const about = { resource: own.merge(detectResources({ detectors: [envDetector] })) };
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

function readerOf(exporter: PushMetricExporter, exportIntervalMillis: number): PeriodicExportingMetricReader {
  return new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis,
    cardinalityLimits: { default: MAX_SERIES },
  });
}

type Way = Pick<TelemetryPlan, "headers" | "usesVariables"> & { readonly userAgent: string };

/** The variables that count for nothing beside an endpoint of the settings. */
const OTHERS_VARIABLES = /^OTEL_EXPORTER_OTLP_(?!.*(?:TIMEOUT|TEMPORALITY_PREFERENCE)$)/;

/** The exporters read OTEL_EXPORTER_OTLP_* themselves, while they are created. */
function made<Exporter>({ usesVariables }: Way, make: () => Exporter): Exporter {
  return usesVariables ? make() : withoutVariables(OTHERS_VARIABLES, make);
}

function optionsOf({ url, proxyUrl }: Target, { headers, userAgent }: Way) {
  const proxyEnv = { HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl };
  return {
    url,
    headers: { ...headers },
    userAgent,
    ...(proxyUrl !== undefined && { httpAgentOptions: { keepAlive: true, proxyEnv } }),
  };
}

async function spansTo(target: Target, way: Way): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    target.protocol === "http/json"
      ? await import("@opentelemetry/exporter-trace-otlp-http")
      : await import("@opentelemetry/exporter-trace-otlp-proto");
  return made(way, () => new OTLPTraceExporter(optionsOf(target, way)));
}

async function logsTo(target: Target, way: Way): Promise<LogRecordExporter> {
  const { OTLPLogExporter } =
    target.protocol === "http/json"
      ? await import("@opentelemetry/exporter-logs-otlp-http")
      : await import("@opentelemetry/exporter-logs-otlp-proto");
  return made(way, () => new OTLPLogExporter(optionsOf(target, way)));
}

async function metricsTo(target: Target, way: Way): Promise<PushMetricExporter> {
  const { OTLPMetricExporter } =
    target.protocol === "http/json"
      ? await import("@opentelemetry/exporter-metrics-otlp-http")
      : await import("@opentelemetry/exporter-metrics-otlp-proto");
  return made(way, () => new OTLPMetricExporter(optionsOf(target, way)));
}

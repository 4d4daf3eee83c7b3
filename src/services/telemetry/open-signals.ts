import type { Logger, Meter, Tracer } from "@opentelemetry/api";
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
import { withoutVariables } from "../../platform/env.ts";
import type { Delivery } from "./delivery.ts";
import type { Target, TelemetryPlan } from "./read-plan.ts";

const SCOPE = "quoll";
/** Waiting spans and events at most; what comes then is dropped. With content each may be large. */
const QUEUE = { maxQueueSize: 2_048, maxExportBatchSize: 512 };
const QUEUE_WITH_CONTENT = { maxQueueSize: 256, maxExportBatchSize: 32 };
/** Of a metric; what goes beyond is summed up under one label. */
const MAX_SERIES = 500;

/** What measures, and what sends it. Nothing of it is global: each session has its own. */
export type Signals = {
  readonly tracer: Tracer;
  readonly meter: Meter;
  readonly logger: Logger;
  /** Sends what waits and ends. Never rejects; may take as long as an endpoint keeps it waiting. */
  close(): Promise<void>;
};

export type SignalOptions = {
  readonly plan: TelemetryPlan;
  readonly version: string;
  /** Attributes of the resource; those of the plan outrank them. */
  readonly resource: Readonly<Record<string, string>>;
  readonly delivery: Delivery;
};

/** Opens the signals of a plan. One that has no target is measured and sent nowhere. */
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

/** The exporters read OTEL_EXPORTER_OTLP_* once more by themselves; what counts of it stands in the target already. */
function made<Exporter>(make: () => Exporter): Exporter {
  return withoutVariables(/^OTEL_EXPORTER_OTLP_/, make);
}

function optionsOf({ url, headers, timeoutMs }: Target, userAgent: string) {
  return { url, headers: { ...headers }, timeoutMillis: timeoutMs, userAgent };
}

async function spansTo(target: Target, userAgent: string): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    target.protocol === "http/json"
      ? await import("@opentelemetry/exporter-trace-otlp-http")
      : await import("@opentelemetry/exporter-trace-otlp-proto");
  return made(() => new OTLPTraceExporter(optionsOf(target, userAgent)));
}

async function logsTo(target: Target, userAgent: string): Promise<LogRecordExporter> {
  const { OTLPLogExporter } =
    target.protocol === "http/json"
      ? await import("@opentelemetry/exporter-logs-otlp-http")
      : await import("@opentelemetry/exporter-logs-otlp-proto");
  return made(() => new OTLPLogExporter(optionsOf(target, userAgent)));
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
  const exporter = made(() => new OTLPMetricExporter(optionsOf(target, userAgent)));
  exporter.selectAggregationTemporality = (type) => temporalityOf(temporality, type);
  return exporter;
}

/** As the specification of OTLP exporters has the three preferences; of ours all instruments are counters or histograms. */
function temporalityOf(preference: TelemetryPlan["temporality"], type: InstrumentType): AggregationTemporality {
  const isDelta = preference !== "cumulative" && (type === InstrumentType.COUNTER || type === InstrumentType.HISTOGRAM);
  return isDelta ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE;
}

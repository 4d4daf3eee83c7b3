import { type Fields, type Read, readMessage } from "./protobuf.ts";

type Values = Readonly<Record<string, unknown>>;
export type SeenSpan = {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentSpanId: string;
  readonly kind: number;
  /** Nanoseconds since the epoch. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Values;
  readonly events: readonly { readonly name: string; readonly attributes: Values }[];
  readonly links: readonly string[];
  /** 2: error. */
  readonly status: number;
};
export type SeenMetric = {
  readonly name: string;
  readonly unit: string;
  readonly temporality: number;
  /** A counter's value, or the sum of a histogram's. */
  readonly points: readonly { readonly attributes: Values; readonly value: number; readonly count?: number }[];
};
export type SeenLog = {
  readonly eventName: string;
  readonly body: unknown;
  readonly severity: number;
  readonly attributes: Values;
  readonly traceId: string;
  readonly spanId: string;
};
export type SeenRequest = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

// Field numbers: the .proto files of OTLP, opentelemetry/proto/{common,resource,trace,metrics,logs}/v1.
const any: Record<number, Fields[number]> = {
  1: { name: "stringValue", kind: "string" },
  2: { name: "boolValue", kind: "varint" },
  3: { name: "intValue", kind: "varint" },
  4: { name: "doubleValue", kind: "double" },
};
any[5] = { name: "arrayValue", kind: { 1: { name: "values", kind: any, many: true } } };
const pairs = { kind: { 1: { name: "key", kind: "string" }, 2: { name: "value", kind: any } }, many: true } as const;
const attributes = { name: "attributes", ...pairs } as const;
const resource = { name: "resource", kind: { 1: attributes } } as const;
const SPANS: Fields = wrapped("resourceSpans", "scopeSpans", "spans", {
  1: { name: "traceId", kind: "hex" },
  2: { name: "spanId", kind: "hex" },
  4: { name: "parentSpanId", kind: "hex" },
  5: { name: "name", kind: "string" },
  6: { name: "kind", kind: "varint" },
  7: { name: "startTimeUnixNano", kind: "fixed64" },
  8: { name: "endTimeUnixNano", kind: "fixed64" },
  9: attributes,
  11: { name: "events", kind: { 2: { name: "name", kind: "string" }, 3: attributes }, many: true },
  13: { name: "links", kind: { 2: { name: "spanId", kind: "hex" } }, many: true },
  15: { name: "status", kind: { 3: { name: "code", kind: "varint" } } },
});
const METRICS: Fields = wrapped("resourceMetrics", "scopeMetrics", "metrics", {
  1: { name: "name", kind: "string" },
  3: { name: "unit", kind: "string" },
  7: points("sum", {
    4: { name: "asDouble", kind: "double" },
    6: { name: "asInt", kind: "varint" },
    7: attributes,
  }),
  9: points("histogram", {
    4: { name: "count", kind: "varint" },
    5: { name: "sum", kind: "double" },
    6: { name: "bucketCounts", kind: "packed64" },
    7: { name: "explicitBounds", kind: "packedDouble" },
    9: attributes,
  }),
});
const LOGS: Fields = wrapped("resourceLogs", "scopeLogs", "logRecords", {
  2: { name: "severityNumber", kind: "varint" },
  5: { name: "body", kind: any },
  6: attributes,
  9: { name: "traceId", kind: "hex" },
  10: { name: "spanId", kind: "hex" },
  12: { name: "eventName", kind: "string" },
});

function wrapped(outer: string, inner: string, items: string, item: Fields): Fields {
  const scope = { 2: { name: items, kind: item, many: true } };
  return { 1: { name: outer, kind: { 1: resource, 2: { name: inner, kind: scope, many: true } }, many: true } };
}

function points(name: string, point: Fields): Fields[number] {
  const kind = {
    1: { name: "dataPoints", kind: point, many: true },
    2: { name: "aggregationTemporality", kind: "varint" },
  };
  return { name, kind: kind as Fields };
}

type ReceiverOptions = {
  /** Left out: 200. `hang`: the answer never comes. */
  readonly answer?: number | "hang";
};

/** A collector on loopback that keeps what it is sent, and reads both forms of OTLP. */
export function otlpReceiver({ answer = 200 }: ReceiverOptions = {}) {
  const requests: SeenRequest[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const body = new Uint8Array(await request.arrayBuffer());
      const { pathname } = new URL(request.url);
      requests.push({ path: pathname, headers: Object.fromEntries(request.headers), body });
      if (answer === "hang") return new Promise<Response>(() => undefined);
      return new Response(null, { status: answer });
    },
  });
  const read = (signal: string, fields: Fields, path: readonly [string, string, string]) =>
    requests
      .filter((request) => request.path.endsWith(`/v1/${signal}`))
      .flatMap((request) => list(parsed(request, fields), path[0]))
      .map((outer) => ({ resource: valuesOf(outer["resource"] as Read), items: list(outer, path[1]) }))
      .flatMap(({ items }) => items.flatMap((scope) => list(scope, path[2])));
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    spans: (): readonly SeenSpan[] => read("traces", SPANS, ["resourceSpans", "scopeSpans", "spans"]).map(spanOf),
    metrics: (): readonly SeenMetric[] =>
      read("metrics", METRICS, ["resourceMetrics", "scopeMetrics", "metrics"]).map(metricOf),
    logs: (): readonly SeenLog[] => read("logs", LOGS, ["resourceLogs", "scopeLogs", "logRecords"]).map(logOf),
    resources: (): readonly Values[] =>
      requests.flatMap((request) => {
        const [fields, name] = formOf(request.path);
        return list(parsed(request, fields), name).map((outer) => valuesOf(outer["resource"] as Read));
      }),
    /** All received data as one text, to search for text that must not be in it. */
    text: () =>
      requests
        .map(({ body, headers }) => `${JSON.stringify(headers)}\n${Buffer.from(body).toString("latin1")}`)
        .join("\n"),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function formOf(path: string): readonly [Fields, string] {
  if (path.endsWith("/traces")) return [SPANS, "resourceSpans"];
  return path.endsWith("/metrics") ? [METRICS, "resourceMetrics"] : [LOGS, "resourceLogs"];
}

function parsed({ headers, body }: SeenRequest, fields: Fields): Read {
  if (headers["content-type"] === "application/x-protobuf") return readMessage(body, fields);
  return JSON.parse(new TextDecoder().decode(body)) as Read;
}

function list(from: Read | undefined, name: string): readonly Read[] {
  return (from?.[name] as readonly Read[] | undefined) ?? [];
}

function valuesOf(from: Read | undefined): Values {
  return Object.fromEntries(
    list(from, "attributes").map(({ key, value }) => [key as string, plainValue(value as Read)]),
  );
}

function plainValue(value: Read): unknown {
  if (value["arrayValue"]) return list(value["arrayValue"] as Read, "values").map(plainValue);
  if (value["boolValue"] !== undefined) return Boolean(value["boolValue"]);
  const number = value["intValue"] ?? value["doubleValue"];
  return number === undefined ? value["stringValue"] : Number(number);
}

function spanOf(span: Read): SeenSpan {
  return {
    name: span["name"] as string,
    traceId: span["traceId"] as string,
    spanId: span["spanId"] as string,
    parentSpanId: (span["parentSpanId"] as string | undefined) ?? "",
    kind: Number(span["kind"]),
    start: BigInt(span["startTimeUnixNano"] as string),
    end: BigInt(span["endTimeUnixNano"] as string),
    attributes: valuesOf(span),
    events: list(span, "events").map((event) => ({ name: event["name"] as string, attributes: valuesOf(event) })),
    links: list(span, "links").map(({ spanId }) => spanId as string),
    status: Number((span["status"] as Read | undefined)?.["code"] ?? 0),
  };
}

function metricOf(metric: Read): SeenMetric {
  const data = (metric["sum"] ?? metric["histogram"]) as Read;
  return {
    name: metric["name"] as string,
    unit: metric["unit"] as string,
    temporality: Number(data["aggregationTemporality"]),
    points: list(data, "dataPoints").map((point) => ({
      attributes: valuesOf(point),
      value: Number(point["sum"] ?? point["asDouble"] ?? point["asInt"]),
      ...(point["count"] !== undefined && { count: Number(point["count"]) }),
    })),
  };
}

function logOf(log: Read): SeenLog {
  return {
    eventName: log["eventName"] as string,
    body: plainValue(log["body"] as Read),
    severity: Number(log["severityNumber"]),
    attributes: valuesOf(log),
    traceId: log["traceId"] as string,
    spanId: log["spanId"] as string,
  };
}

/** The problems of a tree of spans, one line each: ends, parents, one trace, times within those of the parent. */
export function treeProblems(spans: readonly SeenSpan[]): readonly string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === "");
  const problems = roots.length === 1 ? [] : [`${roots.length} roots`];
  if (byId.size !== spans.length) problems.push("a span was sent twice");
  if (new Set(spans.map(({ traceId }) => traceId)).size !== 1) problems.push("more than one trace");
  for (const span of spans) {
    if (span.end < span.start) problems.push(`${span.name} ends before it starts`);
    if (span.parentSpanId === "") continue;
    const parent = byId.get(span.parentSpanId);
    if (!parent) problems.push(`${span.name} has no parent`);
    else if (span.start < parent.start || span.end > parent.end) problems.push(`${span.name} leaves ${parent.name}`);
  }
  return problems;
}

/** The tree as indented names, children in the order of their starts. */
export function treeOf(spans: readonly SeenSpan[], parentSpanId = "", depth = 0): readonly string[] {
  return spans
    .filter((span) => span.parentSpanId === parentSpanId)
    .sort((a, b) => (a.start < b.start ? -1 : 1))
    .flatMap((span) => [`${"  ".repeat(depth)}${span.name}`, ...treeOf(spans, span.spanId, depth + 1)]);
}

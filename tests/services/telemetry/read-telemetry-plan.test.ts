import { describe, expect, test } from "bun:test";
import type { TelemetrySettings } from "../../../src/contracts/settings.ts";
import { readTelemetryPlan, type Target } from "../../../src/services/telemetry/read-telemetry-plan.ts";

const DEFAULTS = { headers: {}, protocol: "http/protobuf", timeoutMs: 10_000 } as const;
const plan = (settings: TelemetrySettings, env: Record<string, string> = {}) => readTelemetryPlan(settings, env);
const urls = (settings: TelemetrySettings, env: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(plan(settings, env).targets).map(([signal, { url }]) => [signal, url]));
const traces = (settings: TelemetrySettings, env: Record<string, string> = {}): Target | undefined =>
  plan(settings, env).targets.traces;

describe("where signals go", () => {
  test("without a word: to the usual port on this machine", () => {
    expect(plan({})).toEqual({
      targets: {
        traces: { ...DEFAULTS, url: "http://localhost:4318/v1/traces" },
        metrics: { ...DEFAULTS, url: "http://localhost:4318/v1/metrics" },
        logs: { ...DEFAULTS, url: "http://localhost:4318/v1/logs" },
      },
      content: false,
      resource: {},
      metricIntervalMs: 60_000,
      temporality: "cumulative",
      warnings: [],
    });
  });

  test("a base gets the path of each signal, a signal's own address is taken as it is", () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example/otlp/?key=1",
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://metrics.example:9090/push",
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: " ",
    };
    expect(urls({}, env)).toEqual({
      traces: "https://collector.example/otlp/v1/traces?key=1",
      metrics: "http://metrics.example:9090/push",
      logs: "https://collector.example/otlp/v1/logs?key=1",
    });
  });

  test("an endpoint of the settings stands by itself: headers for another collector never go there", () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://other.example",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://other.example/t",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer other",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-more=other",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    };
    expect(traces({ endpoint: "http://own.example/", headers: { "X-Own": "1" } }, env)).toEqual({
      ...DEFAULTS,
      url: "http://own.example/v1/traces",
      headers: { "x-own": "1" },
    });
  });

  test("only wanted signals are sent", () => {
    expect(Object.keys(urls({ signals: ["traces"] }))).toEqual(["traces"]);
    expect(Object.keys(urls({}, { OTEL_METRICS_EXPORTER: "none", OTEL_LOGS_EXPORTER: "otlp" }))).toEqual([
      "traces",
      "logs",
    ]);
    const { targets, warnings } = plan({}, { OTEL_TRACES_EXPORTER: "console" });
    expect([Object.keys(targets), warnings]).toEqual([
      ["metrics", "logs"],
      ['OTEL_TRACES_EXPORTER is "console", but only otlp is supported: no traces are sent'],
    ]);
  });

  test.each([
    ["collector.example:4318", "OTEL_EXPORTER_OTLP_ENDPOINT"],
    ["ftp://collector.example", "OTEL_EXPORTER_OTLP_ENDPOINT"],
  ])("%s is no address: told for each signal, and nothing is sent", (value, name) => {
    const { targets, warnings } = plan({}, { [name]: value });
    expect(targets).toEqual({});
    expect(warnings).toEqual(
      ["traces", "metrics", "logs"].map((signal) => `${name} is not an http or https address: no ${signal} are sent`),
    );
  });
});

describe("how they are sent", () => {
  test("headers of all signals, of one, and of the settings: the last counts", () => {
    const env = {
      OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Basic%20cGs6c2s%3D, x-a=1,x-b=1",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-a=2",
    };
    expect(traces({ headers: { "x-b": "3" } }, env)?.headers).toEqual({
      authorization: "Basic cGs6c2s=",
      "x-a": "2",
      "x-b": "3",
    });
    expect(plan({}, env).targets.logs?.headers["x-a"]).toBe("1");
  });

  test("a value that is not percent-encoded keeps its equals signs", () => {
    const headers = "Authorization=Basic cGs6c2s=,x-langfuse-ingestion-version=4";
    expect(traces({}, { OTEL_EXPORTER_OTLP_HEADERS: headers })?.headers).toEqual({
      authorization: "Basic cGs6c2s=",
      "x-langfuse-ingestion-version": "4",
    });
  });

  test("a malformed header is left out and reported without its value", () => {
    const { targets, warnings } = plan(
      { headers: { "x y": "hush", "x-line": "hush\nhush" } },
      { OTEL_EXPORTER_OTLP_HEADERS: "hush-hush,ok=1,bad=%zz" },
    );
    expect(targets.traces?.headers).toEqual({ ok: "1" });
    expect(warnings).toEqual([
      "a part of OTEL_EXPORTER_OTLP_HEADERS is not key=value and was ignored",
      'the setting telemetry.headers: "x y" is not a valid header and was ignored',
      'the setting telemetry.headers: "x-line" is not a valid header and was ignored',
    ]);
  });

  test("protocol: of the signal, of all, of the settings; grpc is answered in one line", () => {
    const env = { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "http/protobuf" };
    const { targets } = plan({}, env);
    expect([targets.traces?.protocol, targets.logs?.protocol]).toEqual(["http/json", "http/protobuf"]);
    expect(traces({ protocol: "http/protobuf" }, env)?.protocol).toBe("http/protobuf");
    const grpc = plan({}, { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" });
    expect(grpc.targets.metrics?.protocol).toBe("http/protobuf");
    expect(grpc.warnings).toEqual([
      'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc", but only http is supported: http/protobuf is used (a collector\'s port for it is usually 4318)',
    ]);
  });

  test("times are taken where they are numbers", () => {
    const env = {
      OTEL_EXPORTER_OTLP_TIMEOUT: "3000",
      OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: "500",
      OTEL_METRIC_EXPORT_INTERVAL: "soon",
    };
    const { targets, metricIntervalMs } = plan({}, env);
    expect([targets.traces?.timeoutMs, targets.logs?.timeoutMs, metricIntervalMs]).toEqual([3_000, 500, 60_000]);
    expect(plan({}, { OTEL_METRIC_EXPORT_INTERVAL: "5000" }).metricIntervalMs).toBe(5_000);
  });

  test("resource and temporality", () => {
    const env = {
      OTEL_SERVICE_NAME: "my-agent",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=other,deployment.environment.name=ci%2Fnightly,odd",
      OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "Delta",
    };
    expect(plan({}, env)).toMatchObject({
      resource: { "service.name": "my-agent", "deployment.environment.name": "ci/nightly" },
      temporality: "delta",
      warnings: ["a part of OTEL_RESOURCE_ATTRIBUTES is not key=value and was ignored"],
    });
    expect(plan({}, { OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "weekly" }).warnings).toHaveLength(1);
  });
});

describe("the way there", () => {
  const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example" };
  const PROXY = "http://me:pw@proxy.example:3128";

  test("goes through the proxy that the variables name, also to an endpoint of the settings", () => {
    expect(traces({}, { ...ENDPOINT, HTTPS_PROXY: PROXY })?.proxyUrl).toBe(PROXY);
    expect(traces({ endpoint: "http://own.example" }, { HTTP_PROXY: "proxy.example:3128" })?.proxyUrl).toBe(
      "http://proxy.example:3128",
    );
    expect(traces({}, { ...ENDPOINT, HTTP_PROXY: PROXY })?.proxyUrl).toBeUndefined();
    expect(traces({}, { ...ENDPOINT, HTTPS_PROXY: PROXY, NO_PROXY: ".example" })?.proxyUrl).toBeUndefined();
  });

  test.each(["localhost", "otel.localhost", "127.0.0.1", "127.1.2.3", "[::1]"])(
    "to %s, which is this machine, is direct",
    (host) => {
      const env = { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, ALL_PROXY: PROXY };
      expect(traces({ endpoint: `http://${host}:4318` }, env)?.proxyUrl).toBeUndefined();
    },
  );

  test.each(["socks5://me:pw@proxy.example:1080", "http://me:pw@:3128"])("by %s can't be gone: it is said", (proxy) => {
    const { targets, warnings } = plan({ signals: ["traces"] }, { ...ENDPOINT, HTTPS_PROXY: proxy });
    expect([targets, warnings]).toEqual([
      {},
      ["HTTPS_PROXY is not the address of an http or https proxy: no traces are sent"],
    ]);
  });

  test("takes certificates, keys and packing from the variables of the signal, else from those of all", () => {
    const env = {
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_CERTIFICATE: "/all/ca.pem",
      OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: "/traces/ca.pem",
      OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: "/all/own.pem",
      OTEL_EXPORTER_OTLP_CLIENT_KEY: "/all/own.key",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: "none",
    };
    const { traces: first, logs } = plan({}, env).targets;
    expect([first?.isPacked, logs?.isPacked]).toEqual([undefined, true]);
    const own = {
      cert: { path: "/all/own.pem", variable: "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE" },
      key: { path: "/all/own.key", variable: "OTEL_EXPORTER_OTLP_CLIENT_KEY" },
    };
    expect(first?.pemFiles).toEqual({
      ca: { path: "/traces/ca.pem", variable: "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE" },
      ...own,
    });
    expect(logs?.pemFiles).toEqual({
      ca: { path: "/all/ca.pem", variable: "OTEL_EXPORTER_OTLP_CERTIFICATE" },
      ...own,
    });
    expect(traces({ endpoint: "https://own.example" }, env)).toEqual({
      ...DEFAULTS,
      url: "https://own.example/v1/traces",
    });
  });

  test("packs only as gzip", () => {
    expect(plan({ signals: ["logs"] }, { OTEL_EXPORTER_OTLP_COMPRESSION: "zstd" }).warnings).toEqual([
      'OTEL_EXPORTER_OTLP_COMPRESSION is "zstd", but only gzip is supported: data is not compressed',
    ]);
  });
});

import { describe, expect, test } from "bun:test";
import type { TelemetrySettings } from "../../../src/contracts/settings.ts";
import { readTelemetryPlan, type Target } from "../../../src/services/telemetry/read-telemetry-plan.ts";

const DEFAULTS = { protocol: "http/protobuf" } as const;
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
      headers: {},
      usesVariables: true,
      metricIntervalMs: 60_000,
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
    const { targets, headers, usesVariables } = plan(
      { endpoint: "http://own.example/", headers: { "X-Own": "1" } },
      env,
    );
    expect(targets.traces).toEqual({ ...DEFAULTS, url: "http://own.example/v1/traces" });
    expect({ headers, usesVariables }).toEqual({ headers: { "X-Own": "1" }, usesVariables: false });
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

  test("the interval of metrics is taken where it is a number", () => {
    expect(plan({}, { OTEL_METRIC_EXPORT_INTERVAL: "soon" }).metricIntervalMs).toBe(60_000);
    expect(plan({}, { OTEL_METRIC_EXPORT_INTERVAL: "5000" }).metricIntervalMs).toBe(5_000);
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
});

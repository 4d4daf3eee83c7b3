import { describe, expect, test } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import type { EngineEvent } from "../../../src/contracts/event.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { readTelemetryPlan } from "../../../src/services/telemetry/read-telemetry-plan.ts";
import { until } from "../../support/engine-harness.ts";
import { otlpReceiver } from "../../support/otlp-receiver.ts";
import { telemetryOn, watchedEngine } from "./watched-engine.ts";
import { withVariables } from "./with-variables.ts";

/** Nothing listens there: a port that was free a moment ago can be another test's by now. */
const DEAD_URL = "http://127.0.0.1:2";
/** The time that the end may take passes at once. */
const HASTY = { ...systemClock, sleep: (_: number, signal: AbortSignal) => systemClock.sleep(50, signal) };

describe("a collector that is no good costs nothing but one line", () => {
  test("when it refuses the key: the status, and the address without what may be secret in it", async () => {
    await using collector = otlpReceiver({ answer: 401 });
    const endpoint = collector.url.replace("http://", "http://user:hush@");
    await using h = await watchedEngine({ endpoint: `${endpoint}/base?token=hush` }, { scenario: [reply("Fine.")] });
    expect(await h.engine.submit({ prompt: "go" })).toMatchObject({ outcome: { reason: "completed" } });
    const problem = await h.finish();
    expect(problem?.split(": ", 1)).toEqual(["telemetry was not delivered"]);
    for (const signal of ["traces", "metrics", "logs"])
      expect(problem).toContain(`${signal} to ${collector.url}/base/v1/${signal} (HTTP 401)`);
    expect(problem).not.toContain("hush");
    expect(problem).not.toContain("\n");
  });

  test("when nobody listens or no answer comes: the wait at the end is bounded", async () => {
    await using collector = otlpReceiver({ answer: "hang" });
    for (const endpoint of [collector.url, DEAD_URL]) {
      await using h = await watchedEngine({ endpoint }, { scenario: [reply("Fine.")] }, { clock: HASTY });
      expect(await h.engine.submit({ prompt: "go" })).toMatchObject({ outcome: { reason: "completed" } });
      const startedAt = performance.now();
      const problem = await h.finish();
      expect(performance.now() - startedAt).toBeLessThan(8_000);
      expect(problem).toContain(`traces to ${endpoint}/v1/traces (not accepted within 2 s)`);
    }
  });

  test("also in the middle of a session: batches that fail are counted, and nothing is thrown anywhere", async () => {
    await using collector = otlpReceiver({ answer: 401 });
    const plan = { ...readTelemetryPlan({ endpoint: collector.url }, {}), metricIntervalMs: 10 };
    const faults: unknown[] = [];
    const onFault = (error: unknown) => void faults.push(error);
    process.on("unhandledRejection", onFault);
    try {
      const telemetry = await telemetryOn({}, { plan });
      const told = (event: EngineEvent) =>
        telemetry.observe({
          sessionId: "session-1",
          agentId: "main",
          parentAgentId: null,
          parentToolUseId: null,
          event,
        });
      // More than a batch holds.
      for (let at = 0; at < 600; at += 1) {
        const use = { type: "tool_use", id: `t${at}`, name: "Look", input: {} } as const;
        told({ type: "tool_started", use, title: "", level: "read" });
        const result = { type: "tool_result", toolUseId: use.id, content: "", isError: false } as const;
        told({ type: "tool_finished", result, durationMs: 1 });
      }
      const came = (signal: string) => collector.requests.filter(({ path }) => path.endsWith(signal)).length;
      await until(() => came("traces") > 0 && came("metrics") > 1);
      expect(await telemetry.close()).toMatch(/metrics to \S+ \(HTTP 401\), \d+ times/);
      await new Promise((resolve) => setImmediate(resolve));
      expect(faults).toEqual([]);
    } finally {
      process.off("unhandledRejection", onFault);
    }
  });

  test("the first refusal is reported once, at once, and the session continues", async () => {
    await using collector = otlpReceiver({ answer: 401 });
    const plan = { ...readTelemetryPlan({ endpoint: collector.url }, {}), metricIntervalMs: 10 };
    const telemetry = await telemetryOn({}, { plan });
    const told: string[] = [];
    telemetry.notifyFirstLoss((line) => told.push(line));
    await until(() => told.length > 0);
    expect(told).toEqual([`telemetry is not delivered: metrics to ${collector.url}/v1/metrics (HTTP 401)`]);
    const before = collector.requests.length;
    await until(() => collector.requests.length > before + 1);
    expect(await telemetry.close()).toStartWith("telemetry was not delivered: ");
    expect(told.length).toBe(1);
  });

  test("a loss that occurred before anybody listens is reported to the first listener; a loss only at the end is not", async () => {
    await using collector = otlpReceiver({ answer: 401 });
    const plan = { ...readTelemetryPlan({ endpoint: collector.url, signals: ["metrics"] }, {}), metricIntervalMs: 10 };
    const early = await telemetryOn({}, { plan });
    await until(() => collector.requests.length > 2);
    const told: string[] = [];
    early.notifyFirstLoss((line) => told.push(line));
    expect(told.length).toBe(1);
    await early.close();
    const late = await telemetryOn({ endpoint: collector.url });
    late.notifyFirstLoss((line) => told.push(line));
    await late.close();
    expect(told.length).toBe(1);
  });

  test("closing twice sends and tells once", async () => {
    await using collector = otlpReceiver();
    const telemetry = await telemetryOn({ endpoint: collector.url, signals: ["traces"] });
    expect(await Promise.all([telemetry.close(), telemetry.close()])).toEqual([undefined, undefined]);
    expect(collector.requests.length).toBe(1);
  });
});

test("a bug in Quoll's recording of events is reported at the end and stops nothing", async () => {
  await using collector = otlpReceiver();
  const telemetry = await telemetryOn({ endpoint: collector.url });
  const event = { type: "tool_started", use: undefined, title: "", level: "read" };
  const envelope = { sessionId: "s", agentId: "main", parentAgentId: null, parentToolUseId: null, event };
  expect(() => telemetry.observe(envelope as never)).not.toThrow();
  expect(await telemetry.close()).toStartWith("telemetry was not delivered: a bug in Quoll: ");
});

describe("Langfuse", () => {
  const KEYS = `Basic ${Buffer.from("pk-lf-1:sk-lf-2").toString("base64")}`;

  test("gets traces on its path, with Basic auth, and its own form of usage, in which no token counts twice", async () => {
    await using collector = otlpReceiver();
    const endpoint = `${collector.url}/api/public/otel`;
    const usage = { inputTokens: 100, outputTokens: 20, cacheReadTokens: 30, cacheCreationTokens: 7 };
    await using h = await watchedEngine(
      { endpoint, headers: { Authorization: KEYS, "x-langfuse-ingestion-version": "4" }, signals: ["traces"] },
      { scenario: [reply("Fine.", { usage })] },
    );
    await h.engine.submit({ prompt: "go" });
    expect(await h.finish()).toBeUndefined();
    expect(
      collector.requests.map(({ path, headers }) => [path, headers["authorization"], headers["content-type"]]),
    ).toEqual([["/api/public/otel/v1/traces", KEYS, "application/x-protobuf"]]);
    expect(collector.requests[0]?.headers).toMatchObject({
      "x-langfuse-ingestion-version": "4",
      "user-agent": expect.stringMatching(/^quoll\/1\.2\.3 OTel-OTLP-Exporter-JavaScript\//),
    });
    const chat = collector.spans().find(({ name }) => name.startsWith("chat"));
    expect(JSON.parse(String(chat?.attributes["langfuse.observation.usage_details"]))).toEqual({
      input: 100,
      output: 20,
      cache_read_input_tokens: 30,
      cache_creation_input_tokens: 7,
    });
    expect(chat?.attributes["session.id"]).toBe("session-1");
  });

  test("is reached in the same way by the variables of OpenTelemetry", async () => {
    await using collector = otlpReceiver();
    const variables = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/api/public/otel`,
      OTEL_EXPORTER_OTLP_HEADERS: `Authorization=${KEYS}`,
    };
    const plan = readTelemetryPlan({ signals: ["traces"] }, variables);
    await (await withVariables(variables, () => telemetryOn({}, { plan }))).close();
    expect(collector.requests.map(({ path, headers }) => [path, headers["authorization"]])).toEqual([
      ["/api/public/otel/v1/traces", KEYS],
    ]);
  });
});

test("variables that the exporters read count for nothing beside an endpoint of the settings", async () => {
  await using collector = otlpReceiver();
  const names = { OTEL_EXPORTER_OTLP_HEADERS: "x-other=hush", OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-more=hush" };
  await withVariables(names, async () => {
    const telemetry = await telemetryOn({ endpoint: collector.url });
    expect(process.env).toMatchObject(names);
    await telemetry.close();
  });
  expect(collector.requests.length).toBe(2);
  expect(collector.text()).not.toContain("hush");
});

test("counters and histograms are sent as deltas if the settings prefer deltas", async () => {
  await using collector = otlpReceiver();
  for (const preference of ["delta", "lowmemory", "cumulative"]) {
    const env = { OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: preference };
    await (await withVariables(env, () => telemetryOn({ endpoint: collector.url, signals: ["metrics"] }))).close();
  }
  // 1: delta, 2: cumulative.
  expect(collector.metrics().map(({ temporality }) => temporality)).toEqual([1, 1, 2]);
});

test("the resource identifies the measuring program", async () => {
  await using collector = otlpReceiver();
  const variables = { OTEL_SERVICE_NAME: "mine", OTEL_RESOURCE_ATTRIBUTES: "team=blue" };
  await (await withVariables(variables, () => telemetryOn({ endpoint: collector.url, signals: ["traces"] }))).close();
  expect(collector.resources()).toEqual([
    {
      "service.name": "mine",
      "service.version": "1.2.3",
      "service.instance.id": "instance-1",
      "os.type": "linux",
      team: "blue",
      "telemetry.sdk.language": "nodejs",
      "telemetry.sdk.name": "opentelemetry",
      "telemetry.sdk.version": "3.1.0",
    },
  ]);
});

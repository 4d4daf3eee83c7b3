import { expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { Delivery } from "../../../src/services/telemetry/delivery.ts";
import { openSignals } from "../../../src/services/telemetry/open-signals.ts";
import type { Target, TelemetryPlan } from "../../../src/services/telemetry/read-telemetry-plan.ts";
import { loopbackProxy } from "../../support/loopback-proxy.ts";
import { otlpReceiver } from "../../support/otlp-receiver.ts";
import { SELF_SIGNED, SELF_SIGNED_KEY, tlsFront } from "../../support/tls-front.ts";
import { withVariables } from "./with-variables.ts";

/** Sends one span. @returns the line for the person. */
async function send(
  way: Partial<Target> & Pick<Target, "url">,
  { variables = {}, ...more }: Partial<TelemetryPlan> & { readonly variables?: Readonly<Record<string, string>> } = {},
): Promise<string | undefined> {
  const targets = { traces: { protocol: "http/protobuf", ...way } } as const;
  const delivery = new Delivery(targets);
  const plan = { targets, content: false, headers: {}, usesVariables: true, metricIntervalMs: 60_000, ...more };
  const signals = await withVariables(variables, () =>
    openSignals({ plan: { warnings: [], ...plan }, version: "1", resource: {}, delivery }),
  );
  signals.tracer.startSpan("sent").end();
  await signals.close();
  return delivery.problem();
}

test("a proxy that wants a name and a password is gone through, for http and, as a tunnel, for https", async () => {
  await using collector = otlpReceiver();
  await using front = await tlsFront(collector.url);
  await using proxy = await loopbackProxy({ credentials: "me:p@ss" });
  const proxyUrl = `http://me:p%40ss@127.0.0.1:${proxy.port}`;
  expect(await send({ url: `${collector.url}/v1/traces`, proxyUrl })).toBeUndefined();
  // The certificate of this collector is not known here.
  const variables = { OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "300" };
  expect(await send({ url: `${front.url}/v1/traces`, proxyUrl }, { variables })).toContain("traces to");
  expect(new Set(proxy.seen)).toEqual(new Set([`POST ${collector.url}/v1/traces`, `CONNECT ${front.host}`]));
  expect(collector.spans().map(({ name }) => name)).toEqual(["sent"]);
});

test("a client's certificate is shown where it is asked for", async () => {
  await using collector = otlpReceiver();
  await using front = await tlsFront(collector.url, { wantsClient: true });
  const url = `${front.url}/v1/traces`;
  const authority = { OTEL_EXPORTER_OTLP_CERTIFICATE: SELF_SIGNED };
  const variables = { ...authority, OTEL_EXPORTER_OTLP_TIMEOUT: "300" };
  expect(await send({ url }, { variables })).toContain("traces to");
  const client = {
    OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE: SELF_SIGNED,
    OTEL_EXPORTER_OTLP_CLIENT_KEY: SELF_SIGNED_KEY,
  };
  expect(await send({ url }, { variables: { ...authority, ...client } })).toBeUndefined();
  expect(collector.spans().length).toBe(1);
});

test("headers of all signals, of one, and of the settings: the last counts", async () => {
  await using collector = otlpReceiver();
  const variables = {
    OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Basic%20cGs6c2s%3D, x-a=1,x-b=1,hush-hush,bad=%zz",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-a=2,x-c=Basic cGs6c2s=",
  };
  const url = `${collector.url}/v1/traces`;
  expect(await send({ url }, { variables, headers: { "x-b": "3" } })).toBeUndefined();
  expect(collector.requests[0]?.headers).toMatchObject({
    authorization: "Basic cGs6c2s=",
    "x-a": "2",
    "x-b": "3",
    "x-c": "Basic cGs6c2s=",
  });
});

test("an invalid header of the settings is a failed delivery, reported without the header's value", async () => {
  await using collector = otlpReceiver();
  const problem = await send({ url: `${collector.url}/v1/traces` }, { headers: { "x y": "hush" } });
  expect(problem).toContain("traces to");
  expect(problem).not.toContain("hush");
});

test("a batch is packed where that is asked for", async () => {
  await using collector = otlpReceiver();
  const variables = { OTEL_EXPORTER_OTLP_COMPRESSION: "gzip" };
  expect(await send({ url: `${collector.url}/v1/traces` }, { variables })).toBeUndefined();
  const [request] = collector.requests;
  expect(request?.headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(request?.body ?? "").includes("sent")).toBe(true);
});

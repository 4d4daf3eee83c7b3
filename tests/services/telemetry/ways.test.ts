import { expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { Delivery } from "../../../src/services/telemetry/delivery.ts";
import { openSignals } from "../../../src/services/telemetry/open-signals.ts";
import type { Target } from "../../../src/services/telemetry/read-telemetry-plan.ts";
import { loopbackProxy } from "../../support/loopback-proxy.ts";
import { otlpReceiver } from "../../support/otlp-receiver.ts";
import { SELF_SIGNED, SELF_SIGNED_KEY, tlsFront } from "../../support/tls-front.ts";

const pem = (path: string) => ({ path, variable: "OTEL_EXPORTER_OTLP_CERTIFICATE" });

/** Sends one span. @returns the line for the person. */
async function send(way: Partial<Target> & Pick<Target, "url">): Promise<string | undefined> {
  const target = { headers: {}, protocol: "http/protobuf", timeoutMs: 2_000, ...way } as const;
  const targets = { traces: target };
  const delivery = new Delivery(targets);
  const plan = { targets, content: false, resource: {}, metricIntervalMs: 60_000, temporality: "delta" } as const;
  const signals = await openSignals({ plan: { ...plan, warnings: [] }, version: "1", resource: {}, delivery });
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
  const tunnel = { url: `${front.url}/v1/traces`, proxyUrl, pemFiles: { ca: pem(SELF_SIGNED) } };
  expect(await send(tunnel)).toBeUndefined();
  expect(proxy.seen).toEqual([`POST ${collector.url}/v1/traces`, `CONNECT ${front.host}`]);
  expect(collector.spans().map(({ name }) => name)).toEqual(["sent", "sent"]);
});

test("a client's certificate is shown where it is asked for", async () => {
  await using collector = otlpReceiver();
  await using front = await tlsFront(collector.url, { wantsClient: true });
  const url = `${front.url}/v1/traces`;
  expect(await send({ url, pemFiles: { ca: pem(SELF_SIGNED) }, timeoutMs: 300 })).toContain("traces to");
  const pemFiles = { ca: pem(SELF_SIGNED), cert: pem(SELF_SIGNED), key: pem(SELF_SIGNED_KEY) };
  expect(await send({ url, pemFiles })).toBeUndefined();
  expect(collector.spans().length).toBe(1);
});

test("the error about an unreadable file names the variable that points to the file", async () => {
  const sending = send({ url: "http://127.0.0.1:9/", pemFiles: { ca: pem("/not/there.pem") } });
  await expect(sending).rejects.toThrow(
    "OTEL_EXPORTER_OTLP_CERTIFICATE names an unreadable file (the file does not exist): /not/there.pem",
  );
});

test("a batch is packed where that is asked for", async () => {
  await using collector = otlpReceiver();
  expect(await send({ url: `${collector.url}/v1/traces`, isPacked: true })).toBeUndefined();
  const [request] = collector.requests;
  expect(request?.headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(request?.body ?? "").includes("sent")).toBe(true);
});

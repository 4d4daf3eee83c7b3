import { beforeAll, describe, expect } from "bun:test";
import { join } from "node:path";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { BUN_FLAGS } from "../../src/platform/host.ts";
import { type Built, builtArtefacts } from "../support/built.ts";
import { deepTest, testOrDeep } from "../support/deep.ts";
import { loopbackProxy } from "../support/loopback-proxy.ts";
import { otlpReceiver } from "../support/otlp-receiver.ts";
import { runCommand } from "../support/run-command.ts";
import { tempProject } from "../support/temp-project.ts";
import { SELF_SIGNED, tlsFront } from "../support/tls-front.ts";

const LIMIT_MS = 60_000;
const KEY = "key-of-a-test";
const KEYS = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY, GEMINI_API_KEY: KEY };
const ANTHROPIC = { provider: "anthropic", model: "anthropic/claude-sonnet-5-5", path: "" };
const GEMINI = { provider: "google", model: "google/gemini-3-pro-preview", path: "/v1beta" };
const RESPONSES = { provider: "openai", model: "openai/gpt-5", path: "/v1" };

const ARTEFACTS: readonly (readonly [string, (built: Built) => readonly string[], typeof ANTHROPIC])[] = [
  ["dist/quoll", ({ executable }) => [executable], ANTHROPIC],
  ["dist/cli.js on Node", ({ node, cli }) => [node, cli], RESPONSES],
  ["dist/cli.js on Bun", ({ bun, cli }) => [bun, ...BUN_FLAGS, cli], GEMINI],
];

beforeAll(async () => {
  await builtArtefacts();
}, 60_000);

describe.each(ARTEFACTS)("%s", (name, start, { provider, model, path }) => {
  // `npm test` tries the network stack of Bun, which most people have; Node's is tried in the deep run.
  const isQuick = name === "dist/quoll";
  async function place() {
    const open = new AsyncDisposableStack();
    const rounds = [reply([toolUse("Read", { file_path: "a.txt" })]), reply("Done.")];
    const twin = open.use(await startTwin({ scenario: rounds }));
    const front = open.use(await tlsFront(twin.url));
    const collector = open.use(otlpReceiver());
    const routes = { "collector.example:4318": new URL(collector.url).host };
    const proxy = open.use(await loopbackProxy({ credentials: "me:p@ss", routes }));
    const project = open.use(await tempProject({ "a.txt": "apples\n" }));
    const home = open.use(await tempProject({}));
    const run = async (url: string, env: Readonly<Record<string, string>>) => {
      const settings = { providers: { [provider]: { baseUrl: `${url}${path}` } }, sandbox: { enabled: false } };
      const args = ["-p", "go", "--model", model, "--settings", JSON.stringify(settings)];
      return runCommand([...start(await builtArtefacts()), ...args], {
        cwd: project.dir,
        env: { HOME: home.dir, QUOLL_HOME: join(home.dir, "own"), ...KEYS, ...env },
      });
    };
    return { run, twin, front, proxy, collector, [Symbol.asyncDispose]: () => open.disposeAsync() };
  }

  testOrDeep(isQuick)(
    "says of a certificate that it isn't trusted, and what to do, at once",
    async () => {
      await using here = await place();
      const { code, out, err } = await here.run(here.front.url, {});
      expect([code, out, here.front.begun]).toEqual([1, "", 1]);
      expect(err).toBe(
        `quoll: The certificate of ${here.front.host} is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT). If the certificate is your company's or your own, set NODE_EXTRA_CA_CERTS to the authority's PEM file.\n`,
      );
    },
    LIMIT_MS,
  );

  testOrDeep(isQuick)(
    "trusts an authority of one's own, also through the tunnel of a proxy",
    async () => {
      await using here = await place();
      const { host, seen } = here.proxy;
      const env = {
        NODE_EXTRA_CA_CERTS: SELF_SIGNED,
        HTTPS_PROXY: `http://me:p%40ss@${host}`,
        HTTP_PROXY: "http://127.0.0.1:9",
      };
      expect(await here.run(here.front.url, env)).toEqual({ code: 0, out: "Done.\n", err: expect.any(String) });
      expect(new Set(seen)).toEqual(new Set([`CONNECT ${here.front.host}`]));
      expect(here.twin.requests.flatMap(({ rejected }) => rejected)).toEqual([]);
    },
    LIMIT_MS,
  );

  testOrDeep(isQuick)(
    "sends a plain request by the proxy's own address, and none where NO_PROXY names the host",
    async () => {
      await using here = await place();
      const { host, seen } = here.proxy;
      const ALL_PROXY = `http://me:p%40ss@${host}`;
      expect(await here.run(here.twin.url, { ALL_PROXY, NO_PROXY: "127.0.0.1" })).toMatchObject({ code: 0 });
      expect(seen).toEqual([]);
      await here.run(here.twin.url, { ALL_PROXY });
      expect(seen[0]).toStartWith(`POST ${here.twin.url}${path}/`);
    },
    LIMIT_MS,
  );

  deepTest(
    "sends telemetry the same way",
    async () => {
      await using here = await place();
      const env = {
        QUOLL_TELEMETRY: "1",
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.example:4318",
        OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
        HTTP_PROXY: `http://me:p%40ss@${here.proxy.host}`,
        NO_PROXY: "127.0.0.1",
      };
      expect(await here.run(here.twin.url, env)).toEqual({ code: 0, out: "Done.\n", err: "" });
      const sent = ["logs", "metrics", "traces"].map((signal) => `POST http://collector.example:4318/v1/${signal}`);
      // A run that takes longer than the interval of the exporter sends twice.
      expect([...new Set(here.proxy.seen)].sort()).toEqual(sent);
      expect(new Set(here.collector.requests.map(({ headers }) => headers["content-encoding"]))).toEqual(
        new Set(["gzip"]),
      );
    },
    LIMIT_MS,
  );

  testOrDeep(isQuick)(
    "names the variable of a proxy that wants another password, and shows none",
    async () => {
      await using here = await place();
      const { host } = here.proxy;
      const { code, err } = await here.run(here.front.url, { HTTPS_PROXY: `http://me:secret-4711@${host}` });
      expect([code, err]).toEqual([
        1,
        `quoll: The proxy ${host} requires a user name and a password (407): add them to HTTPS_PROXY.\n`,
      ]);
    },
    LIMIT_MS,
  );

  testOrDeep(isQuick)(
    "refuses a proxy that it can't speak with before anything is sent",
    async () => {
      await using here = await place();
      const { code, err } = await here.run(here.twin.url, { ALL_PROXY: "socks5h://127.0.0.1:1080" });
      expect([code, here.twin.requests.length]).toEqual([2, 0]);
      expect(err).toMatch(
        /^quoll: ALL_PROXY names a socks5h proxy \(127\.0\.0\.1:1080\), but Quoll supports only http and https proxies.*\n$/,
      );
    },
    LIMIT_MS,
  );
});

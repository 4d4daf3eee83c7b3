// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of the settings, not of this program.
import { expect, test } from "bun:test";
import type { DoctorReport } from "../../src/contracts/doctor.ts";
import { deepTest } from "../support/deep.ts";
import { loopbackProxy } from "../support/loopback-proxy.ts";
import { quollPlace } from "../support/quoll-process.ts";

const KEY = "gateway-key-of-a-test";
const TEAM = "blue";

/** A gateway that, as gateways do, tells nothing without its key and its header. */
function gateway(ids: readonly string[]) {
  const refused: string[] = [];
  const asked: { readonly path: string; readonly model?: string }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const { headers } = request;
      if (headers.get("authorization") !== `Bearer ${KEY}` || headers.get("x-team") !== TEAM) {
        refused.push(pathname);
        return Response.json({ error: { message: "no such key" } }, { status: 401 });
      }
      if (pathname.endsWith("/models")) {
        asked.push({ path: pathname });
        return Response.json({ object: "list", data: ids.map((id) => ({ id, object: "model" })) });
      }
      const { model } = (await request.json()) as { model: string };
      asked.push({ path: pathname, model });
      if (model.startsWith("hous-"))
        return Response.json({ error: { message: "no such model", code: "model_not_found" } }, { status: 404 });
      const chunk = { choices: [{ index: 0, delta: { content: "Hello." }, finish_reason: "stop" }] };
      return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
        headers: { "content-type": "text/event-stream" },
      });
    },
  });
  return { host: server.url.host, refused, asked, [Symbol.asyncDispose]: () => server.stop(true) };
}

/** A gateway on another machine, of which the settings name no model. */
async function remote(ids: readonly string[], { models }: { readonly models?: readonly string[] } = {}) {
  const open = new AsyncDisposableStack();
  const there = open.use(gateway(ids));
  const proxy = open.use(await loopbackProxy({ routes: { "llm.example:80": there.host, "llm.example": there.host } }));
  const entry = {
    baseUrl: "http://llm.example/v1",
    apiKeyEnv: "LLM_KEY",
    headers: { "x-team": "${LLM_TEAM}" },
    ...(models && { models }),
  };
  const here = open.use(await quollPlace({ settings: { sandbox: { enabled: false }, providers: { llm: entry } } }));
  const env = { LLM_KEY: KEY, LLM_TEAM: TEAM, HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
  const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    here.run(args, { env: { ...env, ...more } });
  return { there, here, run, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

type Listed = { readonly name: string; readonly hasAccess: boolean };

deepTest("quoll models lists the models of a gateway elsewhere, which wants a key and a header", async () => {
  await using place = await remote(["house-large", "text-embedding-3-small", "house-small"]);
  const { out, err, code } = await place.run(["models", "--json"]);
  const own = (JSON.parse(out) as Listed[]).filter(({ name }) => name.startsWith("llm/"));
  expect({ code, err, own: own.map(({ name, hasAccess }) => [name, hasAccess]) }).toEqual({
    code: 0,
    err: "",
    own: [
      ["llm/house-large", true],
      ["llm/house-small", true],
    ],
  });
  expect(place.there.refused).toEqual([]);
});

deepTest("quoll models says why the models of a gateway are missing", async () => {
  await using place = await remote(["house-large"]);
  const { out, err } = await place.run(["models"], { LLM_KEY: "wrong" });
  expect(out).not.toContain("llm/");
  expect(err).toMatch(/^quoll: .*\bllm\b.*401.*LLM_KEY/);
});

deepTest("quoll models does not miss the list of a gateway of which the settings name the models", async () => {
  await using place = await remote(["house-large"], { models: ["house-small"] });
  const { out, err } = await place.run(["models"], { LLM_KEY: "wrong" });
  expect([out.match(/llm\/\S+/g), err]).toEqual([["llm/house-small"], ""]);
});

deepTest(
  "without a named model, a gateway with a key answers, with the model that is usual among its models",
  async () => {
    await using place = await remote(["aaa-tiny", "vertex_ai/claude-haiku-4-5", "anthropic/claude-sonnet-5.5"]);
    expect(await place.run(["-p", "hi"])).toMatchObject({ code: 0, out: "Hello.\n" });
    expect(place.there.asked.at(-1)?.model).toBe("anthropic/claude-sonnet-5.5");
  },
);

deepTest(
  "without a named model, a gateway of unknown models answers with its first, and a setting comes before",
  async () => {
    await using place = await remote(["house-large", "house-small"]);
    expect(await place.run(["-p", "hi"])).toMatchObject({ code: 0, out: "Hello.\n" });
    expect(place.there.asked.at(-1)?.model).toBe("house-large");
    await using named = await remote(["house-large", "house-small"], { models: ["house-small"] });
    expect(await named.run(["-p", "hi"])).toMatchObject({ code: 0, out: "Hello.\n" });
    expect(named.there.asked.at(-1)?.model).toBe("house-small");
  },
);

test("a gateway that lists no models is an error that says how to name one; the offline engine doesn't answer", async () => {
  await using place = await remote([]);
  const { code, out, err } = await place.run(["-p", "find todo"]);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain("--model llm/<model>");
  expect(err).toContain("llm.example");
});

deepTest(
  "doctor counts a gateway without a list in the settings, and asks it with the headers of a session",
  async () => {
    await using place = await remote(["house-large"]);
    const { out } = await place.run(["doctor", "--json"]);
    const checks = (JSON.parse(out) as DoctorReport).groups.flatMap((group) => group.checks);
    const shown = checks.filter(({ name }) => name === "model" || name === "provider");
    expect(shown.map(({ level }) => level)).toEqual(["ok", "ok"]);
    expect(shown[0]?.text).toContain("house-large of llm");
    expect(place.there.refused).toEqual([]);
  },
);

deepTest("an address and a key that quoll auth login saved count as a gateway too", async () => {
  await using there = gateway(["house-large"]);
  await using here = await quollPlace();
  const login = ["auth", "login", "shed", "--endpoint", `http://${there.host}/v1`, "--key-stdin"];
  expect((await here.run(login, { stdin: `${KEY}\n` })).code).toBe(0);
  const settings = JSON.stringify({ providers: { shed: { headers: { "x-team": TEAM } } } });
  expect(await here.run(["-p", "hi", "--settings", settings])).toMatchObject({ code: 0, out: "Hello.\n" });
  expect(there.asked.at(-1)?.model).toBe("house-large");
});

test("models of the server at ANTHROPIC_BASE_URL are listed with its prefix, known ones once", async () => {
  const data = [{ id: "z-ai/glm-4.6" }, { id: "claude-sonnet-5-5" }];
  const tokens: (string | null)[] = [];
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ headers }) => {
      tokens.push(headers.get("authorization"));
      return Response.json({ data });
    },
  });
  await using here = await quollPlace();
  const env = { ANTHROPIC_BASE_URL: server.url.href, ANTHROPIC_AUTH_TOKEN: KEY };
  const { out } = await here.run(["models", "--json"], { env });
  const names = (JSON.parse(out) as Listed[]).map(({ name }) => name);
  expect(names.filter((name) => /glm-4\.6|claude-sonnet-5-5$/.test(name))).toEqual([
    "anthropic/z-ai/glm-4.6",
    "claude-sonnet-5-5",
  ]);
  expect(tokens).toEqual([`Bearer ${KEY}`]);
});

deepTest("a model without a prefix goes to the gateway that lists it, when its vendor has no key", async () => {
  await using place = await remote(["house-large", "claude-sonnet-5-5"]);
  for (const [model, asked] of [["claude-sonnet-5-5"], ["sonnet", "claude-sonnet-5-5"], ["house-large"]] as const) {
    expect(await place.run(["-p", "hi", "--model", model])).toMatchObject({ code: 0, out: "Hello.\n" });
    expect(place.there.asked.at(-1)?.model).toBe(asked ?? model);
  }
  const { code, err } = await place.run(["-p", "hi", "--model", "hous-large"]);
  expect(code).toBe(2);
  expect(err).toContain("Did you mean llm/house-large?");
});

test("a model that the gateway does not have is an error with the model of its list that it resembles", async () => {
  await using place = await remote(["house-large", "other"]);
  const { code, err } = await place.run(["-p", "hi", "--model", "llm/hous-large"]);
  expect(code).not.toBe(0);
  expect(err).toContain("Did you mean llm/house-large?");
});

deepTest(
  "doctor warns of a model that the gateway does not list, and says of an unset key that it is not set",
  async () => {
    await using place = await remote(["house-large"]);
    const doctor = async (model: string, more?: Readonly<Record<string, string>>) => {
      const { out } = await place.run(["doctor", "--json", "--model", model], more);
      return (JSON.parse(out) as DoctorReport).groups.flatMap((group) => group.checks);
    };
    const model = (await doctor("llm/hous-large")).find(({ name }) => name === "model");
    expect(model).toMatchObject({ level: "warning", fix: expect.stringContaining("llm/house-large") });
    await using there = gateway(["house-large"]);
    await using here = await quollPlace({
      settings: { providers: { own: { baseUrl: `http://${there.host}/v1`, apiKeyEnv: "OWN_KEY" } } },
    });
    const { out } = await here.run(["doctor", "--json", "--model", "own/x"]);
    expect(out).toContain("OWN_KEY is not set");
    const { code, err } = await here.run(["-p", "hi"]);
    expect([code, err.includes("wants a key (401): set OWN_KEY")]).toEqual([2, true]);
  },
);

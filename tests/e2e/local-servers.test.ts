import { expect, test } from "bun:test";
import { scriptedServer } from "../services/provider/scripted-server.ts";
import { deepTest } from "../support/deep.ts";
import { quollPlace } from "../support/quoll-process.ts";

test("a run without a person never looks for servers on this machine", async () => {
  let asked = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => {
      asked += 1;
      return Response.json({ data: [{ id: "qwen3" }] });
    },
  });
  try {
    await using here = await quollPlace();
    const env = { OLLAMA_HOST: `127.0.0.1:${server.port}` };
    expect((await here.run(["-p", "hi"], { env })).code).toBe(1);
    const stream = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    const line = `${JSON.stringify({ type: "user", message: { role: "user", content: "hi" } })}\n`;
    await here.run(["-p", ...stream], { env, stdin: line });
    expect(asked).toBe(0);
    const named = await here.run(["-p", "hi", "--model", "ollama/qwen3"], { env });
    expect([asked > 0, named.code]).toEqual([true, 1]);
  } finally {
    await server.stop(true);
  }
}, 60_000);

deepTest("models of a server that runs here are listed with their windows, and none that only embeds", async () => {
  const ids = ["qwen3:8b", "nomic-embed-text:latest", "bge-m3:latest", "all-minilm"];
  // A server that works on an answer is slow to list its models.
  let waitMs = 400;
  await using ollama = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch() {
      await Bun.sleep(waitMs);
      waitMs = 0;
      return Response.json({ data: ids.map((id) => ({ id })) });
    },
  });
  await using box = await scriptedServer({ body: JSON.stringify({ data: [{ id: "house", max_model_len: 65_536 }] }) });
  await using here = await quollPlace();
  const env = { OLLAMA_HOST: ollama.url.host };
  await here.run(["auth", "login", "box", "--endpoint", `${box.url}/v1`]);
  const { out, code } = await here.run(["models", "--json"], { env });
  const listed = (JSON.parse(out) as { name: string; contextWindow: number | null; hasAccess: boolean }[]).filter(
    ({ name }) => name.startsWith("ollama/") || name.startsWith("box/"),
  );
  expect(code).toBe(0);
  expect(listed.map(({ name, hasAccess }) => [name, hasAccess])).toEqual([
    ["ollama/qwen3:8b", true],
    ["box/house", true],
  ]);
  expect(listed[1]?.contextWindow).toBe(65_536);
  expect((await here.run(["models"], { env })).out).toContain("box/house");
});

deepTest("the window that a server tells is the one that counts: the answer asked for fits into it", async () => {
  const answer = [
    { choices: [{ index: 0, delta: { content: "Hello." }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  ];
  const list = { body: JSON.stringify({ data: [{ id: "house", max_model_len: 65_536 }] }) };
  await using box = await scriptedServer(list, { body: answer });
  await using here = await quollPlace({
    settings: { sandbox: { enabled: false }, providers: { box: { baseUrl: `${box.url}/v1` } } },
  });
  expect(await here.run(["-p", "hi", "--model", "box/house"])).toMatchObject({ code: 0, out: "Hello.\n" });
  expect(box.requests.map(({ path }) => path)).toEqual(["/v1/models", "/v1/chat/completions"]);
  expect(box.requests[1]?.body.max_tokens).toBeLessThanOrEqual(65_536 / 4);
});

test("a window that Ollama has loaded too small is told with the way to enlarge it, and no cut prompt is sent", async () => {
  const shown = { model_info: { "qwen3.context_length": 262_144 }, capabilities: ["completion", "tools"] };
  let asked = 0;
  await using ollama = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/api/ps") return Response.json({ models: [{ name: "qwen3:8b", context_length: 2_048 }] });
      if (pathname === "/api/show") return Response.json(shown);
      if (pathname === "/v1/models") return Response.json({ data: [{ id: "qwen3:8b", owned_by: "library" }] });
      asked += 1;
      return new Response("", { status: 500 });
    },
  });
  await using here = await quollPlace();
  const { err, code } = await here.run(["-p", "hi", "--model", "ollama:qwen3:8b"], {
    env: { OLLAMA_HOST: ollama.url.host },
  });
  expect([code, asked]).toEqual([1, 0]);
  expect(err).toContain("2,048");
  expect(err).toContain("OLLAMA_CONTEXT_LENGTH");
}, 60_000);

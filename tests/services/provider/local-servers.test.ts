import { expect, test } from "bun:test";
import { findLocalServers } from "../../../src/services/provider/local-servers.ts";
import { scriptedServer } from "./scripted-server.ts";

const NOWHERE = "http://127.0.0.1:1/v1";

test("servers that answer with a list of models are found, others aren't", async () => {
  await using good = await scriptedServer({
    body: JSON.stringify({ object: "list", data: [{ id: "qwen3:8b" }, { id: 7 }] }),
  });
  await using page = await scriptedServer({ body: "<h1>Hello</h1>", headers: { "content-type": "text/html" } });
  await using refusing = await scriptedServer({ status: 401, body: '{"data":[]}' });
  const urls = { ollama: `${good.url}/v1`, llamacpp: `${page.url}/v1`, lmstudio: `${refusing.url}/v1`, vllm: NOWHERE };
  const found = await findLocalServers({ fetch, signal: AbortSignal.timeout(5_000), urls });
  expect(found).toEqual([{ provider: "ollama", url: `${good.url}/v1`, models: [{ id: "qwen3:8b", limits: {} }] }]);
  expect(good.requests.map(({ path }) => path)).toEqual(["/v1/models"]);
});

test("a server that has not answered in time counts as absent", async () => {
  const urls = { ollama: NOWHERE, llamacpp: NOWHERE, lmstudio: NOWHERE, vllm: NOWHERE };
  expect(await findLocalServers({ fetch, signal: AbortSignal.abort(), urls })).toEqual([]);
});

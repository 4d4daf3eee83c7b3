import { describe, expect, test } from "bun:test";
import { askLimits } from "../../../src/services/provider/server-limits.ts";
import { type Scripted, scriptedServer } from "./scripted-server.ts";

const json = (body: object): Scripted => ({ body: JSON.stringify(body) });

async function limitsOf(model: string, provider: string, ...answers: readonly Scripted[]) {
  await using server = await scriptedServer(...answers);
  const place = { url: `${server.url}/v1`, headers: {}, fetch, signal: AbortSignal.timeout(25_000) };
  const limits = await askLimits(model, provider, place);
  return { limits, asked: server.requests.map(({ path, body }) => (body ? `${path} ${body.model}` : path)) };
}

describe("a server says how large a model's window is", () => {
  test.each([
    [
      "vLLM",
      { id: "Qwen/Qwen3-8B", object: "model", owned_by: "vllm", root: "Qwen/Qwen3-8B", max_model_len: 40_960 },
      40_960,
    ],
    [
      "OpenRouter",
      { id: "Qwen/Qwen3-8B", context_length: 131_072, top_provider: { context_length: 131_072 } },
      131_072,
    ],
    ["Groq", { id: "Qwen/Qwen3-8B", owned_by: "Alibaba Cloud", active: true, context_window: 32_768 }, 32_768],
    [
      "llama.cpp",
      { id: "/models/q.gguf", owned_by: "llamacpp", meta: { n_ctx_train: 40_960, n_ctx: 8_192, n_params: 8e9 } },
      8_192,
    ],
  ])("%s in its list", async (_, entry, contextWindow) => {
    const { limits, asked } = await limitsOf("Qwen/Qwen3-8B", "box", json({ object: "list", data: [entry] }));
    expect([limits, asked]).toEqual([{ contextWindow }, ["/v1/models"]]);
  });

  const OLLAMA = json({
    object: "list",
    data: [{ id: "qwen3:8b", object: "model", created: 1, owned_by: "library" }, { id: "b" }],
  });
  const info = { "general.architecture": "qwen3", "qwen3.context_length": 40_960, "qwen3.block_count": 36 };
  test.each([
    [
      "of its own parameters",
      { parameters: 'stop "<|im_end|>"\nnum_ctx                        16384', model_info: info },
      16_384,
    ],
    ["that it was made for", { model_info: info }, 40_960],
  ])("Ollama in what it shows: the one %s", async (_, shown, contextWindow) => {
    for (const provider of ["ollama", "box"]) {
      const { limits, asked } = await limitsOf("qwen3:8b", provider, OLLAMA, json({ models: [] }), json(shown));
      expect([limits, asked]).toEqual([{ contextWindow }, ["/v1/models", "/api/ps", "/api/show qwen3:8b"]]);
    }
  });

  test.each([
    ["qwen3:8b", { name: "qwen3:8b", model: "qwen3:8b", context_length: 4_096 }],
    ["qwen3", { name: "qwen3:latest", context_length: 4_096 }],
  ])("Ollama in what it has loaded: %s", async (model, loaded) => {
    const running = json({ models: [{ name: "other", context_length: 8_192 }, loaded] });
    const { limits, asked } = await limitsOf(model, "ollama", OLLAMA, running);
    expect([limits, asked]).toEqual([{ contextWindow: 4_096, isLoaded: true }, ["/v1/models", "/api/ps"]]);
  });

  test("LM Studio in a list of its own: the one that is loaded", async () => {
    const entry = { id: "qwen3-8b", type: "llm", loaded_context_length: 4_096, max_context_length: 40_960 };
    const { limits, asked } = await limitsOf(
      "qwen3-8b",
      "lmstudio",
      json({ data: [{ id: "qwen3-8b" }] }),
      json({ data: [entry] }),
    );
    expect([limits, asked]).toEqual([{ contextWindow: 4_096 }, ["/v1/models", "/api/v0/models"]]);
  });
});

test("a server that says nothing, says nonsense or refuses leaves it unknown", async () => {
  const two = {
    data: [
      { id: "a", max_model_len: 1 },
      { id: "b", max_model_len: "many" },
    ],
  };
  expect((await limitsOf("c", "box", json(two))).limits).toBeUndefined();
  expect((await limitsOf("b", "box", json(two))).limits).toEqual({});
  for (const odd of [json([]), { status: 401, body: "{}" }, { body: "<h1>" }] satisfies Scripted[])
    expect((await limitsOf("c", "box", odd)).limits).toBeUndefined();
});

import { describe, expect, test } from "bun:test";
import { startTwin, type TwinOptions } from "../../../src/server.ts";
import { OPENAI_HEADERS } from "../../support/openai.ts";

const card = (id: string) => ({ id, object: "model", created: 1_767_225_600, owned_by: "model-twin" });

async function get(path: string, options: Omit<TwinOptions, "scenario"> = {}, init: RequestInit = {}) {
  await using twin = await startTwin({ scenario: [], ...options });
  const response = await fetch(`${twin.url}${path}`, { headers: OPENAI_HEADERS, ...init });
  return { status: response.status, json: (await response.json()) as unknown };
}

describe("the list of models", () => {
  test.each<[string, Omit<TwinOptions, "scenario">, string[]]>([
    ["those that exist", { models: ["a/b", "c"] }, ["a/b", "c"]],
    ["those of OpenAI's wires alone", { models: ["a"], openai: { models: ["b"] } }, ["b"]],
    ["those that reason, where every name is a model", { openai: { reasoningModels: ["o9"] } }, ["o9"]],
    ["one name, where every name is a model", {}, ["model-twin"]],
  ])("holds %s", async (_name, options, names) => {
    expect(await get("/v1/models", options)).toEqual({ status: 200, json: { object: "list", data: names.map(card) } });
  });

  test.each(["/v1/models/a/b", "/v1/models/a%2Fb"])("has an entry for one model at %s", async (path) => {
    expect(await get(path, { models: ["a/b"] })).toEqual({ status: 200, json: card("a/b") });
  });

  test.each(["/v1/models/z", "/v1/models/%zz"])("has no model at %s", async (path) => {
    expect(await get(path, { models: ["a"] })).toMatchObject({
      status: 404,
      json: { error: { code: "model_not_found" } },
    });
  });

  test("asks for a key, unless it is a local server's", async () => {
    const keyless = { headers: {} };

    expect((await get("/v1/models", {}, keyless)).status).toBe(401);
    expect((await get("/v1/models", { openai: { requireKey: false } }, keyless)).status).toBe(200);
  });

  test("accepts only GET", async () => {
    expect((await get("/v1/models", {}, { method: "POST", body: "{}" })).status).toBe(405);
  });
});

import { describe, expect, test } from "bun:test";
import { agentsRemark, readAgents } from "../../../src/faces/headless/agents.ts";
import { readInitialize } from "../../../src/faces/headless/initialize-request.ts";

describe("the first request", () => {
  test("says what a session is to be; what it leaves out is as ever", () => {
    const hooks = { Stop: [{ hookCallbackIds: ["h0"] }] };
    const agents = { reviewer: { description: "Reads", prompt: "You read.", model: "fast", extra: 1 } };
    expect(
      readInitialize({
        subtype: "initialize",
        systemPrompt: ["You are brief.", "", "Always."],
        appendSystemPrompt: "Be kind.",
        jsonSchema: { type: "object" },
        agents,
        sdkMcpServers: ["calc"],
        hooks,
        promptSuggestions: false,
      }),
    ).toEqual({
      systemPrompt: "You are brief.\n\nAlways.",
      appendSystemPrompt: "Be kind.",
      jsonSchema: { type: "object" },
      agents: [{ name: "reviewer", description: "Reads", model: "fast" }],
      sdkServers: ["calc"],
      hooks,
    });
    const nothing = { agents: [], sdkServers: [], hooks: {} };
    for (const empty of [
      {},
      { systemPrompt: [""], appendSystemPrompt: " " },
      { systemPrompt: "", hooks: null, agents: null },
    ])
      expect(readInitialize(empty)).toEqual(nothing);
  });

  test.each([
    [{ systemPrompt: 7 }, "initialize: systemPrompt"],
    [{ sdkMcpServers: [7] }, "initialize: sdkMcpServers.0"],
    [{ jsonSchema: "x" }, "initialize: jsonSchema"],
    [{ agents: { a: { description: "x" } } }, "initialize: agents: a.prompt"],
    [{ agents: { "a b": { description: "x", prompt: "y" } } }, "can't be an agent's name"],
  ])("%j is refused by its field", (request, problem) => {
    expect(() => readInitialize(request)).toThrow(problem);
  });
});

test("agents must be an object of agents", () => {
  expect(() => readAgents([])).toThrow("expected an object of agents");
  expect(() => readAgents("x")).toThrow("expected an object of agents");
  expect(readAgents({})).toEqual([]);
  expect([agentsRemark([]), agentsRemark([{ name: "a", description: "x" }])]).toEqual([
    undefined,
    "Agents are listed and can't run yet: a.",
  ]);
});

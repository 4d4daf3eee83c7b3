import { describe, expect, test } from "bun:test";
import { NO_SETUP, readInitialize, whatWasTaken } from "../../../src/faces/headless/initialize-request.ts";
import { readAgents } from "../../../src/faces/headless/read-agents.ts";

describe("the first request", () => {
  test("configures a session; missing fields keep their defaults", () => {
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
        mcpServers: { docs: { type: "http", url: "http://127.0.0.1/" } },
        hooks,
        plugins: [],
        promptSuggestions: false,
      }),
    ).toEqual({
      systemPrompt: "You are brief.\n\nAlways.",
      appendSystemPrompt: "Be kind.",
      jsonSchema: { type: "object" },
      agents: [{ name: "reviewer", description: "Reads", model: "fast", given: agents.reviewer }],
      sdkServers: ["calc"],
      mcpServers: { docs: { type: "http", url: "http://127.0.0.1/" } },
      hooks,
      hasPlugins: false,
    });
    const nothing = NO_SETUP;
    for (const empty of [
      {},
      { systemPrompt: [""], appendSystemPrompt: " " },
      { systemPrompt: "", hooks: null, agents: null },
    ])
      expect(readInitialize(empty)).toEqual(nothing);
  });

  test("is answered with the accepted fields", () => {
    const supported = { hook_on_failure_supported: true };
    expect(whatWasTaken(NO_SETUP, NO_SETUP)).toEqual(supported);
    const setup = { ...NO_SETUP, hooks: { Stop: [] }, mcpServers: { a: { command: "x" } }, hasPlugins: true };
    const taken = { ...supported, hooks_applied: true, plugins_applied: false };
    expect(whatWasTaken(setup, structuredClone(setup))).toEqual({ ...taken, mcp_servers_applied: true });
    expect(whatWasTaken(setup, NO_SETUP)).toEqual({ ...taken, mcp_servers_applied: false });
  });

  test.each([
    [{ systemPrompt: 7 }, "initialize: `systemPrompt` must be"],
    [{ sdkMcpServers: [7] }, "initialize: `sdkMcpServers[0]` must be"],
    [{ jsonSchema: "x" }, "initialize: `jsonSchema` must be"],
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
});

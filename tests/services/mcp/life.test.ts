import { describe, expect, test } from "bun:test";
import type { McpServerConfig } from "../../../src/services/mcp/config/server-config.ts";
import { ReconnectSchedule } from "../../../src/services/mcp/reconnect-schedule.ts";
import { deepTest } from "../../support/deep.ts";
import { until } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { callText, callTool, mcpHarness, rawServer } from "./mcp-harness.ts";
import { httpServer } from "./servers/http-server.ts";

/** A schedule whose tries all fail; `tries` holds the times in seconds. */
function failing() {
  const clock = fakeClock();
  const tries: number[] = [];
  const ending = new AbortController();
  const schedule = new ReconnectSchedule({
    clock,
    signal: ending.signal,
    reconnect: async () => {
      tries.push(clock.monotonicMs() / 1_000);
      return false;
    },
  });
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) await clock.advance(1_000);
  };
  return { schedule, tries, pass, ending };
}

describe("a lost server", () => {
  test("is tried again after 1, 2, 4, 8 and 16 seconds, then no more", async () => {
    const { schedule, tries, pass } = failing();
    schedule.connected();
    expect(schedule.lost()).toBe(true);
    await pass(100);
    expect(tries).toEqual([1, 3, 7, 15, 31]);
    expect(schedule.lost()).toBe(true);
  });

  test("is not tried again after the end of the session, or when the person takes over", async () => {
    const { schedule, tries, pass, ending } = failing();
    schedule.lost();
    schedule.reset();
    await pass(5);
    schedule.lost();
    ending.abort(new Error("The session ends."));
    await pass(5);
    expect(tries).toEqual([]);
    expect(schedule.lost()).toBe(false);
  });

  test("is connected again by itself", async () => {
    await using mcp = await mcpHarness();
    await mcp.start(rawServer("raw"));
    for (const { pid } of mcp.alive()) process.kill(pid, "SIGKILL");
    await until(() => mcp.state("raw").status === "failed");
    expect(mcp.state("raw").error).toBe("it was killed by SIGKILL");
    await until(() => mcp.state("raw").status === "connected");
    expect(await callText(mcp.tool("mcp__raw__echo"), { text: "back" })).toBe("back");
  });
});

test("a server that is no longer the approved one is not started again", async () => {
  let isChanged = false;
  await using mcp = await mcpHarness({ isChanged: () => isChanged });
  await mcp.start(rawServer("raw"));
  isChanged = true;
  await mcp.client.reconnect("raw");
  expect(mcp.state("raw")).toMatchObject({
    status: "failed",
    error: expect.stringContaining("has changed since the user approved it"),
  });
  expect(mcp.alive()).toEqual([]);
  await expect(callText(mcp.tool("mcp__raw__echo"), { text: "x" })).rejects.toThrow("Nothing was run.");
});

deepTest("answers with unknown ids, and a second answer to a call, are passed over", async () => {
  await using mcp = await mcpHarness();
  await mcp.start(rawServer("raw", "stray-ids"));
  expect(await callText(mcp.tool("mcp__raw__echo"), { text: "one" })).toBe("one");
  expect(await callText(mcp.tool("mcp__raw__echo"), { text: "two" })).toBe("two");
  const { status, warnings } = mcp.state("raw");
  expect({ status, warnings }).toEqual({
    status: "connected",
    warnings: ["warning: it answered a request that no longer waits, or never did"],
  });
});

test("the configuration of a server chooses its tools and limits its results", async () => {
  await using mcp = await mcpHarness();
  const filter = { enabledTools: ["tool_1", "tool_2", "nope"], disabledTools: ["tool_2"], maxOutputTokens: 100 };
  await mcp.start({ ...rawServer("many", "pages"), ...filter });
  expect(mcp.client.tools().map(({ spec }) => spec.name)).toEqual(["mcp__many__tool_1"]);
  expect(mcp.state("many").notes).toEqual([
    "its configuration leaves out 299 tools",
    "its configuration names the tool nope, which it does not have",
  ]);
  const result = await callTool(mcp.tool("mcp__many__tool_1"), { text: "hi" });
  expect(result.maxShownChars).toBe(400);
});

describe("headersHelper", () => {
  const helped = (url: string, headersHelper: string): McpServerConfig => ({
    ...{ name: "web", isDisabled: false, kind: "http", url, headers: { "X-Team": "quoll" } },
    headersHelper,
  });

  test("adds its headers to each request, and runs again after an answer 401", async () => {
    await using web = httpServer({
      intercept: ({ headers }) =>
        headers.get("authorization") === "Bearer new" ? undefined : new Response("expired", { status: 401 }),
    });
    await using mcp = await mcpHarness();
    const command = `printf x >> runs; [ "$QUOLL_MCP_SERVER_NAME" = web ] && [ $(cat runs) != x ] && t=new || t=old; printf '{"Authorization":"Bearer %s"}' $t`;
    await mcp.start(helped(web.url, command));
    expect(mcp.state("web")).toMatchObject({ status: "connected" });
    expect(await callText(mcp.tool("mcp__web__add_numbers"), { a: 2, b: 3 })).toBe('{"sum":5}');
    expect(await mcp.project.read("runs")).toBe("xx");
    expect(web.seen.every(({ headers }) => headers.get("x-team") === "quoll")).toBe(true);
  });

  test.each([
    ["exit 3", "its headersHelper exited with code 3"],
    ["echo secret", "its headersHelper must print a JSON object of headers"],
  ])("%p fails the server with one line", async (command, problem) => {
    await using web = httpServer();
    await using mcp = await mcpHarness();
    await mcp.start(helped(web.url, command));
    const { status, error = "" } = mcp.state("web");
    expect(status).toBe("failed");
    expect(error).toContain(problem);
    expect(error).not.toContain("secret");
  });
});

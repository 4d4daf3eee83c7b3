import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../../src/platform/clock.ts";
import { openVariable } from "../../../src/services/mcp/config/open-variable.ts";
import { deepTest } from "../../support/deep.ts";
import { mcpHarness, programServer, rawServer } from "./mcp-harness.ts";

const FEATURES = join(import.meta.dir, "servers", "feature-server.ts");
const signal = new AbortController().signal;
const promptOf = (server: string) => ({ server, name: "order-status", arguments: [] });
const typedId = (value: string) => ({ name: "id", value, known: {} });

describe("the variable of a template that is being typed", () => {
  const looks = (template: string, typed: string) => {
    const { name, value, known, before, after, filled } = openVariable(template, typed) ?? {};
    return name === undefined ? undefined : [name, value, known, before, after, filled?.("a b/c")];
  };

  test.each([
    ["shop://orders/{id}", "shop://orders/", ["id", "", {}, "shop://orders/", "", "shop://orders/a%20b%2Fc"]],
    ["shop://orders/{id}", "shop://orders/A%2", ["id", "A%2", {}, "shop://orders/", "", "shop://orders/a%20b%2Fc"]],
    ["r://{owner}/{name}/log", "r://me", ["owner", "me", {}, "r://", "/{name}/log", "r://a%20b%2Fc/{name}/log"]],
    [
      "r://{owner}/{name}/log",
      "r://m%20e/q",
      ["name", "q", { owner: "m e" }, "r://m%20e/", "/log", "r://m%20e/a%20b%2Fc/log"],
    ],
    ["f:///{+path}", "f:///src/a", ["path", "src/a", {}, "f:///", "", "f:///a%20b/c"]],
  ])("%s, %s", (template, typed, expected) => {
    expect(looks(template, typed)).toEqual(expected as ReturnType<typeof looks>);
  });

  test.each([
    ["shop://orders/{id}", "shop://ord"],
    ["shop://orders/{id}", "docs://orders/1"],
    ["shop://orders", "shop://orders"],
    ["r://{name}/log", "r://me/log"],
    ["r://{?page,size}", "r://"],
  ])("%s, %s: none", (template, typed) => {
    expect(looks(template, typed)).toBeUndefined();
  });
});

test("a server completes arguments by those before them, and the variables of templates as parts of a URI", async () => {
  await using harness = await mcpHarness();
  await harness.start(programServer("shop", [FEATURES]));
  const { client } = harness;
  const tone = (known: Record<string, string>) => ({ name: "tone", value: "", known });
  expect(await client.completeArgument(promptOf("shop"), typedId("A"), signal)).toEqual(["A-1", "A-2"]);
  expect(await client.completeArgument(promptOf("shop"), tone({ id: "A-2" }), signal)).toEqual(["sorry", "plain"]);
  expect(await client.completeArgument(promptOf("shop"), tone({ id: "A-1" }), signal)).toEqual(["plain"]);
  expect(await client.completeUri("shop", "shop://orders/A", signal)).toEqual([
    "shop://orders/A-1",
    "shop://orders/A-2",
  ]);
  expect(await client.completeUri("shop", "shop://orders/C%201", signal)).toEqual(["shop://orders/C%201%2F2"]);
  expect(await client.completeUri("shop", "shop://prices", signal)).toEqual([]);
  expect(await client.completeUri("nobody", "shop://orders/", signal)).toEqual([]);
});

deepTest("values that no line can hold are left out, and a server without completions is not asked", async () => {
  await using harness = await mcpHarness();
  await harness.start(rawServer("many", "completes"), rawServer("plain"));
  const found = await harness.client.completeArgument(promptOf("many"), typedId(""), signal);
  expect(found.slice(0, 3)).toEqual(["good", "v0", "v1"]);
  expect(found).toHaveLength(96);
  expect(await harness.client.completeArgument(promptOf("plain"), typedId(""), signal)).toEqual([]);
});

test("a completion waits one second for a server that does not answer, and not at all after an abort", async () => {
  const waits: number[] = [];
  const sleep = (ms: number, until: AbortSignal) => {
    waits.push(ms);
    return systemClock.sleep(ms === 1_000 ? 10 : ms, until);
  };
  await using harness = await mcpHarness({ clock: { ...systemClock, sleep } });
  await harness.start(rawServer("slow", "completes-never"));
  expect(await harness.client.completeArgument(promptOf("slow"), typedId(""), signal)).toEqual([]);
  expect(waits).toContain(1_000);
  expect(await harness.client.completeArgument(promptOf("slow"), typedId(""), AbortSignal.abort())).toEqual([]);
});

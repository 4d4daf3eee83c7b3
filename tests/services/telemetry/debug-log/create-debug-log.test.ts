import { expect, test } from "bun:test";
import { failing, fault, reply, text, toolUse } from "@quoll/model-twin/scenario";
import { DEBUG_TOPICS, type DebugTopic } from "../../../../src/contracts/debug.ts";
import { ToolFailedError } from "../../../../src/contracts/errors.ts";
import type { Hooks } from "../../../../src/contracts/hook.ts";
import { systemClock } from "../../../../src/platform/clock.ts";
import { createDebugLog } from "../../../../src/services/telemetry/debug-log/create-debug-log.ts";
import { DebugFile } from "../../../../src/services/telemetry/debug-log/debug-file.ts";
import { answering, engineHarness, NO_SECRETS, testTool } from "../../../support/engine-harness.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { watchedPermissions } from "../../../support/watched-permissions.ts";

const TOOLS = [
  testTool("Look"),
  testTool("Break", {
    run: async () => {
      throw new ToolFailedError("It broke.\nMore of it.");
    },
  }),
];
const HOOKS: Hooks = {
  wants: (event) => event === "PreToolUse",
  run: async (input) =>
    input.event === "PreToolUse" && input.toolName === "Break"
      ? { permission: { decision: "ask", reason: "it is fragile" } }
      : {},
};

type Harness = Parameters<typeof engineHarness>[0];

/** An engine whose doings are logged; `lines` closes both and reads the log, without its times. */
async function loggedEngine(harness: Harness, topics: readonly DebugTopic[] = DEBUG_TOPICS) {
  const place = await tempProject();
  const file = new DebugFile({ path: place.path("a.log"), topics, redactor: NO_SECRETS, clock: systemClock });
  const log = createDebugLog(file, systemClock);
  const h = await engineHarness({
    ...harness,
    permissions: watchedPermissions(harness.permissions ?? answering(), log.watchDecisions),
    hooks: log.watchHooks(harness.hooks ?? HOOKS),
    watch: (provider) => log.watchProvider(provider, "main"),
  });
  h.engine.subscribe(log.observe);
  return {
    engine: h.engine,
    log,
    lines: async () => {
      await h.engine.close();
      log.close();
      return (await place.read("a.log"))
        .trimEnd()
        .split("\n")
        .map((line) => line.slice(25));
    },
    [Symbol.asyncDispose]: async () => {
      await h[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

const SCENARIO = [
  reply([text("Look."), toolUse("Look", { text: "here" }, "t1"), toolUse("Break", { text: "x" }, "t2")], {
    usage: { inputTokens: 1_100, outputTokens: 20, cacheReadTokens: 30, cacheCreationTokens: 7 },
  }),
  reply("Done."),
];

test("requests, decisions, calls and hooks of a turn are logged with times and sizes", async () => {
  await using h = await loggedEngine({ tools: TOOLS, scenario: SCENARIO });
  await h.engine.submit({ prompt: "go on" });
  const lines = await h.lines();
  const seen = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  const TIME = String.raw`(?:\d+ ms|\d+\.\d\d s)`;
  const CACHE = String.raw`\(30 read from the cache, 7 written to it\)`;
  for (const pattern of [
    /^log {10}turn started: a prompt of 5 characters$/,
    /^api {10}request 1 sent: \S+ of anthropic, for main, 1 message, 2 tools, [\d,]+ bytes, at most 32,000 tokens out$/,
    new RegExp(
      `request 1 ok after ${TIME}, first token after ${TIME}, 1 attempt: 1,137 tokens in ${CACHE}, 20 out, .+ tool_use$`,
    ),
    new RegExp(`^permissions  t1 Look allowed: test; outside the sandbox \\(${TIME}\\)$`),
    new RegExp(`^hooks {8}PreToolUse Break: ask: it is fragile \\(${TIME}\\)$`),
    new RegExp(`^hooks {8}PreToolUse Look: nothing said \\(${TIME}\\)$`),
    /^tools {8}t1 Look \(read\): here$/,
    new RegExp(`^tools {8}t1 ok after ${TIME}, 10 bytes for the model$`),
    new RegExp(`^tools {8}t2 failed after ${TIME}, \\d+ bytes for the model: It broke\\.$`),
    new RegExp(`request 2 ok after ${TIME}`),
    new RegExp(`^log {10}turn completed: ${TIME}, ${TIME} of them waiting for the model; 2 requests, `),
    /^log {10}closed$/,
  ])
    expect([pattern, seen(pattern)]).toEqual([pattern, 1]);
});

test("with a topic the others stay out", async () => {
  await using h = await loggedEngine({ tools: TOOLS, scenario: SCENARIO }, ["tools"]);
  await h.engine.submit({ prompt: "go on" });
  expect([...new Set((await h.lines()).map((line) => line.split(" ")[0]))].sort()).toEqual(["log", "tools"]);
});

test("each further attempt of a request is logged with status and wait, and its end with the number of attempts", async () => {
  await using h = await loggedEngine({ scenario: [failing(fault.overloaded()), reply("Done.")] });
  await h.engine.submit({ prompt: "go" });
  const api = (await h.lines()).filter((line) => line.startsWith("api"));
  expect(api.slice(1)).toEqual([
    expect.stringMatching(/request 1 attempt 2 of \d+ in .+: status 529: /),
    expect.stringMatching(/request 1 ok after .+, 2 attempts: /),
  ]);
});

test("a request that fails for good is logged with its status", async () => {
  await using h = await loggedEngine({ scenario: [failing(fault.badRequest("no such field"))] });
  await h.engine.submit({ prompt: "go" });
  expect(await h.lines()).toContainEqual(
    expect.stringMatching(/^api +request 1 failed after .+, 1 attempt: status 400: /),
  );
});

test("a fault is logged with its stack and with the stack of its cause", async () => {
  await using h = await loggedEngine({ scenario: [] });
  h.log.fault(new TypeError("it is not a function", { cause: new RangeError("too deep") }));
  const lines = await h.lines();
  expect(lines[0]).toBe("fault        TypeError: it is not a function");
  expect(lines[1]).toMatch(/^ +at /);
  expect(lines).toContainEqual(expect.stringContaining("caused by RangeError: too deep"));
});

test("a slash command is logged with the kind of its answer and without its argument", async () => {
  await using h = await loggedEngine({ scenario: [] });
  const command = { name: "login", summary: "", run: async () => ({ kind: "text", lines: [] }) as const };
  await h.log.watchCommand(command).run("sk-secret", undefined as never, new AbortController().signal);
  expect(await h.lines()).toEqual([expect.stringMatching(/^ui {11}\/login: text \(\d+ ms\)$/), "log          closed"]);
});

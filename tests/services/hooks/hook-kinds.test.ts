import { describe, expect, test } from "bun:test";
import { runHttpHook } from "../../../src/services/hooks/http-hook.ts";
import { runPromptHook } from "../../../src/services/hooks/prompt-hook.ts";
import { runToolHook } from "../../../src/services/hooks/tool-hook.ts";
import { bash, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { tempProject } from "../../support/temp-project.ts";

const { signal } = new AbortController();
const INPUT = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };

describe("an HTTP hook", () => {
  test("posts its input with the allowed variables, and its body is the answer", async () => {
    const seen: { headers: Headers; body: unknown }[] = [];
    using server = Bun.serve({
      port: 0,
      fetch: async (request) => {
        seen.push({ headers: request.headers, body: await request.json() });
        if (request.url.endsWith("/bad")) return new Response("no", { status: 500 });
        return Response.json({ decision: "block", reason: "not that" });
      },
    });
    const ports = { fetch, environment: { TOKEN: "t1", OTHER: "o1" } };
    const hook = { type: "http", url: `${server.url}ok`, allowedEnvVars: ["TOKEN"] } as const;
    const headers = { authorization: "Bearer $TOKEN", "x-other": "<$OTHER>" };
    const answer = await runHttpHook({ ...hook, headers, allowedEnvVars: ["TOKEN"] }, INPUT, ports, signal);
    expect(answer).toEqual({ decision: "block", reason: "not that" });
    expect([seen[0]?.body, seen[0]?.headers.get("authorization"), seen[0]?.headers.get("x-other")]).toEqual([
      INPUT,
      "Bearer t1",
      "<>",
    ]);
    const bad = runHttpHook({ type: "http", url: `${server.url}bad` }, INPUT, ports, signal);
    await expect(bad).rejects.toThrow("answered with status 500");
  });
});

test("a question's no blocks with its reason, and another answer is a failure", async () => {
  const ask = (text: string) =>
    runPromptHook({ type: "prompt", prompt: "Is it safe?" }, INPUT, async () => text, signal);
  expect(await ask('{"ok": true}')).toEqual({});
  expect(await ask('Well: {"ok": false, "reason": "it is not"}')).toEqual({ decision: "block", reason: "it is not" });
  await expect(ask("maybe")).rejects.toThrow("the model did not answer with");
});

test("a tool of a server gets fields of the hook's input", async () => {
  const given: unknown[] = [];
  const hook = {
    type: "mcp_tool",
    server: "s",
    tool: "t",
    input: { what: ["$" + "{tool_input.command}", 7] },
  } as const;
  const call = async (...args: readonly unknown[]) => {
    given.push(args.slice(0, 3));
    return '{"systemMessage":"seen"}';
  };
  expect(await runToolHook({ ...hook, input: { ...hook.input } }, INPUT, call, signal)).toEqual({
    systemMessage: "seen",
  });
  expect(given).toEqual([["s", "t", { what: ["ls", 7] }]]);
});

deepTest("questions to a model and to an agent go through the session's model", async () => {
  for (const type of ["prompt", "agent"]) {
    await using here = await oneProcess();
    await using place = await tempProject({});
    const hook = { type, prompt: 'Answer {"ok": false, "reason": "judged"} $ARGUMENTS' };
    const settings = JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } });
    const { session, events } = await sessionIn(here.app, place.dir, { settings, allow: ["Bash(*)"] });
    await session.main.engine.submit({ prompt: bash("echo ran") });
    await session.close();
    const said = JSON.stringify(events);
    expect([type, here.twin.requests.length > 2, said.includes("hook")]).toEqual([type, true, true]);
  }
});

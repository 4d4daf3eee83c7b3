import { expect, test } from "bun:test";
import { join } from "node:path";
import type { SessionConfig } from "../../../src/contracts/session-config.ts";
import { bash } from "../../support/app-harness.ts";
import { ROOT } from "../../support/built.ts";
import { deepTest } from "../../support/deep.ts";
import { on, playing } from "../../support/hooked-session.ts";
import { otlpReceiver } from "../../support/otlp-receiver.ts";
import { partsOf } from "../../support/question.ts";

const SERVER = join(ROOT, "tests/services/mcp/servers/sdk-server.ts");
const configs = [JSON.stringify({ mcpServers: { shop: { command: process.execPath, args: [SERVER] } } })];
const tool = (name: string, more: object = {}) => ({ type: "mcp_tool", server: "shop", tool: name, ...more });

/** Hooks with tools of a server, in a session whose settings have these rules. */
async function withServer(hooks: object, permissions: object = {}, answerer: SessionConfig["answerer"] = "nobody") {
  const settings = JSON.stringify({ hooks, permissions });
  const play = await playing(hooks, { mcp: { configs, inProcess: [] }, answerer, settings });
  await play.session.servers.open();
  return play;
}

deepTest(
  "a tool of a server answers for a hook without an allow rule, and its faults are reported with the hook's name",
  async () => {
    await using play = await withServer({
      ...on("UserPromptSubmit", tool("picture")),
      ...on("PreToolUse", tool("fail")),
      ...on("PostToolUse", tool("wait", { timeout: 0.3 })),
      ...on("Stop", tool("missing")),
    });
    await play.say(bash("echo ran"));
    expect(JSON.stringify(play.here.twin.requests[0])).toContain("Here it is.");
    expect(play.results().join()).toContain("ran");
    expect(play.notices()).toEqual([
      "The hook shop: fail (PreToolUse, --settings:1) failed: mcp__shop__fail failed: The colour is out of stock. Quoll continued without the hook.",
      "The hook shop: wait (PostToolUse, --settings:1) failed: it did not answer within 0.3 s. Quoll continued without the hook.",
      "The hook shop: missing (Stop, --settings:1) failed: no connected MCP server has the tool mcp__shop__missing. Quoll continued without the hook.",
    ]);
  },
);

test("deny and ask rules hold for a hook's tool, and where nobody can answer the hook fails with that reason", async () => {
  const hooks = {
    ...on("UserPromptSubmit", tool("picture")),
    ...on("PreToolUse", tool("fail", { onFailure: "block" })),
  };
  await using play = await withServer(hooks, { deny: ["mcp__shop__picture"], ask: ["mcp__shop__fail"] });
  const { denials } = await play.say(bash("echo ran"));
  expect(JSON.stringify(play.here.twin.requests[0])).not.toContain("Here it is.");
  expect(play.notices()[0]).toMatch(/^The hook shop: picture .* failed: a deny rule forbids mcp__shop__picture\./);
  expect(denials[0]?.decidedBy).toEqual({
    kind: "hook",
    reason: expect.stringMatching(/^it failed: mcp__shop__fail was refused by .*nobody can answer/),
    source: "shop: fail (PreToolUse, --settings:1)",
  });
});

deepTest("an ask rule asks the person about a hook's tool, and no hook is asked about that call", async () => {
  const hooks = {
    ...on("UserPromptSubmit", tool("picture")),
    ...on("PermissionRequest", tool("picture")),
  };
  await using play = await withServer(hooks, { ask: ["mcp__shop__picture"] }, "person");
  const reasons: string[] = [];
  play.session.agents.subscribe(({ event }) => {
    if (event.type !== "question_asked") return;
    reasons.push(partsOf(event.question).reason);
    play.session.main.engine.questions.reply(event.question.id, { decision: "once" });
  });
  await play.say("hello");
  expect(reasons).toEqual([expect.stringMatching(/ asks .* A hook makes this call\.$/)]);
  expect(JSON.stringify(play.here.twin.requests[0])).toContain("Here it is.");
});

test("a hook is asked about the prompt of a server, also when a form asked for its arguments", async () => {
  const FEATURES = join(ROOT, "tests/services/mcp/servers/feature-server.ts");
  const servers = [JSON.stringify({ mcpServers: { shop: { command: process.execPath, args: [FEATURES] } } })];
  const refuse = { command: `cat >> seen; printf 'no prompts' >&2; exit 2` };
  const settings = JSON.stringify({ hooks: on("UserPromptExpansion", refuse, "mcp__shop__order-status") });
  await using play = await playing({}, { mcp: { configs: servers, inProcess: [] }, settings });
  await (await play.session.servers.open()).settled();
  const { signal } = new AbortController();
  const lines = ["A hook refused /mcp__shop__order-status: no prompts"];
  const refused = { kind: "text", lines } as const;
  expect(await play.session.commands.run("/mcp__shop__order-status A-1", signal)).toEqual(refused);
  const form = await play.session.commands.run("/mcp__shop__order-status", signal);
  if (form?.kind !== "form") throw new Error(`not a form: ${form?.kind}`);
  expect(await form.submit({ id: "A-2" }, signal)).toEqual(refused);
  const seen = (await play.place.read("seen")).trim().split("\n");
  const asked = { command_name: "mcp__shop__order-status", expansion_type: "mcp_prompt" };
  expect(seen.map((line) => JSON.parse(line))).toMatchObject([
    { ...asked, command_args: "A-1", prompt: "Where is the order A-1? Be plain." },
    { ...asked, command_args: "A-2", prompt: "Where is the order A-2? Be plain." },
  ]);
  expect(await play.session.commands.run("/mcp__shop__look", signal)).toMatchObject({ kind: "prompt" });
});

deepTest("the verdicts about the calls of hooks reach the debug log and telemetry", async () => {
  await using collector = otlpReceiver();
  const hooks = {
    ...on("UserPromptSubmit", tool("picture")),
    ...on("PreToolUse", tool("fail")),
  };
  const permissions = { ask: ["mcp__shop__fail"] };
  const settings = JSON.stringify({ hooks, permissions, telemetry: { enabled: true, endpoint: collector.url } });
  const mcp = { configs, inProcess: [] };
  await using play = await playing(hooks, { mcp, answerer: "nobody", settings, debug: ["permissions"] });
  await play.session.servers.open();
  await play.say(bash("echo ran"));
  const log = play.session.debugging.log?.path ?? "";
  await play.session.close();
  const verdicts = [
    ["mcp__shop__picture", "allow", "hook"],
    ["mcp__shop__fail", "deny", "nobody"],
  ];
  const told = collector
    .logs()
    .filter(({ attributes }) => String(attributes["gen_ai.tool.call.id"]).startsWith("hook-"))
    .map(({ attributes }) =>
      ["gen_ai.tool.name", "quoll.decision", "quoll.decided_by"].map((name) => attributes[name]),
    );
  expect(told).toEqual(verdicts);
  const lines = await Bun.file(log).text();
  for (const [name, decision] of verdicts)
    expect(lines).toMatch(new RegExp(`hook-\\S+ ${name} ${decision === "allow" ? "allowed" : "denied"}`));
});

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bash, call } from "../../support/app-harness.ts";
import { ROOT } from "../../support/built.ts";
import { on, playing } from "../../support/hooked-session.ts";
import { otlpReceiver } from "../../support/otlp-receiver.ts";

const SERVER = join(ROOT, "tests/services/mcp/servers/sdk-server.ts");
const CONFIGS = [JSON.stringify({ mcpServers: { shop: { command: process.execPath, args: [SERVER] } } })];
const READ = call("Read", { file_path: "a.txt" });
const FILES = {
  "src/b.txt": "b\n",
  ".claude/skills/look/SKILL.md": `---\ndescription: Looks\ncontext: fork\nagent: Explore\n---\n${READ}\n`,
};
const signal = new AbortController().signal;

/** A session with telemetry and a debug log, and a hook at Glob that calls a tool of a server. */
async function recording() {
  const collector = otlpReceiver();
  const hooks = on("PreToolUse", { type: "mcp_tool", server: "shop", tool: "picture" }, "Glob");
  const telemetry = { enabled: true, endpoint: collector.url };
  const settings = JSON.stringify({ hooks, telemetry, permissions: { deny: ["Bash(rm *)"] } });
  const mcp = { configs: CONFIGS, inProcess: [] };
  const play = await playing(hooks, { mcp, settings, debug: ["permissions"] }, undefined, FILES);
  const { session, place } = play;
  const identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
  for (const args of [
    ["init", "-q"],
    ["add", "a.txt"],
    [...identity, "commit", "-q", "-m", "one"],
  ])
    Bun.spawnSync(["git", ...args], { cwd: place.dir });
  await session.servers.open();
  const path = session.debugging.log?.path ?? "";
  const logged = () => [...readFileSync(path, "utf8").matchAll(/(\S+) (\S+) (allowed|denied): /g)];
  return {
    ...play,
    /** The decisions that the log gets while this runs: `Bash allowed`. */
    during: async (work: () => Promise<unknown>) => {
      const before = logged().length;
      await work();
      return logged()
        .slice(before)
        .map(([, , tool, decision]) => `${tool} ${decision}`);
    },
    /** Closes the session. @returns the ids of the calls that each observer was told about. */
    told: async () => {
      await session.close();
      const sent = collector.logs().filter(({ attributes }) => "quoll.decision" in attributes);
      const ofTelemetry = sent.map(({ attributes }) => String(attributes["gen_ai.tool.call.id"]));
      return { ofLog: logged().map(([, id]) => id ?? ""), ofTelemetry };
    },
    async [Symbol.asyncDispose]() {
      await play[Symbol.asyncDispose]();
      await collector[Symbol.asyncDispose]();
    },
  };
}

test("the debug log and telemetry get each decision once, whoever makes the call", async () => {
  await using play = await recording();
  const { session, say, during } = play;
  const found: Record<string, readonly string[]> = {};
  const note = async (name: string, work: () => Promise<unknown>) => {
    found[name] = await during(work);
  };
  await note("main agent", () => say(bash("echo ran")));
  await note("refused", () => say(bash("rm a.txt")));
  const agent = { description: "look", prompt: READ, subagent_type: "Explore" };
  await note("child agent", () => say(call("Agent", agent)));
  await note("forked skill", () => say(call("Skill", { skill: "look" })));
  await note("file mention", () => say("see @a.txt"));
  await note("folder mention", () => say("see @src/"));
  await note("hook", () => say(call("Glob", { pattern: "*.txt" })));
  const held = await session.main.spawn({});
  await note("held call", async () => (await held.authorizeCall("Read", { file_path: "a.txt" }, signal)).run());
  await note("dropped call", async () => (await held.authorizeCall("Read", { file_path: "a.txt" }, signal)).drop());
  await held.close();
  await session.main.worktree?.control.enter({ name: "side" }, signal);
  await note("in a worktree", () => say(bash("echo ran")));
  await note("child agent in a worktree", () => say(call("Agent", agent)));
  expect(found).toEqual({
    "main agent": ["Bash allowed"],
    refused: ["Bash denied"],
    "child agent": ["Agent allowed", "Read allowed"],
    "forked skill": ["Skill allowed", "Agent allowed", "Read allowed"],
    "file mention": ["Read allowed"],
    "folder mention": ["Read allowed"],
    hook: ["mcp__shop__picture allowed", "Glob allowed"],
    "held call": ["Read allowed"],
    "dropped call": ["Read allowed"],
    "in a worktree": ["Bash allowed"],
    "child agent in a worktree": ["Agent allowed", "Read allowed"],
  });
  const { ofLog, ofTelemetry } = await play.told();
  expect(ofTelemetry.toSorted()).toEqual(ofLog.toSorted());
  expect(new Set(ofLog).size).toBe(ofLog.length);
});

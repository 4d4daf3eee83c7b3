import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createSdkMcpServer, type HookCallback, type HookEvent, tool } from "@anthropic-ai/claude-agent-sdk";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest, eachOrDeep } from "../support/deep.ts";
import { resultsIn } from "../support/quoll-process.ts";
import {
  ask,
  closeQueries,
  collect,
  collectAll,
  lastWords,
  place,
  remarks,
  resultOf,
  speech,
} from "../support/sdk-client.ts";

setDefaultTimeout(60_000);
afterEach(closeQueries);

/** One callback for one event. */
const on = (event: HookEvent, hook: HookCallback, matcher?: string) => ({
  hooks: { [event]: [{ hooks: [hook], ...(matcher !== undefined && { matcher }) }] },
});

describe("hooks", () => {
  test("see the prompt, each call and its result, and the end, with their inputs", async () => {
    await using here = await place([reply([toolUse("Read", { file_path: "a.txt" })]), reply("Done.")]);
    const seen: { event: string; fields: readonly string[] }[] = [];
    const note: HookCallback = async (input) => {
      seen.push({ event: input.hook_event_name, fields: Object.keys(input).sort() });
      return {};
    };
    const one = [{ hooks: [note] }];
    const events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"] as const;
    await collect(ask(here, "go", { hooks: Object.fromEntries(events.map((event) => [event, one])) }));
    expect(seen.map(({ event }) => event)).toEqual([...events]);
    const common = ["cwd", "hook_event_name", "permission_mode", "session_id", "transcript_path"];
    expect(seen.every(({ fields }) => common.every((field) => fields.includes(field)))).toBe(true);
    expect(seen[3]?.fields).toEqual(
      [...common, "duration_ms", "prompt_id", "tool_input", "tool_name", "tool_response", "tool_use_id"].sort(),
    );
  });

  deepTest(
    "around a summary: see why and what it says, and add words behind it; a matcher chooses the reason",
    async () => {
      const summary = "<summary>\n## Goal\nRead a.txt.\n## Next step\nGo on.\n</summary>";
      const read = reply([toolUse("Read", { file_path: "a.txt" })]);
      const files = { "a.txt": "the content of a\n".repeat(200) };
      await using here = await place([read, reply("It says so."), reply(summary), reply("More.")], files);
      const seen: object[] = [];
      const note: HookCallback = async (input) => {
        seen.push(input);
        const hookEventName = "SessionStart" as const;
        return input.hook_event_name === hookEventName
          ? { hookSpecificOutput: { hookEventName, additionalContext: "Mind the tables." } }
          : {};
      };
      const never: HookCallback = async () => {
        throw new Error("the wrong matcher");
      };
      const hooks = {
        PreCompact: [
          { matcher: "manual", hooks: [note] },
          { matcher: "auto", hooks: [never] },
        ],
        PostCompact: [{ hooks: [note] }],
        SessionStart: [{ matcher: "compact", hooks: [note] }],
      };
      const talk = speech();
      const words = ["look", "/compact keep the names", "and now"];
      talk.say(words.shift() ?? "");
      const told: string[] = [];
      for await (const message of ask(here, talk, { hooks })) {
        told.push(...remarks([message]));
        if (message.type !== "result") continue;
        const next = words.shift();
        if (next === undefined) talk.end();
        else talk.say(next);
      }
      expect(seen).toMatchObject([
        { hook_event_name: "PreCompact", trigger: "manual", custom_instructions: "keep the names" },
        { hook_event_name: "PostCompact", trigger: "manual", compact_summary: expect.stringContaining("Read a.txt.") },
        { hook_event_name: "SessionStart", source: "compact" },
      ]);
      const [first] = here.sent().at(-1)?.messages ?? [];
      expect(JSON.stringify(first)).toContain("Mind the tables.");
      expect(told.filter((line) => line.includes("hook"))).toEqual([]);
      expect(here.refused()).toEqual([]);
    },
  );

  deepTest("before a call: refuse it, change its input, by the name of the tool", async () => {
    const write = (file: string) => toolUse("Write", { file_path: file, content: "x" });
    await using here = await place([reply([write("no.txt"), write("yes.txt")]), reply("Done.")]);
    const hook: HookCallback = async (input) => {
      if (input.hook_event_name !== "PreToolUse") return {};
      const { file_path } = input.tool_input as { file_path: string };
      const hookEventName = "PreToolUse" as const;
      if (file_path === "no.txt")
        return {
          hookSpecificOutput: { hookEventName, permissionDecision: "deny", permissionDecisionReason: "not that" },
        };
      const updatedInput = { file_path, content: "hook\n" };
      return { hookSpecificOutput: { hookEventName, permissionDecision: "allow", updatedInput } };
    };
    const never: HookCallback = async () => ({ decision: "block", reason: "the wrong matcher" });
    const hooks = {
      PreToolUse: [
        { matcher: "Edit|Write", hooks: [hook] },
        { matcher: "Bash", hooks: [never] },
      ],
    };
    const messages = await collect(ask(here, "write", { hooks, permissionMode: "acceptEdits" }));
    expect(resultsIn(here.sent()[1])[0]).toContain("not that");
    expect(await here.project.read("yes.txt")).toBe("hook\n");
    expect(resultOf(messages).permission_denials).toMatchObject([{ tool_name: "Write" }]);
    expect(here.refused()).toEqual([]);
  });

  deepTest("after a call, at the prompt and at the end: their words reach the model", async () => {
    await using here = await place([reply([toolUse("Read", { file_path: "a.txt" })]), reply("Done?"), reply("Done.")]);
    let stops = 0;
    const context = (hookEventName: "PostToolUse" | "UserPromptSubmit", additionalContext: string): HookCallback => {
      return async () => ({ hookSpecificOutput: { hookEventName, additionalContext } });
    };
    const stop: HookCallback = async () => {
      stops += 1;
      return stops === 1 ? { decision: "block", reason: "Look once more." } : {};
    };
    const hooks = {
      UserPromptSubmit: [{ hooks: [context("UserPromptSubmit", "It is Monday.")] }],
      PostToolUse: [{ matcher: "Read", hooks: [context("PostToolUse", "A is the first letter.")] }],
      Stop: [{ hooks: [stop] }],
    };
    const messages = await collect(ask(here, "go", { hooks }));
    expect(resultOf(messages)).toMatchObject({ subtype: "success", result: "Done.", num_turns: 3 });
    expect(here.sent()[0]?.messages[0]?.content.map(({ text: words }) => words)).toContain("It is Monday.");
    expect(resultsIn(here.sent()[1])[0]).toContain("A is the first letter.");
    expect(lastWords(here, 2)).toContain("Look once more.");
    expect(stops).toBe(2);
    expect(here.refused()).toEqual([]);
  });

  deepTest("refuse a prompt: no model is asked", async () => {
    await using here = await place([reply("Never.")]);
    const refuse: HookCallback = async () => ({ decision: "block", reason: "no secrets here" });
    const result = resultOf(await collectAll(ask(here, "the password is x", on("UserPromptSubmit", refuse))));
    expect("errors" in result && result.errors[0]).toContain("no secrets here");
    expect(here.sent()).toEqual([]);
  });

  deepTest("before a call: words for the model, whether it runs or not", async () => {
    const calls = reply([
      toolUse("Read", { file_path: "a.txt" }),
      toolUse("Bash", { command: "rm a.txt", description: "x" }),
    ]);
    await using here = await place([calls, reply("Done.")]);
    const hook: HookCallback = async (input) => ({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        additionalContext: input.hook_event_name === "PreToolUse" ? `about ${input.tool_name}` : "",
      },
    });
    await collect(ask(here, "go", { ...on("PreToolUse", hook), disallowedTools: ["Bash(rm *)"] }));
    expect(resultsIn(here.sent()[1])).toEqual(["     1\tA\nabout Read", expect.stringMatching(/\nabout Bash(?:\n|$)/)]);
  });

  deepTest("before a call: allow fills the silence of the rules, and beats no rule and no protection", async () => {
    const write = (file_path: string) => toolUse("Write", { file_path, content: "hook\n" });
    await using here = await place([
      reply([write("new.txt"), write("denied.txt"), write(".git/hooks/pre-commit"), write("/etc/quoll-test")]),
      reply("Done."),
    ]);
    const allow: HookCallback = async () => ({
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" },
    });
    const messages = await collect(
      ask(here, "write", { ...on("PreToolUse", allow, "Write"), disallowedTools: ["Write(denied.txt)"] }),
    );
    expect(await here.project.read("new.txt")).toBe("hook\n");
    expect(await here.project.read("denied.txt").catch(() => "absent")).toBe("absent");
    expect(await here.project.read(".git/hooks/pre-commit").catch(() => "absent")).toBe("absent");
    const denied = resultOf(messages).permission_denials.map(({ tool_input: { file_path } }) => file_path);
    expect(denied).toEqual(expect.arrayContaining(["denied.txt", ".git/hooks/pre-commit"]));
  });

  eachOrDeep(
    "before a call: %s puts it to the program although a rule allows it",
    1,
    ["ask", "defer"] as const,
    async (decision) => {
      await using here = await place([reply([toolUse("Read", { file_path: "a.txt" })]), reply("Done.")]);
      const hook: HookCallback = async () => ({
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: decision,
          permissionDecisionReason: "hm",
        },
      });
      const asked: unknown[] = [];
      await collect(
        ask(here, "read", {
          ...on("PreToolUse", hook),
          allowedTools: ["Read(**)"],
          canUseTool: async (name, _, { decisionReason }) => {
            asked.push([name, decisionReason]);
            return { behavior: "deny", message: "Not now." };
          },
        }),
      );
      expect(asked).toEqual([["Read", expect.stringContaining("hm")]]);
      expect(resultsIn(here.sent()[1])[0]).toContain("Not now.");
    },
  );

  deepTest(
    "after a call: its result is replaced, also one of a server, before the model and the log see it",
    async () => {
      const calls = reply([toolUse("Read", { file_path: "a.txt" }), toolUse("mcp__vault__get", {})]);
      await using here = await place([calls, reply("Done.")], { "a.txt": "number wombat-1\n" });
      const vault = createSdkMcpServer({
        name: "vault",
        tools: [tool("get", "Gets it", {}, async () => ({ content: [{ type: "text", text: "number wombat-2" }] }))],
      });
      const hook: HookCallback = async (input) => {
        if (input.hook_event_name !== "PostToolUse") return {};
        const hookEventName = input.hook_event_name;
        const hidden = String(input.tool_response).replace(/wombat-\d/, "[hidden]");
        return input.tool_name === "Read"
          ? { hookSpecificOutput: { hookEventName, updatedToolOutput: hidden } }
          : { hookSpecificOutput: { hookEventName, updatedMCPToolOutput: [{ type: "text", text: hidden }] } };
      };
      const messages = await collect(
        ask(here, "go", { ...on("PostToolUse", hook), mcpServers: { vault }, allowedTools: ["mcp__vault__get"] }),
      );
      expect(resultsIn(here.sent()[1])).toEqual(["     1\tnumber [hidden]", "number [hidden]"]);
      expect(JSON.stringify([messages, here.sent()])).not.toMatch(/wombat-\d/);
    },
  );

  deepTest("end a turn with their reason, and the next message finds a session that works", async () => {
    await using here = await place([reply([toolUse("Read", { file_path: "a.txt" })]), reply("Here.")]);
    const stop: HookCallback = async () => ({ continue: false, stopReason: "the budget is spent" });
    const first = resultOf(await collectAll(ask(here, "go", on("PostToolUse", stop))));
    expect(first).toMatchObject({ subtype: "error_during_execution", is_error: true });
    expect("errors" in first && first.errors).toEqual(["A hook ended the turn: the budget is spent"]);
    const second = resultOf(await collect(ask(here, "and now?", { resume: first.session_id })));
    expect(second).toMatchObject({ subtype: "success", result: "Here." });
    expect(here.refused()).toEqual([]);
  });

  deepTest("send lines to the person, and name a field without effect once", async () => {
    await using here = await place([reply("Done.")]);
    const hook: HookCallback = async () => ({
      systemMessage: "Mind the gap.",
      suppressOutput: true,
      hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "It rains.", sessionTitle: "Rain" },
    });
    const messages = await collect(ask(here, "go", on("SessionStart", hook)));
    expect(remarks(messages).join("\n").split("\n")).toEqual([
      "Mind the gap.",
      "A hook for SessionStart answered with sessionTitle, which has no effect here.",
    ]);
    expect(here.sent()[0]?.messages[0]?.content.map(({ text: words }) => words)).toContain("It rains.");
  });

  deepTest("that exceed their time, or throw, are skipped and reported", async () => {
    await using here = await place([reply([toolUse("Read", { file_path: "a.txt" })]), reply("Done.")]);
    const signals: AbortSignal[] = [];
    const slow: HookCallback = (_input, _id, { signal }) => {
      signals.push(signal);
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve({}), { once: true }));
    };
    const broken: HookCallback = async () => {
      throw new Error("out of order");
    };
    const messages = await collect(
      ask(here, "go", {
        hooks: { PreToolUse: [{ hooks: [slow], timeout: 0.2 }], PostToolUse: [{ hooks: [broken] }] },
      }),
    );
    expect(resultOf(messages)).toMatchObject({ subtype: "success", result: "Done." });
    expect(resultsIn(here.sent()[1])).toEqual(["     1\tA"]);
    expect(remarks(messages)).toEqual([
      "A hook for PreToolUse failed: it did not answer within 0.2 s. Quoll continued without the hook.",
      expect.stringMatching(/^A hook for PostToolUse failed: .*out of order.* Quoll continued without the hook\.$/),
    ]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  deepTest("that must not fail block what they guard", async () => {
    await using here = await place([reply([toolUse("Read", { file_path: "a.txt" })]), reply("Done.")]);
    const broken: HookCallback = async () => {
      throw new Error("out of order");
    };
    await collect(ask(here, "go", { hooks: { PreToolUse: [{ hooks: [broken], onFailure: "block" }] } }));
    expect(resultsIn(here.sent()[1])[0]).toContain("out of order");
    expect(resultsIn(here.sent()[1])[0]).not.toContain("1\tA");
  });

  deepTest("of a failed call and of the end of the session are called too", async () => {
    await using here = await place([reply([toolUse("Read", { file_path: "none.txt" })]), reply("Done.")]);
    const seen: unknown[] = [];
    const note: HookCallback = async (input) => {
      if (input.hook_event_name === "PostToolUseFailure") seen.push([input.tool_name, typeof input.error]);
      if (input.hook_event_name === "Stop") seen.push(input.last_assistant_message);
      if (input.hook_event_name === "SessionEnd") seen.push(input.reason);
      return {};
    };
    const one = [{ hooks: [note] }];
    await collect(
      ask(here, "go", { hooks: { PostToolUseFailure: one, PostToolUse: one, Stop: one, SessionEnd: one } }),
    );
    expect(seen).toEqual([["Read", "string"], "Done.", "other"]);
  });
});

import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { dirname } from "node:path";
import type { Options, PermissionResult, SDKMessage, SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import { reply, text, thinking, toolUse } from "@quoll/model-twin/scenario";
import { builtArtefacts } from "../support/built.ts";
import { deepTest } from "../support/deep.ts";
import { eventually, isRunning } from "../support/eventually.ts";
import { resultsIn } from "../support/quoll-process.ts";
import {
  ask,
  closeQueries,
  collect,
  kinds,
  lastWords,
  place,
  remarks,
  resultOf,
  speech,
  user,
} from "../support/sdk-client.ts";

setDefaultTimeout(60_000);
afterEach(closeQueries);

describe("a conversation", () => {
  test("with a tool: its messages in order, one result, and the process is gone when it ends", async () => {
    await using here = await place([reply([text("Look."), toolUse("Read", { file_path: "a.txt" })]), reply("Done.")]);
    const messages = await collect(ask(here, "what is in a.txt?"));
    expect(kinds(messages)).toEqual(["system/init", "assistant", "user", "assistant", "result/success"]);
    expect(resultOf(messages)).toMatchObject({
      is_error: false,
      num_turns: 2,
      result: "Done.",
      stop_reason: "end_turn",
    });
    const [init] = messages;
    expect(init).toMatchObject({ cwd: here.project.dir, permissionMode: "default", mcp_servers: [] });
    expect(init && "tools" in init && init.tools).toContain("Read");
    expect(new Set(messages.map(({ session_id }) => session_id)).size).toBe(1);
    expect(resultsIn(here.sent()[1])).toEqual(["     1\tA"]);
    expect(here.refused()).toEqual([]);
  });

  deepTest("with several messages in one stream: a turn and a result each, one session", async () => {
    await using here = await place([reply("One."), reply("Two."), reply("Three.")]);
    const three = async function* () {
      yield user("first");
      yield user([{ type: "text", text: "second" }]);
      yield user("third");
    };
    const messages = await collect(ask(here, three()));
    const results = messages.flatMap((message) => (message.type === "result" ? [message] : []));
    expect(results.map((result) => "result" in result && result.result)).toEqual(["One.", "Two.", "Three."]);
    expect(new Set(results.map(({ session_id }) => session_id)).size).toBe(1);
    expect([0, 1, 2].map((index) => lastWords(here, index))).toEqual(["first", "second", "third"]);
    expect(here.sent()[2]?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    expect(here.refused()).toEqual([]);
  });

  deepTest("with a picture in a message", async () => {
    await using here = await place([reply("A dot.")]);
    const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const one = async function* () {
      yield user([
        { type: "text", text: "what is this?" },
        { type: "image", source: { type: "base64", media_type: "image/png", data } },
      ]);
    };
    expect(resultOf(await collect(ask(here, one())))).toMatchObject({ result: "A dot." });
    expect(here.sent()[0]?.messages[0]?.content.map(({ type }) => type)).toEqual(["text", "image", "text"]);
    expect(here.refused()).toEqual([]);
  });

  deepTest("is told while it comes when that is asked for", async () => {
    const content = [thinking("Hm."), text("Hello there, friend."), toolUse("Read", { file_path: "a.txt" })];
    const words = reply(content, { deltaChars: 7, paceMs: 60 });
    await using here = await place([words, reply("Done.")]);
    const messages = await collect(ask(here, "hi", { includePartialMessages: true, thinking: { type: "enabled" } }));
    const events = messages.flatMap((message) => (message.type === "stream_event" ? [message.event] : []));
    const deltas = events.flatMap((event) =>
      event.type === "content_block_delta" && event.delta.type === "text_delta" ? [event.delta.text] : [],
    );
    expect(deltas.join("")).toBe("Hello there, friend.Done.");
    expect(deltas.length).toBeGreaterThan(2);
    const starts = events.flatMap((event) => (event.type === "message_start" ? [event.message.id] : []));
    const ids = messages.flatMap((message) => (message.type === "assistant" ? [message.message.id] : []));
    expect(starts).toEqual(ids);
    expect(events.filter(({ type }) => type === "message_stop")).toHaveLength(2);
    const begun = events.flatMap((event) => (event.type === "content_block_start" ? [event.content_block.type] : []));
    expect(begun).toEqual(["thinking", "text", "tool_use", "text"]);
  });

  deepTest("continues in a later process, and may continue in a copy", async () => {
    await using here = await place([reply("I remember."), reply("It was 7."), reply("Still 7.")]);
    const first = resultOf(await collect(ask(here, "the number is 7")));
    const second = resultOf(await collect(ask(here, "which number?", { resume: first.session_id })));
    expect(second).toMatchObject({ result: "It was 7.", session_id: first.session_id });
    expect(here.sent()[1]?.messages).toHaveLength(3);
    const copy = resultOf(await collect(ask(here, "sure?", { resume: first.session_id, forkSession: true })));
    expect(copy.session_id).not.toBe(first.session_id);
    expect(here.sent()[2]?.messages).toHaveLength(5);
    expect(here.refused()).toEqual([]);
  });

  deepTest("has the id and the prompt that the program chooses", async () => {
    await using here = await place([reply("Arr."), reply("Aye.")]);
    const sessionId = "0d9f2c1e-1b2c-4d5e-8f90-123456789abc";
    expect(resultOf(await collect(ask(here, "hi", { sessionId, systemPrompt: "You are a pirate." })))).toMatchObject({
      session_id: sessionId,
    });
    expect(here.sent()[0]?.system.map(({ text: words }) => words)).toEqual(["You are a pirate."]);
    const preset = { type: "preset", preset: "claude_code", append: "Speak like a pirate." } as const;
    await collect(ask(here, "hi", { systemPrompt: preset }));
    expect(here.sent()[1]?.system.at(-1)?.text).toEndWith("\n\nSpeak like a pirate.");
    expect(here.sent()[1]?.system.at(-1)?.text.length).toBeGreaterThan(500);
  });

  deepTest("that may take only so many steps ends with a result that says so", async () => {
    await using here = await place(() => reply([toolUse("Read", { file_path: "a.txt" })]));
    // The client throws once the result was an error; the result itself comes before.
    const messages: SDKMessage[] = [];
    const failure = await (async () => {
      for await (const message of ask(here, "loop", { maxTurns: 2 })) messages.push(message);
    })().catch((error: unknown) => error);
    expect(resultOf(messages)).toMatchObject({ subtype: "error_max_turns", num_turns: 2, is_error: true });
    expect(failure === undefined || failure instanceof Error).toBe(true);
  });
});

describe("canUseTool", () => {
  const writing = () => [
    reply([toolUse("Write", { file_path: "new.txt", content: "model\n" })]),
    reply("Done."),
    reply("Never asked."),
  ];

  test("is asked with the input and what could be remembered, and an allowed call runs with the input it gives", async () => {
    await using here = await place(writing());
    const asked: unknown[] = [];
    const canUseTool: Options["canUseTool"] = async (
      name,
      input,
      { toolUseID, suggestions = [], title, decisionReason },
    ) => {
      asked.push({ name, input, toolUseID, suggestions: suggestions.map(({ type }) => type), title, decisionReason });
      return { behavior: "allow", updatedInput: { ...input, content: "person\n" } };
    };
    const messages = await collect(ask(here, "write", { canUseTool }));
    expect(asked).toEqual([
      {
        name: "Write",
        input: { file_path: "new.txt", content: "model\n" },
        toolUseID: expect.any(String),
        suggestions: expect.arrayContaining(["addRules"]),
        title: "Change this file?",
        decisionReason: expect.any(String),
      },
    ]);
    expect(await here.project.read("new.txt")).toBe("person\n");
    expect(resultOf(messages)).toMatchObject({ subtype: "success", permission_denials: [] });
    expect(here.refused()).toEqual([]);
  });

  deepTest("denies: the model reads the reason, and the result lists the call", async () => {
    await using here = await place(writing());
    const canUseTool = async (): Promise<PermissionResult> => ({ behavior: "deny", message: "Not on a Friday." });
    const messages = await collect(ask(here, "write", { canUseTool }));
    expect(resultsIn(here.sent()[1])).toEqual([expect.stringContaining("Not on a Friday.")]);
    expect(resultOf(messages)).toMatchObject({
      subtype: "success",
      permission_denials: [{ tool_name: "Write", tool_input: { file_path: "new.txt", content: "model\n" } }],
    });
  });

  deepTest("denies and ends the turn; a further message finds a session that works", async () => {
    await using here = await place(writing());
    const canUseTool = async (): Promise<PermissionResult> => ({ behavior: "deny", message: "Stop.", interrupt: true });
    const words = speech();
    const results: SDKResultMessage[] = [];
    words.say("write");
    for await (const message of ask(here, words, { canUseTool })) {
      if (message.type !== "result") continue;
      results.push(message);
      if (results.length === 1) words.say("and now?");
      else words.end();
    }
    expect(results.map(({ subtype }) => subtype)).toEqual(["error_during_execution", "success"]);
    expect(here.sent()).toHaveLength(2);
    expect(here.refused()).toEqual([]);
  });

  deepTest("may remember a rule for the session: it isn't asked again", async () => {
    const run = (command: string) => reply([toolUse("Bash", { command, description: "x" })]);
    await using here = await place([run("npm test -- a"), run("npm test -- b"), reply("Done.")]);
    const asked: unknown[] = [];
    const canUseTool: Options["canUseTool"] = async (_, input) => {
      asked.push(input["command"]);
      const rules = [{ toolName: "Bash", ruleContent: "npm test -- *" }];
      return {
        behavior: "allow",
        updatedInput: { ...input, command: "true" },
        updatedPermissions: [{ type: "addRules", rules, behavior: "allow", destination: "session" }],
      };
    };
    await collect(ask(here, "look", { canUseTool }));
    expect(asked).toEqual(["npm test -- a"]);
  });

  deepTest("may tighten the session, and learns which changes were not made", async () => {
    const run = (command: string) => reply([toolUse("Bash", { command, description: "x" })]);
    await using here = await place([run("npm test"), run("npm run build"), run("npm run lint"), reply("Done.")]);
    const asked: unknown[] = [];
    const canUseTool: Options["canUseTool"] = async (_, input) => {
      asked.push(input["command"]);
      const to = { destination: "session" } as const;
      return {
        behavior: "allow",
        updatedInput: { ...input, command: "true" },
        updatedPermissions: [
          { type: "addRules", behavior: "deny", rules: [{ toolName: "Bash", ruleContent: "npm run build" }], ...to },
          { type: "removeRules", behavior: "allow", rules: [{ toolName: "Bash", ruleContent: "npm run lint" }], ...to },
          { type: "removeRules", behavior: "deny", rules: [{ toolName: "Bash", ruleContent: "curl *" }], ...to },
          { type: "addDirectories", directories: ["/srv"], ...to },
        ],
      };
    };
    const messages = await collect(
      ask(here, "look", { canUseTool, allowedTools: ["Bash(npm run lint)"], disallowedTools: ["Bash(curl *)"] }),
    );
    expect(asked).toEqual(["npm test", "npm run lint"]);
    expect(resultsIn(here.sent()[2]).at(-1)).toContain("npm run build");
    expect(remarks(messages).slice(0, 2)).toEqual([
      "Not removed, since it was not added in this session: Bash(curl *). The call was allowed once.",
      expect.stringContaining("addDirectories"),
    ]);
  });
});

describe("permissions of a session", () => {
  deepTest("a plan is put to the program, which approves it and lets edits be made", async () => {
    const plan = reply([toolUse("ExitPlanMode", { plan: "1. Write new.txt" })]);
    const write = reply([toolUse("Write", { file_path: "new.txt", content: "x\n" })]);
    await using here = await place([plan, write, reply("Done.")]);
    const asked: string[] = [];
    const canUseTool: Options["canUseTool"] = async (name, input) => {
      asked.push(name);
      const mode = { type: "setMode", mode: "acceptEdits", destination: "session" } as const;
      return { behavior: "allow", updatedInput: input, updatedPermissions: [mode] };
    };
    const messages = await collect(ask(here, "plan it", { canUseTool, permissionMode: "plan" }));
    expect(messages[0]).toMatchObject({ permissionMode: "plan" });
    expect(asked).toEqual(["ExitPlanMode"]);
    expect(await here.project.read("new.txt")).toBe("x\n");
    expect(messages).toContainEqual(expect.objectContaining({ subtype: "status", permissionMode: "acceptEdits" }));
    expect(here.refused()).toEqual([]);
  });

  deepTest("a budget is never exceeded, and the program is not asked for more", async () => {
    await using here = await place([reply("Never.")]);
    const messages: SDKMessage[] = [];
    const asked: string[] = [];
    const canUseTool = async (name: string): Promise<PermissionResult> => {
      asked.push(name);
      return { behavior: "allow" };
    };
    await (async () => {
      for await (const message of ask(here, "hi", { maxBudgetUsd: 0.0001, canUseTool })) messages.push(message);
    })().catch(() => undefined);
    expect(resultOf(messages)).toMatchObject({ subtype: "error_max_budget_usd", is_error: true });
    expect({ asked, sent: here.sent() }).toEqual({ asked: [], sent: [] });
  });
});

describe("on Node", () => {
  deepTest("the same conversation, with a call that is asked about", async () => {
    await using here = await place([
      reply([toolUse("Write", { file_path: "new.txt", content: "x\n" })]),
      reply("Done."),
    ]);
    const { cli, node } = await builtArtefacts();
    const env = here.environmentOf({});
    const messages = await collect(
      ask(here, "write", {
        pathToClaudeCodeExecutable: cli,
        executable: "node",
        env: { ...env, PATH: `${dirname(node)}:${env.PATH}` },
        canUseTool: async (_, input) => ({ behavior: "allow", updatedInput: input }),
        hooks: { PostToolUse: [{ hooks: [async () => ({})] }] },
      }),
    );
    expect(kinds(messages)).toEqual(["system/init", "assistant", "user", "assistant", "result/success"]);
    expect(await here.project.read("new.txt")).toBe("x\n");
  });
});

describe("control in mid-session", () => {
  deepTest("an interrupt ends the turn with a result, and the session continues", async () => {
    const slow = reply([text("I begin."), toolUse("Bash", { command: "sleep 30", description: "waits" })]);
    await using here = await place([slow, reply("Here I am.")]);
    const words = speech();
    words.say("wait");
    const asked = ask(here, words, { allowedTools: ["Bash(sleep *)"] });
    const results: SDKResultMessage[] = [];
    const receipts: unknown[] = [];
    for await (const message of asked) {
      if (message.type === "assistant" && results.length === 0) receipts.push(await asked.interrupt());
      if (message.type !== "result") continue;
      results.push(message);
      if (results.length === 1) words.say("still there?");
      else words.end();
    }
    expect(receipts).toEqual([expect.objectContaining({ still_queued: [] })]);
    expect(results.map(({ subtype }) => subtype)).toEqual(["error_during_execution", "success"]);
    expect(lastWords(here, 1)).toBe("still there?");
    expect(here.refused()).toEqual([]);
  });

  deepTest("an interrupt names waiting messages; now joins the turn, later goes behind the rest", async () => {
    const slow = (seconds: number) => reply([toolUse("Bash", { command: `sleep ${seconds}`, description: "waits" })]);
    await using here = await place([slow(30), slow(0.3), reply("One."), reply("Two."), reply("Three.")]);
    const words = speech();
    const asked = ask(here, words, { allowedTools: ["Bash(sleep *)"], replayUserMessages: true } as Options);
    const uuid = (n: number) => `0d9f2c1e-1b2c-4d5e-8f90-00000000000${n}` as const;
    words.say("go");
    const receipts: unknown[] = [];
    const results: unknown[] = [];
    let calls = 0;
    for await (const message of asked) {
      const isCall = message.type === "assistant" && message.message.content.some(({ type }) => type === "tool_use");
      if (isCall) calls += 1;
      if (isCall && calls === 1) {
        words.say("last", { priority: "later", uuid: uuid(1) });
        words.say("second", { uuid: uuid(2) });
        words.say("third");
        // The reply to one request says that all before it were read.
        await asked.mcpServerStatus();
        receipts.push(await asked.interrupt());
      }
      if (isCall && calls === 2) words.say("quick", { priority: "now" });
      if (message.type !== "result") continue;
      results.push("result" in message && message.result);
      if (results.length === 4) words.end();
    }
    expect(receipts).toMatchObject([{ still_queued: [uuid(2), expect.any(String), uuid(1)] }]);
    expect(results.slice(1)).toEqual(["One.", "Two.", "Three."]);
    expect([1, 2, 3, 4].map((at) => lastWords(here, at))).toEqual(["second", "quick", "third", "last"]);
    expect(here.refused()).toEqual([]);
  });

  deepTest("mode and model are changed between turns, and what can't be is refused", async () => {
    const write = (name: string) => reply([toolUse("Write", { file_path: name, content: "x\n" })]);
    await using here = await place([write("one.txt"), reply("No."), write("two.txt"), reply("Yes.")]);
    const words = speech();
    const asked = ask(here, words, { model: "claude-sonnet-5" });
    words.say("write");
    const results: SDKResultMessage[] = [];
    const inits: unknown[] = [];
    for await (const message of asked) {
      if (message.type === "system" && message.subtype === "init") inits.push([message.permissionMode, message.model]);
      if (message.type !== "result") continue;
      results.push(message);
      if (results.length === 2) {
        words.end();
        continue;
      }
      await asked.setPermissionMode("acceptEdits");
      await asked.setModel("claude-haiku-4-5");
      const refused = await asked.setPermissionMode("bypassPermissions").catch((error: unknown) => String(error));
      expect(refused).toContain("--allow-dangerously-skip-permissions");
      words.say("again");
    }
    expect(results.map(({ permission_denials: denials }) => denials.length)).toEqual([1, 0]);
    expect(inits).toEqual([
      ["default", "claude-sonnet-5"],
      ["acceptEdits", "claude-haiku-4-5"],
    ]);
    expect(here.sent().map(({ model }) => model)).toEqual([
      ...["claude-sonnet-5", "claude-sonnet-5"],
      ...["claude-haiku-4-5", "claude-haiku-4-5"],
    ]);
    expect(await here.project.read("two.txt")).toBe("x\n");
    expect(here.refused()).toEqual([]);
  });

  deepTest("a program can ask for models, commands and agents", async () => {
    await using here = await place([reply("Hi.")]);
    const words = speech();
    const agents = { reviewer: { description: "Reads code", prompt: "You read code." } };
    const asked = ask(here, words, { agents });
    expect((await asked.supportedModels()).length).toBeGreaterThan(3);
    expect(await asked.supportedCommands()).toContainEqual(expect.objectContaining({ name: "cost" }));
    const known = await asked.supportedAgents();
    expect(known).toContainEqual({ name: "reviewer", description: "Reads code" });
    expect(known.map(({ name }) => name)).toContain("general-purpose");
    expect(await asked.mcpServerStatus()).toEqual([]);
    expect(await asked.accountInfo()).toMatchObject({ apiKeySource: "ANTHROPIC_API_KEY" });
    expect(await asked.getContextUsage()).toMatchObject({ totalTokens: expect.any(Number), memoryFiles: [] });
    expect(await asked.rewindFiles("nowhere")).toMatchObject({ canRewind: false, error: expect.any(String) });
    await expect(asked.stopTask("nothing")).rejects.toThrow("no background task");
    words.say("hi");
    words.end();
    const messages = await collect(asked);
    expect(messages[0]).toMatchObject({ agents: expect.arrayContaining(["reviewer", "general-purpose"]) });
    expect(kinds(messages)).not.toContain("system/informational");
  });

  deepTest("the caller limits the tokens for thinking, and reads the contents of the window", async () => {
    await using here = await place([reply("One."), reply("Two."), reply("Three."), reply("Four.")]);
    const words = speech();
    const asked = ask(here, words, { model: "claude-haiku-4-5" });
    const budgets = [undefined, 4_000, 0, null];
    const usages: unknown[] = [];
    words.say("hi");
    let turns = 0;
    for await (const message of asked) {
      if (message.type !== "result") continue;
      turns += 1;
      const { totalTokens, categories, apiUsage } = await asked.getContextUsage();
      const used = categories.filter(({ kind }) => kind === "used").reduce((sum, { tokens }) => sum + tokens, 0);
      usages.push([used === totalTokens, apiUsage !== null]);
      const next = budgets[turns];
      if (next === undefined) {
        words.end();
        continue;
      }
      await asked.setMaxThinkingTokens(next);
      words.say("again");
    }
    const isCount = (request: object) => !("max_tokens" in request);
    expect(here.sent().filter(isCount)).toHaveLength(4 * 5);
    const answered = here.sent().filter((request) => !isCount(request));
    const sent = answered.map((request) => (request as unknown as { thinking?: unknown }).thinking);
    expect(sent[1]).toMatchObject({ budget_tokens: 4_000 });
    expect([sent[2], sent[3]]).toEqual([expect.not.objectContaining({ type: "enabled" }), sent[0]]);
    expect(usages).toEqual(Array.from({ length: 4 }, () => [true, true]));
    expect(here.refused()).toEqual([]);
  });

  test("an aborted client leaves no process behind", async () => {
    const slow = reply([toolUse("Bash", { command: "echo $$ > pid; exec sleep 60", description: "waits" })]);
    await using here = await place([slow]);
    const abortController = new AbortController();
    const canUseTool = async (): Promise<PermissionResult> => ({ behavior: "allow" });
    const asked = ask(here, "wait", { abortController, canUseTool });
    const ended = collect(asked).catch(() => undefined);
    const pid = async () => Number(await here.project.read("pid").catch(() => ""));
    await eventually("the command runs", async () => (await pid()) > 0);
    abortController.abort();
    await ended;
    const child = await pid();
    await eventually("the command is gone", () => !isRunning(child));
  });
});

describe("structured output", () => {
  const schema = {
    type: "object",
    properties: { name: { type: "string" }, lines: { type: "integer", minimum: 1 } },
    required: ["name", "lines"],
    additionalProperties: false,
  };

  deepTest("comes checked, after another try when the first does not fit", async () => {
    const answers = [reply('{"name":"a.txt","lines":0}'), reply('{"name":"a.txt","lines":1}')];
    await using here = await place(answers);
    const messages = await collect(ask(here, "describe a.txt", { outputFormat: { type: "json_schema", schema } }));
    expect(resultOf(messages)).toMatchObject({
      subtype: "success",
      structured_output: { name: "a.txt", lines: 1 },
    });
    expect(here.sent()).toHaveLength(2);
    expect(here.refused()).toEqual([]);
  });

  deepTest("that never fits ends with the error that programs know", async () => {
    await using here = await place(() => reply("I would rather not."));
    const messages: SDKMessage[] = [];
    await (async () => {
      const asked = ask(here, "describe", { outputFormat: { type: "json_schema", schema } });
      for await (const message of asked) messages.push(message);
    })().catch(() => undefined);
    expect(resultOf(messages).subtype).toBe("error_max_structured_output_retries");
  });
});

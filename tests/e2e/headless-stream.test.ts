import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { failing, fault, reply, type Scenario, text, toolUse } from "@quoll/model-twin/scenario";
import { ROOT } from "../support/built.ts";
import { deepTest, eachOrDeep } from "../support/deep.ts";
import { eventually, isRunning } from "../support/eventually.ts";
import { quollPlace, resultsIn } from "../support/quoll-process.ts";
import { streamClient as client, control, STREAM, type StreamLine, said } from "../support/stream-client.ts";

setDefaultTimeout(60_000);

type Line = StreamLine;
type Place = Awaited<ReturnType<typeof quollPlace>>;

const place = (scenario: Scenario, files = { "a.txt": "A\n" }) => quollPlace({ files, scenario });
const response = (id: unknown, given: object) => ({
  type: "control_response",
  response: { subtype: "success", request_id: id, response: given },
});

const isRequest = (subtype: string) => (line: Line) =>
  line.type === "control_request" && (line["request"] as { subtype: string }).subtype === subtype;
const isReplyTo = (id: string) => (line: Line) =>
  line.type === "control_response" && (line["response"] as { request_id: string }).request_id === id;
const repliedTo = (line: Line) =>
  line["response"] as { subtype: string; error?: string; response?: Record<string, unknown> };
const outline = (lines: readonly Line[]) => lines.map(({ type, subtype }) => (subtype ? `${type}/${subtype}` : type));

describe("messages", () => {
  test("sent while a turn runs wait, in order; at the end of stdin all are done, and the exit is 0", async () => {
    await using here = await place((_, index) => reply(`Answer ${index}.`, { paceMs: 5 }));
    await using c = client(here);
    c.send(said("one", { uuid: "u-1" }), said("two"), said([{ type: "text", text: "three" }]));
    c.end();
    expect(await c.ended()).toBe(0);
    expect(c.results().map(({ result }) => result)).toEqual(["Answer 0.", "Answer 1.", "Answer 2."]);
    expect(outline(c.lines)).toEqual(
      Array.from({ length: 3 }, () => ["system/init", "assistant", "result/success"]).flat(),
    );
    expect(here.sent().map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
    expect(here.sessionEntries().find(({ kind }) => kind === "user")).toMatchObject({ message: { id: "u-1" } });
    expect(here.refused()).toEqual([]);
  });

  deepTest("without -p, and with a stdin that closes right behind the prompt, a whole turn is done", async () => {
    await using here = await place([reply([toolUse("Read", { file_path: "a.txt" })]), reply("Done.")]);
    const { code, out } = await here.run(STREAM, { stdin: JSON.stringify(said("go")) });
    const lines = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
    expect(code).toBe(0);
    expect(outline(lines)).toEqual(["system/init", "assistant", "user", "assistant", "result/success"]);
    expect(lines.every(({ session_id, uuid }) => typeof session_id === "string" && typeof uuid === "string")).toBe(
      true,
    );
  });

  deepTest("with nothing on stdin nothing is done", async () => {
    await using here = await place([]);
    expect(await here.run(STREAM, { stdin: "" })).toEqual({ code: 0, out: "", err: "" });
    expect(here.ownFiles().filter(([path]) => path.endsWith(".jsonl"))).toEqual([]);
  });

  deepTest("that failed are reported by their result, and the next message runs", async () => {
    await using here = await place([failing(fault.badRequest("odd")), reply("Fine.")]);
    await using c = client(here);
    c.send(said("one"), said("two"));
    c.end();
    expect(await c.ended()).toBe(0);
    expect(c.results()).toMatchObject([
      { subtype: "error_during_execution", is_error: true, errors: [expect.stringContaining("odd")] },
      { subtype: "success", result: "Fine." },
    ]);
  });

  deepTest("are repeated when that is asked for, with their ids", async () => {
    await using here = await place(() => reply("Yes."));
    await using c = client(here, ["--replay-user-messages"]);
    c.send(said("one", { uuid: "u-1" }), said("two"));
    c.end();
    await c.ended();
    expect(c.lines.filter(({ type }) => type === "user")).toMatchObject([
      { isReplay: true, uuid: "u-1", message: { role: "user", content: "one" }, parent_tool_use_id: null },
      { isReplay: true, uuid: expect.any(String), message: { content: "two" } },
    ]);
  });

  deepTest("that begin no turn wait for the next; one that steers reaches the running turn", async () => {
    const slow = reply([
      text("I look."),
      toolUse("Bash", { command: "until test -e go; do sleep 0.02; done", description: "w" }),
    ]);
    await using here = await place([slow, reply("Done.")]);
    await using c = client(
      here,
      ["--allowed-tools", "Bash(until *)", "--replay-user-messages", "--dangerously-skip-permissions"],
      { IS_SANDBOX: "1" },
    );
    c.send(said("first a fact", { shouldQuery: false }), said("wait"));
    await c.until("the call is made", ({ type }) => type === "assistant");
    c.send(said("and be quick", { priority: "now", uuid: "u-now" }));
    c.send(control("r1", { subtype: "mcp_status" }));
    await c.until("everything before is read", isReplyTo("r1"));
    await here.project.write("go", "");
    c.end();
    expect(await c.ended()).toBe(0);
    expect(
      here
        .sent()[0]
        ?.messages[0]?.content.slice(-2)
        .map(({ text: words }) => words),
    ).toEqual(["first a fact", "wait"]);
    const last = here.sent()[1]?.messages.at(-1)?.content ?? [];
    expect(last.map((block) => block.text ?? block.type)).toEqual(["tool_result", "and be quick"]);
    expect(c.results()).toHaveLength(1);
    expect(c.lines.filter(({ type, isReplay }) => type === "user" && isReplay).map(({ uuid }) => uuid)).toContain(
      "u-now",
    );
    expect(here.refused()).toEqual([]);
  });

  deepTest("that arrive during /compact get a turn and a result, also one that steers", async () => {
    const gate = Promise.withResolvers<void>();
    await using here = await place(async ({ body }) => {
      if (!JSON.stringify(body).includes("<summary>")) return reply("word ".repeat(500));
      await gate.promise;
      return reply("<summary>The gist.</summary>");
    });
    await using c = client(here);
    c.send(said("one"), said("two"), said("/compact"));
    await c.until("a summary is asked for", ({ status }) => status === "compacting");
    await here.twin.request(2);
    c.send(said("be quick", { priority: "now" }), said("/cost"), control("r1", { subtype: "mcp_status" }));
    await c.until("everything before is read", isReplyTo("r1"));
    c.end();
    gate.resolve();
    expect(await c.ended()).toBe(0);
    expect(c.results()).toHaveLength(5);
    expect(JSON.stringify(here.sent().at(-1)?.messages.at(-1))).toContain("be quick");
  });

  deepTest("can be taken back while they wait", async () => {
    await using here = await place(() => reply("Yes.", { paceMs: 30 }));
    await using c = client(here);
    c.send(said("one"), said("two", { uuid: "u-2" }), said("three", { uuid: "u-3" }));
    c.send(control("r1", { subtype: "cancel_async_message", message_uuid: "u-2" }));
    c.send(control("r2", { subtype: "cancel_async_message", message_uuid: "u-2" }));
    c.end();
    await c.ended();
    expect(repliedTo(await c.until("r1", isReplyTo("r1"))).response).toEqual({ cancelled: true });
    expect(repliedTo(await c.until("r2", isReplyTo("r2"))).response).toEqual({ cancelled: false });
    expect(c.results()).toHaveLength(2);
  });

  deepTest("ten thousand of them wait, and one more is refused by name", async () => {
    await using here = await place(() => reply("Yes.", { paceMs: 500 }));
    await using c = client(here, ["--model", "offline"]);
    c.send(control("r0", { subtype: "initialize" }));
    await c.until("it is there", isReplyTo("r0"));
    c.raw(`${JSON.stringify(said("wc"))}\n`.repeat(10_200));
    await c.until("one is refused", ({ content }) => String(content).includes("10000 inputs"));
    c.send(control("r1", { subtype: "interrupt", cancel_queued: true }));
    await c.until("r1", isReplyTo("r1"));
    c.child.kill("SIGTERM");
    expect(await c.ended()).toBe(143);
  });
});

deepTest("the cost of a session, the ledger and the result agree during a turn and after an interrupt", async () => {
  const usage = { inputTokens: 400_000, outputTokens: 50_000 };
  const long = reply("word ".repeat(2_000), { paceMs: 20, usage });
  await using here = await place([reply([toolUse("Read", { file_path: "a.txt" })], { usage }), long]);
  await using c = client(here);
  const spent = async () => {
    const { out } = await here.run(["stats", "--json"]);
    return (JSON.parse(out) as { total: { usd: number; requests: number; estimated: number } }).total;
  };
  const told = async (id: string) => {
    c.send(control(id, { subtype: "get_session_cost" }));
    return String(repliedTo(await c.until(id, isReplyTo(id))).response?.["text"]).split("\n")[0];
  };
  c.send(said("go"));
  await c.until("the second answer comes", ({ type }) => type === "user");
  await eventually("the first request is counted", async () => (await spent()).requests === 1);
  expect(await told("r1")).toBe(`This session: $${(await spent()).usd.toFixed(2)}`);
  await here.twin.request(1);
  c.send(control("r2", { subtype: "interrupt" }));
  const result = await c.until("the result", ({ type }) => type === "result");
  await eventually("the interrupted one is counted too", async () => (await spent()).requests === 2);
  const { usd, estimated } = await spent();
  expect(result).toMatchObject({ total_cost_usd: expect.closeTo(usd, 9), total_cost_is_estimate: true });
  expect([estimated, await told("r3")]).toEqual([1, `This session: ~$${usd.toFixed(2)}`]);
  c.end();
  await c.ended();
});

deepTest("slash commands are answered without a model, in their turn; a path is no command", async () => {
  await using here = await place(() => reply("Yes."));
  await using c = client(here, ["--model=claude-sonnet-5"]);
  c.send(
    said("hi"),
    said("/cost"),
    said("/model claude-haiku-4-5"),
    said("/usr/bin: what is there?"),
    said("/model openai/x"),
  );
  c.end();
  expect(await c.ended()).toBe(0);
  expect(
    c.results().map(({ subtype, result, num_turns }) => [subtype, String(result).split("\n")[0], num_turns]),
  ).toEqual([
    ["success", "Yes.", 1],
    ["success", expect.stringMatching(/^This session: /), 0],
    ["success", "The model is now claude-haiku-4-5 (anthropic).", 0],
    ["success", "Yes.", 1],
    ["error_during_execution", "", 0],
  ]);
  expect(here.sent().map(({ model }) => model)).toEqual(["claude-sonnet-5", "claude-haiku-4-5"]);
  const offered = c.lines[0]?.["slash_commands"];
  expect(offered).toEqual(expect.arrayContaining(["clear", "compact", "context", "cost", "mcp", "model"]));
  // These commands need a screen or a person.
  for (const name of ["exit", "help", "login", "resume"]) expect(offered).not.toContain(name);
});

describe("lines that can't be used", () => {
  deepTest("are reported on both sides, and later lines still work", async () => {
    await using here = await place(() => reply("Yes."));
    await using c = client(here);
    c.raw('{"broken\n');
    c.send(
      { type: "dance" },
      said([{ type: "image", source: { type: "url", url: "http://127.0.0.1/x.png" } }]),
      said("hi"),
    );
    c.raw(
      Buffer.concat([
        Buffer.from('{"type":"user","message":{"role":"user","content":"caf'),
        Buffer.from([0xe9]),
        Buffer.from('"}}\n'),
      ]),
    );
    c.end();
    expect(await c.ended()).toBe(0);
    const remarks = c.lines.filter(({ subtype }) => subtype === "informational").map(({ content }) => String(content));
    expect(remarks).toEqual([
      expect.stringContaining("Line 1 of stdin was ignored: it is not JSON"),
      expect.stringContaining('Line 2 of stdin was ignored: its type "dance" is unknown.'),
      expect.stringContaining(
        "Line 3 of stdin was ignored: its message can't be used: block 0: it needs a base64 source",
      ),
      expect.stringContaining("Line 5 of stdin is not valid UTF-8"),
    ]);
    expect(c.err().trim().split("\n")).toEqual(remarks.map((remark) => `quoll: ${remark}`));
    expect(c.results()).toHaveLength(2);
    expect(here.sent()[1]?.messages.at(-1)?.content.at(-1)?.text).toBe("caf\ufffd");
  });

  deepTest("and are too long are passed over", async () => {
    await using here = await place(() => reply("Yes."));
    await using c = client(here);
    c.raw("x".repeat(11 * 1024 * 1024));
    c.raw("\n");
    c.send(said("hi"));
    c.end();
    expect(await c.ended()).toBe(0);
    expect(c.err()).toContain("Line 1 of stdin was ignored: it has 11534336 bytes, more than the 10485760");
    expect(c.results()).toHaveLength(1);
  });

  deepTest("cut anywhere, a line is a line", async () => {
    await using here = await place(() => reply("Yes."));
    await using c = client(here);
    const bytes = Buffer.from(`${JSON.stringify(said("hé 🦊"))}\n`);
    for (const byte of bytes) c.raw(Buffer.from([byte]));
    c.end();
    expect(await c.ended()).toBe(0);
    expect(here.sent()[0]?.messages[0]?.content.at(-1)?.text).toBe("hé 🦊");
  });
});

describe("control", () => {
  deepTest("an unknown or malformed request gets an error, and a repeated request is answered once", async () => {
    await using here = await place([]);
    await using c = client(here);
    c.send(
      control("r1", { subtype: "make_coffee", color: "red" }),
      { type: "control_request", request_id: "r2" },
      control("r3", { subtype: "set_permission_mode", mode: "yolo" }),
      control("r4", { subtype: "get_binary_version" }),
      control("r4", { subtype: "get_binary_version" }),
      control("r5", { subtype: "set_model", model: "openai/gpt-6-sol" }),
      control("r6", { subtype: "interrupt" }),
    );
    c.end();
    expect(await c.ended()).toBe(0);
    const replies = Object.fromEntries(
      c.lines.map((line) => [(line["response"] as { request_id: string }).request_id, repliedTo(line)]),
    );
    expect(c.lines).toHaveLength(6);
    expect(replies["r1"]).toMatchObject({
      subtype: "error",
      error: 'the control request "make_coffee" is unknown',
    });
    expect(replies["r2"]).toMatchObject({ subtype: "error", error: expect.stringContaining("needs a request_id") });
    expect(replies["r3"]).toMatchObject({ subtype: "error", error: expect.stringContaining("mode must be one of") });
    expect(replies["r4"]).toMatchObject({ subtype: "success", response: { version: expect.any(String) } });
    expect(replies["r5"]).toMatchObject({ subtype: "error" });
    expect(replies["r6"]).toMatchObject({ subtype: "success", response: { still_queued: [] } });
  });

  deepTest("a model that is asked for between two messages is the second one's", async () => {
    await using here = await place(() => reply("Yes.", { paceMs: 20 }));
    await using c = client(here, ["--model=claude-sonnet-5"]);
    c.send(said("one"), control("r1", { subtype: "set_model", model: "claude-haiku-4-5" }), said("two"));
    c.send(control("r2", { subtype: "set_model" }), said("three"));
    c.end();
    expect(await c.ended()).toBe(0);
    expect(here.sent().map(({ model }) => model)).toEqual(["claude-sonnet-5", "claude-haiku-4-5", "claude-sonnet-5"]);
  });

  deepTest("effort and thinking are set in mid-session, other settings are refused by name", async () => {
    await using here = await place(() => reply("Yes."));
    await using c = client(here, ["--model=claude-sonnet-5"]);
    c.send(
      control("r1", { subtype: "apply_flag_settings", settings: { effortLevel: "low" } }),
      control("r2", { subtype: "apply_flag_settings", settings: { hooks: {} } }),
      control("r3", { subtype: "set_max_thinking_tokens", max_thinking_tokens: 0 }),
      said("one"),
    );
    c.end();
    expect(await c.ended()).toBe(0);
    expect(repliedTo(await c.until("r2", isReplyTo("r2"))).error).toContain('the setting "hooks" can\'t be changed');
    expect(repliedTo(await c.until("r3", isReplyTo("r3"))).subtype).toBe("success");
    expect(c.results()).toMatchObject([{ subtype: "success" }]);
  });

  deepTest("initialize that can't be understood begins nothing: an error reply, and exit code 2", async () => {
    await using here = await place([]);
    await using c = client(here);
    c.send(control("r1", { subtype: "initialize", hooks: { Stop: "x" } }), said("hi"));
    expect(await c.ended()).toBe(2);
    expect(repliedTo(await c.until("r1", isReplyTo("r1"))).error).toContain("hooks.Stop");
    expect(c.err()).toContain("quoll: hooks.Stop: expected a list");
    expect(here.sent()).toEqual([]);
  });

  deepTest("an invalid schema is refused in the reply to the first request", async () => {
    await using here = await place([]);
    await using c = client(here);
    c.send(control("r1", { subtype: "initialize", jsonSchema: { type: "nonsense" } }), said("hi"));
    expect(await c.ended()).toBe(2);
    expect(repliedTo(await c.until("r1", isReplyTo("r1"))).error).toContain("is not a JSON schema");
  });

  deepTest("without a key the first request is answered with what is missing", async () => {
    await using here = await place([]);
    await using c = client(here, ["--model", "claude-sonnet-5"], { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "" });
    c.send(control("r1", { subtype: "initialize" }));
    expect(await c.ended()).toBe(2);
    expect(repliedTo(await c.until("r1", isReplyTo("r1")))).toMatchObject({ subtype: "error" });
  });
});

describe("questions", () => {
  const writing = () => [reply([toolUse("Write", { file_path: "new.txt", content: "x\n" })]), reply("Done.")];
  const PROMPT = "--permission-prompt-tool=stdio";

  test("go out and come back; a second reply to one changes nothing", async () => {
    await using here = await place(writing());
    await using c = client(here, [PROMPT]);
    c.send(said("write"));
    const asked = await c.until("it is asked", isRequest("can_use_tool"));
    expect(asked["request"]).toMatchObject({ tool_name: "Write", input: { file_path: "new.txt", content: "x\n" } });
    const id = asked["request_id"];
    c.send(
      response("nobody", { behavior: "deny" }),
      response(id, { behavior: "allow" }),
      response(id, { behavior: "deny", message: "no" }),
    );
    c.end();
    expect(await c.ended()).toBe(0);
    expect(await here.project.read("new.txt")).toBe("x\n");
    expect(c.results()).toMatchObject([{ subtype: "success", permission_denials: [] }]);
  });

  deepTest("that never get a reply are withdrawn by an interrupt, and the session continues", async () => {
    await using here = await place(writing());
    await using c = client(here, [PROMPT]);
    c.send(said("write"));
    const { request_id: id } = await c.until("it is asked", isRequest("can_use_tool"));
    c.send(control("r1", { subtype: "interrupt" }));
    await c.until("it is withdrawn", (line) => line.type === "control_cancel_request" && line["request_id"] === id);
    await c.until("the result", ({ type }) => type === "result");
    c.send(said("again"));
    c.end();
    expect(await c.ended()).toBe(0);
    expect(outline(c.results())).toEqual(["result/error_during_execution", "result/success"]);
    expect(here.refused()).toEqual([]);
  });

  deepTest("about a program's own call reach it with the call's input", async () => {
    await using here = await place([reply("Hi.")]);
    const file = join(ROOT, "tests/services/mcp/servers/feature-server.ts");
    const servers = { shop: { command: process.execPath, args: [file] } };
    await using c = client(here, [PROMPT, "--mcp-config", JSON.stringify({ mcpServers: servers })]);
    const input = { why: "a sale" };
    c.send(control("r1", { subtype: "mcp_call", tool: "mcp__shop__announce", arguments: input }));
    const { request_id: id, request } = await c.until("it is asked", isRequest("can_use_tool"));
    expect(request).toMatchObject({ tool_name: "mcp__shop__announce", input });
    c.send(response(id, { behavior: "allow" }));
    expect(repliedTo(await c.until("r1", isReplyTo("r1")))).toMatchObject({ response: { isError: false } });
    c.end();
    expect(await c.ended()).toBe(0);
  });

  deepTest("that a new mode answers are withdrawn", async () => {
    await using here = await place(writing());
    await using c = client(here, [PROMPT]);
    c.send(said("write"));
    await c.until("it is asked", isRequest("can_use_tool"));
    c.send(control("r1", { subtype: "set_permission_mode", mode: "acceptEdits" }));
    await c.until("it is withdrawn", ({ type }) => type === "control_cancel_request");
    c.end();
    expect(await c.ended()).toBe(0);
    expect(await here.project.read("new.txt")).toBe("x\n");
    expect(c.lines).toContainEqual(expect.objectContaining({ subtype: "status", permissionMode: "acceptEdits" }));
  });

  deepTest("count as a no when the other side closes: the turn ends, and the model learns of the no", async () => {
    await using here = await place(writing());
    await using c = client(here, [PROMPT]);
    c.send(said("write"));
    await c.until("it is asked", isRequest("can_use_tool"));
    c.end();
    expect(await c.ended()).toBe(0);
    expect(resultsIn(here.sent()[1])).toEqual([
      expect.stringContaining("the program at the other end has closed its side"),
    ]);
    expect(c.results()).toMatchObject([{ subtype: "success", permission_denials: [{ tool_name: "Write" }] }]);
  });

  deepTest("without anybody named to answer are refused at once, as with -p", async () => {
    await using here = await place(writing());
    await using c = client(here);
    c.send(said("write"));
    c.end();
    expect(await c.ended()).toBe(0);
    expect(c.lines.some(isRequest("can_use_tool"))).toBe(false);
    expect(c.lines).toContainEqual(expect.objectContaining({ subtype: "permission_denied", tool_name: "Write" }));
  });
});

describe("hooks and servers at the other end", () => {
  deepTest("that never answer cost their time and no more", async () => {
    await using here = await place([reply([toolUse("Read", { file_path: "a.txt" })]), reply("Done.")]);
    await using c = client(here);
    const hooks = { PreToolUse: [{ hookCallbackIds: ["h0"], timeout: 0.2 }] };
    c.send(control("r1", { subtype: "initialize", hooks }), said("go"));
    await c.until("it is told", ({ content }) => String(content).includes("it did not answer within 0.2 s"));
    expect(c.lines.some(({ type }) => type === "control_cancel_request")).toBe(true);
    await c.until("the result", ({ type }) => type === "result");
    c.end();
    expect(await c.ended()).toBe(0);
    expect(resultsIn(here.sent()[1])).toEqual(["     1\tA"]);
  });

  deepTest("that go away in mid-call end nothing but the call", async () => {
    await using here = await place([reply([toolUse("mcp__calc__add", { a: 1 })]), reply("Done.")]);
    await using c = client(here, ["--allowed-tools", "mcp__calc__*"]);
    c.send(control("r1", { subtype: "initialize", sdkMcpServers: ["calc"] }), said("go"));
    const tools = [{ name: "add", description: "Adds", inputSchema: { type: "object" } }];
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "calc", version: "1" },
      },
      "tools/list": { tools },
    };
    const answered = new Set<unknown>();
    await eventually("its tool is called", () => {
      for (const line of c.lines.filter(isRequest("mcp_message"))) {
        const { message } = line["request"] as { message: { id?: number; method: string } };
        if (message.method === "tools/call") return true;
        if (answered.has(line["request_id"])) continue;
        answered.add(line["request_id"]);
        const result = results[message.method] ?? {};
        c.send(response(line["request_id"], { mcp_response: { jsonrpc: "2.0", id: message.id ?? 0, result } }));
      }
      return false;
    });
    c.end();
    expect(await c.ended()).toBe(0);
    expect(resultsIn(here.sent()[1])).toEqual([expect.stringContaining("has closed its side")]);
    expect(c.results()).toMatchObject([{ subtype: "success" }]);
  });
});

describe("the end", () => {
  const slow = reply([text("I wait."), toolUse("Bash", { command: "echo $$ > pid; exec sleep 60", description: "w" })]);
  const FREE = ["--dangerously-skip-permissions"];
  const SANDBOX = { IS_SANDBOX: "1" };
  const pidOf = async (here: Place) => {
    const pid = async () => Number(await here.project.read("pid").catch(() => ""));
    await eventually("the command runs", async () => (await pid()) > 0);
    return pid();
  };

  eachOrDeep(
    "by %s: the running turn has its result, what waits is dropped, the exit is %d",
    1,
    [
      ["SIGINT", 130],
      ["SIGTERM", 143],
      ["SIGHUP", 129],
    ] as const,
    async (signal, code) => {
      await using here = await place([slow, reply("Never.")]);
      await using c = client(here, FREE, SANDBOX);
      c.send(said("wait"), said("more"));
      const pid = await pidOf(here);
      c.child.kill(signal);
      expect(await c.ended()).toBe(code);
      expect(outline(c.results())).toEqual(["result/error_during_execution"]);
      expect(isRunning(pid)).toBe(false);
      expect(here.sent()).toHaveLength(1);
    },
  );

  deepTest("by SIGTERM during the wait for a server: at once, and no process of the server is left", async () => {
    await using here = await place([reply("Never.")]);
    const silent = { command: "bash", args: ["-c", "echo $$ > pid; exec sleep 60"] };
    await using c = client(here, ["--mcp-config", JSON.stringify({ mcpServers: { silent } })]);
    c.send(said("hello"));
    const pid = await pidOf(here);
    c.child.kill("SIGTERM");
    expect(await c.ended()).toBe(143);
    expect([c.err(), c.lines, isRunning(pid), here.sent().length]).toEqual(["", [], false, 0]);
  });

  deepTest(
    "by SIGTERM during the wait for a server that was added later: at once, and no process of the server is left",
    async () => {
      await using here = await place([reply("Never.")]);
      const silent = { command: "bash", args: ["-c", "echo $$ > pid; exec sleep 60"] };
      await using c = client(here);
      c.send(
        control("r1", { subtype: "initialize" }),
        control("r2", { subtype: "mcp_set_servers", servers: { silent } }),
      );
      const pid = await pidOf(here);
      const startedAt = performance.now();
      c.child.kill("SIGTERM");
      expect(await c.ended()).toBe(143);
      // A server may take 30 s to start.
      expect(performance.now() - startedAt).toBeLessThan(15_000);
      expect([isRunning(pid), here.sent().length]).toEqual([false, 0]);
    },
  );

  test("by a client that dies in the middle of a turn: nothing is left running", async () => {
    await using here = await place([slow, reply("Never.")]);
    await using c = client(here, [...FREE, "--include-partial-messages"], SANDBOX);
    c.send(said("wait"));
    const pid = await pidOf(here);
    await c.deafen();
    c.end();
    c.child.kill("SIGTERM");
    await c.child.exited;
    await eventually("the command is gone", () => !isRunning(pid));
  });

  deepTest("by a reader that goes away while answers come: quietly, and no more is asked", async () => {
    const chatty = () => reply([text("word ".repeat(2_000)), toolUse("Read", { file_path: "a.txt" })], { paceMs: 1 });
    await using here = await place(chatty);
    await using c = client(here, ["--include-partial-messages"]);
    c.send(said("talk"));
    await c.until("it talks", ({ type }) => type === "stream_event");
    await c.deafen();
    expect(await c.ended()).toBe(0);
    expect(c.err()).toBe("");
  });
});

describe("the command line", () => {
  deepTest("in this mode takes options that it doesn't know, as one word or two, and says so", async () => {
    await using here = await place([reply("Yes.")]);
    const args = ["--frobnicate", "7", "--chrome-port=9", "--no-chrome", "--maxTurns", "3", "--systemPrompt=Be brief."];
    const { code, out, err } = await here.run([...STREAM, ...args], { stdin: JSON.stringify(said("hi")) });
    expect(code).toBe(0);
    expect(out).toContain('"result":"Yes."');
    expect(err.trim().split("\n")).toEqual(
      ["--frobnicate", "--chrome-port", "--no-chrome"].map((name) => `quoll: the unknown option ${name} was ignored`),
    );
    expect(here.sent()[0]?.system.map(({ text: words }) => words)).toEqual(["Be brief."]);
  });

  deepTest("may bring the first message", async () => {
    await using here = await place((_, index) => reply(`${index}`));
    const { out } = await here.run(["-p", ...STREAM, "from the line"], { stdin: JSON.stringify(said("from stdin")) });
    expect(out.match(/"result":"\d"/g)).toEqual(['"result":"0"', '"result":"1"']);
    expect(here.sent()[0]?.messages[0]?.content.at(-1)?.text).toBe("from the line");
  });
});

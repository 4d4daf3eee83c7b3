import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { failing, fault, reply, type Scenario, text, toolUse } from "@quoll/model-twin/scenario";
import { deepTest, eachOrDeep, longerInDeep } from "../support/deep.ts";
import { linesOf } from "../support/lines-of.ts";
import { quollPlace, resultsIn } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const place = (scenario: Scenario, files: Readonly<Record<string, string>> = { "a.txt": "A\n" }, settings?: object) =>
  quollPlace({ files, scenario, ...(settings && { settings }) });
const SCHEMA = { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false };

describe("--json-schema", () => {
  longerInDeep("gives the checked answer, as text and in the result, from text or a file", async (isWhole) => {
    await using here = await place(() => reply('```json\n{"n":7}\n```'), { "schema.json": JSON.stringify(SCHEMA) });
    const plain = await here.run(["-p", "count", "--json-schema", JSON.stringify(SCHEMA)]);
    expect(plain).toEqual({ code: 0, out: '{\n  "n": 7\n}\n', err: "" });
    if (!isWhole) return;
    const json = await here.run(["-p", "count", "--json-schema=@schema.json", "--output-format", "json"]);
    expect(JSON.parse(json.out)).toMatchObject({ subtype: "success", structured_output: { n: 7 } });
  });

  deepTest("that is made by zod, with formats and a dialect, is taken without a word on stderr", async () => {
    await using here = await place([reply('{"at":"2026-01-02"}')]);
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { at: { type: "string", format: "made-up" } },
    };
    const { code, err } = await here.run(["-p", "when", "--json-schema", JSON.stringify(schema)]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  deepTest("is tried again with what was wrong, and fails by name", async () => {
    await using here = await place(() => reply('{"n":"seven"}'));
    const args = ["-p", "count", "--json-schema", JSON.stringify(SCHEMA), "--output-format", "json"];
    const { code, out, err } = await here.run(args);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ subtype: "error_max_structured_output_retries", is_error: true });
    expect(err).toContain("n must be integer");
    expect(here.sent()).toHaveLength(3);
    expect(here.sent()[1]?.messages.at(-1)?.content.at(-1)?.text).toContain("n must be integer");
    expect(here.refused()).toEqual([]);
  });
});

describe("the system prompt", () => {
  const systemOf = async (args: readonly string[]) => {
    await using here = await place([reply("Yes.")], { "p.md": "\ufeffFrom a file.\n" });
    const { code, err } = await here.run(["-p", "hi", ...args]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return (
      here
        .sent()[0]
        ?.system.map((block) => block.text)
        .join("\n\n") ?? ""
    );
  };

  deepTest("is replaced, added to, and read from files", async () => {
    expect(await systemOf(["--system-prompt", "Be brief."])).toBe("Be brief.");
    expect(await systemOf(["--system-prompt-file", "p.md", "--append-system-prompt=And kind."])).toBe(
      "From a file.\n\nAnd kind.",
    );
    expect(await systemOf(["--append-system-prompt-file=p.md"])).toEndWith("\n\nFrom a file.");
    expect((await systemOf(["--system-prompt", " "])).length).toBeGreaterThan(500);
  });
});

/** A server of one tool that decides about calls: it denies what names `no`, and allows the rest with other words. */
const JUDGE = `
import { createInterface } from "node:readline";
const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize")
    send(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "judge", version: "1" } });
  if (method === "tools/list")
    send(id, { tools: [{ name: "decide", description: "Decides", inputSchema: { type: "object" } }] });
  if (method !== "tools/call") return;
  const { tool_name, input, tool_use_id } = params.arguments;
  const answer = JSON.stringify(input).includes("no")
    ? { behavior: "deny", message: "judge says no to " + tool_name }
    : input.file_path === "odd.txt" ? "odd" : { behavior: "allow", updatedInput: { ...input, content: "judged " + typeof tool_use_id + "\\n" } };
  send(id, { content: [{ type: "text", text: typeof answer === "string" ? answer : JSON.stringify(answer) }] });
});
`;

describe("--permission-prompt-tool", () => {
  const write = (file: string) => toolUse("Write", { file_path: file, content: "x\n" });
  const config = (here: { project: { path(name: string): string } }) =>
    JSON.stringify({ mcpServers: { judge: { command: process.execPath, args: [here.project.path("judge.mjs")] } } });

  eachOrDeep(
    "lets a server's tool decide, in every format: %s",
    (at) => at === 2,
    ["text", "json", "stream-json"] as const,
    async (format) => {
      const calls = [reply([write("no.txt"), write("yes.txt"), write("odd.txt")]), reply("Done.")];
      await using here = await place(calls, { "judge.mjs": JUDGE });
      const args = [
        "--mcp-config",
        config(here),
        "--permission-prompt-tool",
        "mcp__judge__decide",
        "--output-format",
        format,
      ];
      const { code } = await here.run(["-p", "write", ...args]);
      expect(code).toBe(0);
      expect(resultsIn(here.sent()[1])).toEqual([
        expect.stringContaining("judge says no to Write"),
        expect.not.stringContaining("Refused"),
        expect.stringContaining("The answer of mcp__judge__decide is not JSON"),
      ]);
      expect(await here.project.read("yes.txt")).toBe("judged string\n");
      expect(here.refused()).toEqual([]);
    },
  );

  deepTest("is asked about confined commands that the user agreed to; the run's own flag says otherwise", async () => {
    const calls = [reply([toolUse("Bash", { command: "sh build.sh no" })]), reply("Done.")];
    for (const [flags, isBuilt] of [
      [[], false],
      [["--allow-sandboxed"], true],
    ] as const) {
      await using here = await quollPlace({
        files: { "judge.mjs": JUDGE, "build.sh": "touch built.txt\n" },
        settings: { sandbox: { autoAllowBashIfSandboxed: true } },
        scenario: calls,
      });
      const args = ["--mcp-config", config(here), "--permission-prompt-tool", "mcp__judge__decide", ...flags];
      await here.run(["-p", "build", ...args]);
      expect(existsSync(here.project.path("built.txt"))).toBe(isBuilt);
      expect(resultsIn(here.sent()[1])[0]?.includes("judge says no to Bash")).toBe(!isBuilt);
    }
  });

  deepTest("that does not exist, or has nobody to speak to, is wrong usage", async () => {
    await using here = await place([], { "judge.mjs": JUDGE });
    const wrong = await here.run([
      "-p",
      "x",
      "--mcp-config",
      config(here),
      "--permission-prompt-tool",
      "mcp__judge__decides",
    ]);
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("did you mean mcp__judge__decide?") });
  });
});

describe("flags that configure a run", () => {
  deepTest("agents of the command line are checked and listed", async () => {
    await using here = await place([reply("Yes.")]);
    const agents = JSON.stringify({ reviewer: { description: "Reads", prompt: "You read." } });
    const { out, err } = await here.run(["-p", "hi", "--agents", agents, "--output-format", "stream-json"]);
    expect(JSON.parse(linesOf(out)[0] ?? "")).toMatchObject({
      agents: ["reviewer", "Explore", "Plan", "Verification", "general-purpose", "fork", "guide", "statusline-setup"],
    });
    expect(err).toBe("");
  });

  eachOrDeep(
    "settings come from the sources that are named: %j ends with %i",
    (at) => at === 2,
    [
      [[], 0],
      [["--setting-sources", "user"], 0],
      [["--setting-sources", "project,local"], 4],
      [["--setting-sources="], 4],
      [["--setting-sources", "cloud"], 2],
    ] as const,
    async (args, code) => {
      const settings = { permissions: { allow: ["Write"] }, sandbox: { enabled: false } };
      await using here = await place(
        [reply([toolUse("Write", { file_path: "b.txt", content: "" })]), reply("Done.")],
        {},
        settings,
      );
      expect((await here.run(["-p", "write", ...args])).code).toBe(code);
    },
  );

  deepTest("--bare has four tools and no instruction file; --tools default has all", async () => {
    await using here = await place(() => reply("Yes."), { "AGENTS.md": "Always sing.\n" });
    const bare = await here.run(["-p", "hi", "--bare"]);
    const whole = await here.run(["-p", "hi", "--tools", "default"]);
    const none = await here.run(["-p", "hi", "--tools", ""]);
    expect([bare.code, whole.code, none.code]).toEqual([0, 0, 0]);
    const [first, second, third] = here.sent();
    expect(first?.tools.map((one) => (one as { name: string }).name)).toEqual(["Read", "Edit", "Write", "Bash"]);
    expect(JSON.stringify(first?.messages)).not.toContain("Always sing.");
    expect(JSON.stringify(second?.messages)).toContain("Always sing.");
    expect([second?.tools.length, third?.tools?.length ?? 0]).toEqual([expect.any(Number), 0]);
    expect(second?.tools.length).toBeGreaterThan(8);
  });

  deepTest("another model takes over when the first is overloaded, and the client gets a notice", async () => {
    const busy = failing(fault.overloaded());
    await using here = await place([busy, busy, busy, reply("From the other.")]);
    const models = ["--model", "claude-sonnet-5", "--fallback-model", "claude-haiku-4-5,claude-opus-4-6"];
    const { code, out } = await here.run(["-p", "hi", ...models, "--output-format", "stream-json"]);
    const lines = linesOf(out).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(code).toBe(0);
    expect(here.sent().at(-1)?.model).toBe("claude-haiku-4-5");
    expect(lines.filter(({ subtype }) => subtype === "api_retry").length).toBeGreaterThan(0);
    expect(lines).toContainEqual(
      expect.objectContaining({ content: expect.stringContaining("claude-haiku-4-5 takes over") }),
    );
  });

  deepTest("effort is the model's, in the neighbours' words too", async () => {
    await using here = await place(() => reply("Yes."));
    const runs = await Promise.all(
      ["low", "xhigh", "enormous"].map((effort) =>
        here.run(["-p", "hi", "--model", "claude-opus-4-7", "--effort", effort]),
      ),
    );
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 2]);
    expect(here.refused()).toEqual([]);
    const efforts = here.sent().map((body) => JSON.stringify(body).match(/"effort":"(\w+)"/)?.[1]);
    expect(efforts.sort()).toEqual(["low", "xhigh"]);
  });

  deepTest("options that do nothing here are named, and those that are lists may follow one another", async () => {
    await using here = await place(() => reply("Yes."), {
      "one.json": '{"mcpServers":{}}',
      "two.json": '{"mcpServers":{}}',
    });
    const idle = await here.run(["-p", "hi", "--include-partial-messages", "--replay-user-messages"]);
    expect(linesOf(idle.err)).toEqual([
      "quoll: --replay-user-messages does nothing without --input-format stream-json",
      "quoll: --include-partial-messages does nothing without --output-format stream-json",
    ]);
    const lists = await here.run(["-p", "--mcpConfig", "one.json", "two.json", '{"mcpServers":{}}', "say hi"]);
    expect(lists).toMatchObject({ code: 0, out: "Yes.\n" });
    expect(here.sent().at(-1)?.messages[0]?.content.at(-1)?.text).toBe("say hi");
  });
});

deepTest("an answer is streamed with -p too", async () => {
  await using here = await place([reply([text("Hello there.")])]);
  const { out } = await here.run(["-p", "hi", "--output-format", "stream-json", "--include-partial-messages"]);
  const kinds = linesOf(out).map((line) => {
    const { type, event } = JSON.parse(line) as { type: string; event?: { type: string } };
    return event?.type ?? type;
  });
  expect(kinds.filter((kind) => kind !== "content_block_delta")).toEqual([
    ...["system", "message_start", "content_block_start", "content_block_stop", "message_delta", "message_stop"],
    ...["assistant", "result"],
  ]);
});

test("--agent runs the prompt as that agent, behind the first prompt of its definition", async () => {
  const file = "---\ndescription: Reviews\ninitialPrompt: Look at the last commit.\n---\nReview with care.\n";
  await using here = await place(() => reply("Fine."), { ".claude/agents/reviewer.md": file });
  const ended = await here.run(["-p", "Be short.", "--agent", "reviewer", "--trust"]);
  expect(ended).toEqual({ code: 0, out: "Fine.\n", err: "" });
  const [body] = here.sent();
  expect(JSON.stringify(body?.system)).toContain("Review with care.");
  expect(body?.messages.at(-1)?.content.at(-1)?.text).toBe("Look at the last commit.\n\nBe short.");
});

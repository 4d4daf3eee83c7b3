import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CallToolResult, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { PIXEL } from "../services/mcp/servers/tool-server.ts";
import { deepTest, seededTest } from "../support/deep.ts";
import { eventually, isRunning } from "../support/eventually.ts";
import { quollPlace } from "../support/quoll-process.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { type Answer, stdioClient, textOf } from "../support/served-client.ts";

setDefaultTimeout(60_000);

test("a client lists the tools of `quoll mcp serve`, reads freely, and learns which rule allows a refused call", async () => {
  await using place = await quollPlace({ files: { "a.txt": "one\n", "dot.png": Buffer.from(PIXEL, "base64") } });
  await using served = await stdioClient(place, [], { roots: ["file:///elsewhere"] });
  const { tools } = await served.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    ...["Read", "Edit", "Write", "Bash", "Glob", "Grep", "TaskOutput", "TaskStop", "WebFetch", "NotebookEdit", "agent"],
  ]);
  const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
  expect(hints["Read"]).toEqual({
    title: "Read a text file, a document or an image",
    readOnlyHint: true,
    openWorldHint: false,
  });
  expect(hints["WebFetch"]).toMatchObject({ readOnlyHint: true, openWorldHint: true });
  expect(hints["Bash"]).toMatchObject({ readOnlyHint: false, destructiveHint: true, openWorldHint: true });
  expect(textOf(await served.call("Read", { file_path: "a.txt" }))).toBe("     1\tone");
  expect((await served.call("Read", { file_path: "dot.png" })).content).toMatchObject([
    { type: "text" },
    { type: "image", mimeType: "image/png", data: PIXEL },
  ]);
  const refused = await served.call("Write", { file_path: "b.txt", content: "two" });
  expect(refused.isError).toBe(true);
  expect(textOf(refused)).toContain("start `quoll mcp serve` with: --allowed-tools 'Edit(/b.txt)'");
  expect(existsSync(join(place.project.dir, "b.txt"))).toBe(false);
  expect(textOf(await served.call("Read", { offset: 1 }))).toContain("file_path");
  await expect(served.call("EnterPlanMode", {})).rejects.toThrow('There is no tool "EnterPlanMode" here.');
  await eventually("the other root was named", () => served.logged.join().includes("--add-dir"));
});

test("a question goes to the client's person: no, once, and for the session", async () => {
  await using place = await quollPlace();
  const answers: Answer[] = [
    "cancel",
    "decline",
    { answer: "no" },
    { answer: "always" },
    { answer: "once" },
    { answer: "session" },
  ];
  await using served = await stdioClient(place, [], { answer: () => answers.shift() ?? "cancel" });
  const file = join(place.project.dir, "log");
  const call = () => served.call("Bash", { command: "echo line >> log", description: "Append a line" });
  expect(textOf(await call())).toContain("To allow this, start `quoll mcp serve` with: --allowed-tools 'Edit(/log)'");
  for (const _ of [1, 2, 3]) expect(await call()).toMatchObject({ isError: true });
  expect(existsSync(file)).toBe(false);
  expect(served.asked[0]?.split("\n")).toEqual(["Run this command? echo line >> log", "You have not allowed it yet."]);
  for (const _ of [1, 2, 3]) expect((await call()).isError).toBeUndefined();
  expect(readFileSync(file, "utf8")).toBe("line\nline\nline\n");
  expect(served.asked).toHaveLength(6);
});

deepTest("`--tools` limits what a client sees and may call", async () => {
  await using place = await quollPlace();
  await using served = await stdioClient(place, ["--tools", "Bash,Read", "--allowed-tools", "Edit"]);
  const { tools } = await served.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["Read", "Bash"]);
  for (const name of ["Write", "bash", "agent", "ToolCall"])
    await expect(served.call(name, { file_path: "a", content: "b" })).rejects.toThrow("There is no tool");
});

const WAYS: readonly ((name: string) => readonly [tool: string, input: object])[] = [
  (name) => ["Write", { file_path: name, content: "x" }],
  (name) => ["Bash", { command: `echo x > ${name}`, description: "Make" }],
  (name) => ["Bash", { command: `true; touch ${name}`, description: "Make" }],
  (name) => ["Bash", { command: `cat /dev/null && cp /dev/null ./${name}`, description: "Make" }],
];

seededTest(
  "no call that a rule denies runs, whatever the client's person answers",
  { seed: 7, cases: { quick: 6, deep: 300 } },
  async (seed, cases) => {
    const random = seededRandom(seed);
    const names = Array.from({ length: cases }, (_, at) => `made${at}`);
    const denied = new Set(names.filter(() => random.chance(0.5)));
    const deny = [...denied].map((name) => `Edit(/${name})`).join(",");
    await using place = await quollPlace();
    const answer = () => ({ answer: random.pick(["once", "session"]) });
    await using served = await stdioClient(place, ["--disallowed-tools", deny], { answer });
    for (const name of names) {
      const { isError } = await served.call(...random.pick(WAYS)(name));
      const isMade = existsSync(join(place.project.dir, name));
      expect({ name, isError, isMade }).toEqual({
        name,
        isError: denied.has(name) ? true : undefined,
        isMade: !denied.has(name),
      });
    }
  },
  120_000,
);

deepTest("hooks of the settings see the calls of a client, and refuse some", async () => {
  const hook = (command: string) => [{ matcher: "Bash", hooks: [{ type: "command", command }] }];
  const check = "grep -q secret && echo 'not that file' >&2 && exit 2 || exit 0";
  await using place = await quollPlace({
    settings: { sandbox: { enabled: false }, hooks: { PreToolUse: hook(check), PostToolUse: hook("cat >> seen") } },
  });
  await using served = await stdioClient(place, ["--allowed-tools", "Bash,Edit"]);
  const call = (name: string) => served.call("Bash", { command: `touch ${name}`, description: "Make" });
  expect(textOf(await call("secret"))).toContain("not that file");
  expect((await call("plain")).isError).toBeUndefined();
  const made = ["secret", "plain"].filter((name) => existsSync(join(place.project.dir, name)));
  expect(made).toEqual(["plain"]);
  expect(readFileSync(join(place.project.dir, "seen"), "utf8")).toContain('"tool_name":"Bash"');
});

const LONG = "echo $$ > pid; echo started; exec sleep 60";

test("a cancelled call ends its processes, and so does the end of stdin", async () => {
  await using place = await quollPlace();
  await using served = await stdioClient(place, ["--allowed-tools", "Bash,Edit"]);
  const pidFile = join(place.project.dir, "pid");
  const readPid = () => (existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : 0);
  const nextPid = async () => {
    await eventually("the command wrote its process id", () => readPid() > 0);
    return readPid();
  };
  const abort = new AbortController();
  const progress: (string | undefined)[] = [];
  const start = (signal: AbortSignal) =>
    served.client.callTool({ name: "Bash", arguments: { command: LONG, description: "Wait" } }, undefined, {
      signal,
      onprogress: ({ message }) => progress.push(message),
    });
  const cancelled = start(abort.signal).catch(String);
  const first = await nextPid();
  await eventually("progress came", () => progress.includes("started"));
  abort.abort("enough");
  expect(await cancelled).toContain("enough");
  await eventually("its process ended", () => !isRunning(first));

  await Bun.write(pidFile, "");
  const lost = start(new AbortController().signal).catch(String);
  const second = await nextPid();
  await served.client.close();
  expect(await lost).toContain("Connection closed");
  await eventually("its process ended", () => !isRunning(second));
});

deepTest("the tool `agent` runs a whole request and reports progress, usage and refused calls", async () => {
  await using place = await quollPlace({
    files: { "a.txt": "the word\n" },
    scenario: [
      reply([toolUse("Read", { file_path: "a.txt" })]),
      reply([toolUse("Write", { file_path: "b.txt", content: "x" })]),
      reply("The file says: the word."),
    ],
  });
  await using served = await stdioClient(place, [], { answer: () => ({ answer: "once" }) });
  const progress: (string | undefined)[] = [];
  const result = (await served.client.callTool(
    { name: "agent", arguments: { prompt: "What is in a.txt?" } },
    undefined,
    {
      onprogress: ({ message }) => progress.push(message),
    },
  )) as CallToolResult;
  expect(textOf(result)).toBe("The file says: the word.");
  expect(result.structuredContent).toMatchObject({
    reason: "completed",
    turns: 3,
    usage: { output_tokens: expect.any(Number) },
  });
  expect(progress).toContain("Read a.txt");
  expect(served.asked).toHaveLength(1);
  expect(readFileSync(join(place.project.dir, "b.txt"), "utf8")).toBe("x");
  const wrong = await served.call("agent", { prompt: "" });
  expect(wrong).toMatchObject({ isError: true });
});

deepTest("a run of `agent` names the rule for calls that nobody could allow", async () => {
  await using place = await quollPlace({
    scenario: [reply([toolUse("Write", { file_path: "b.txt", content: "x" })]), reply("I could not write it.")],
  });
  await using served = await stdioClient(place);
  const result = await served.call("agent", { prompt: "Write b.txt" });
  const remedy =
    "To allow this (all edits: --permission-mode acceptEdits), start `quoll mcp serve` with: --allowed-tools 'Edit(/b.txt)'";
  expect(textOf(result)).toBe(`I could not write it.\n\n${remedy}`);
  expect(result.structuredContent).toMatchObject({ reason: "completed", denied: remedy });
});

deepTest("a run of `agent` takes its model and its number of requests from the call", async () => {
  await using place = await quollPlace({ scenario: [reply([toolUse("Glob", { pattern: "*" })]), reply("Done.")] });
  await using served = await stdioClient(place);
  const run = (more: object) => served.call("agent", { prompt: "Look", ...more });
  expect(await run({ model: "claude-haiku-4-5", max_turns: 1 })).toMatchObject({
    isError: true,
    structuredContent: { reason: "step_limit", turns: 1 },
  });
  expect(place.sent().map(({ model }) => model)).toEqual(["claude-haiku-4-5"]);
  expect(await run({ model: "offlin" })).toMatchObject({ isError: true });
  expect(await run({ turns: 1 })).toMatchObject({ isError: true });
  expect(place.sent()).toHaveLength(1);
});

deepTest("a cancelled run of `agent` stops, and its budget holds", async () => {
  const call = () => reply([toolUse("Bash", { command: "echo $$ > pid; exec sleep 60", description: "Wait" })]);
  await using place = await quollPlace({ scenario: [call(), call()] });
  await using served = await stdioClient(place, ["--allowed-tools", "Bash,Edit"]);
  const file = join(place.project.dir, "pid");
  const abort = new AbortController();
  const run = served.client
    .callTool({ name: "agent", arguments: { prompt: "wait" } }, undefined, { signal: abort.signal })
    .catch(String);
  await eventually("the command wrote its process id", () => existsSync(file) && readFileSync(file, "utf8") !== "");
  abort.abort("enough");
  expect(await run).toContain("enough");
  await eventually("its process ended", () => !isRunning(Number(readFileSync(file, "utf8"))));
  expect(place.sent()).toHaveLength(1);
  const poor = await served.call("agent", { prompt: "wait", max_budget_usd: 0.000001 });
  expect(poor).toMatchObject({ isError: true, structuredContent: { reason: "budget", cost_usd: 0 } });
  expect(place.sent()).toHaveLength(1);
});

deepTest("a question is withdrawn when the client cancels the call", async () => {
  await using place = await quollPlace();
  const asked = Promise.withResolvers<AbortSignal>();
  await using served = await stdioClient(place, [], { answer: () => "decline" });
  served.client.setRequestHandler(ElicitRequestSchema, async (_, { signal }) => {
    asked.resolve(signal);
    return new Promise(() => undefined);
  });
  const abort = new AbortController();
  const input = { name: "Bash", arguments: { command: "touch made", description: "Make" } };
  const call = served.client.callTool(input, undefined, { signal: abort.signal }).catch(String);
  const signal = await asked.promise;
  abort.abort("never mind");
  expect(await call).toContain("never mind");
  await eventually("the question was withdrawn", () => signal.aborted);
  expect(await served.call("Read", { file_path: "made" })).toMatchObject({ isError: true });
});

const TOOL_SERVER = join(import.meta.dir, "../services/mcp/servers/sdk-server.ts");
const RAW_SERVER = join(import.meta.dir, "../services/mcp/servers/raw-server.ts");

deepTest("tools of MCP servers are offered with `--with-mcp` only, under the same permissions", async () => {
  await using place = await quollPlace();
  const config = JSON.stringify({ mcpServers: { tools: { command: process.execPath, args: [TOOL_SERVER] } } });
  await using plain = await stdioClient(place, ["--mcp-config", config]);
  await using full = await stdioClient(place, ["--mcp-config", config, "--with-mcp"]);
  const namesOf = async ({ client }: typeof plain) => (await client.listTools()).tools.map(({ name }) => name);
  expect((await namesOf(plain)).filter((name) => name.startsWith("mcp__"))).toEqual([]);
  const [name = ""] = (await namesOf(full)).filter((one) => one.startsWith("mcp__tools__"));
  expect(await full.call(name, {})).toMatchObject({ isError: true });
  await expect(plain.call(name, {})).rejects.toThrow("There is no tool");
});

deepTest("a form of a server behind `--with-mcp` goes to the client", async () => {
  await using place = await quollPlace();
  const config = JSON.stringify({ mcpServers: { raw: { command: process.execPath, args: [RAW_SERVER, "asks"] } } });
  const args = ["--mcp-config", config, "--with-mcp", "--allowed-tools", "mcp__raw"];
  await using served = await stdioClient(place, args, { answer: () => ({}) });
  const seen = JSON.parse(textOf(await served.call("mcp__raw__echo", {})));
  expect(seen["901"]).toMatchObject({ action: "accept" });
  expect(served.asked).toEqual(["The MCP server raw asks: Your name?"]);
});

deepTest(
  "a page of a server behind `--with-mcp` goes to a client that opens pages, else its log names the page",
  async () => {
    await using place = await quollPlace();
    const program = { command: process.execPath, args: [RAW_SERVER, "needs-page"] };
    const args = ["--mcp-config", JSON.stringify({ mcpServers: { raw: program } }), "--with-mcp"];
    const allowed = [...args, "--allowed-tools", "mcp__raw"];
    await using opening = await stdioClient(place, allowed, { answer: () => undefined, opensPages: true });
    expect(textOf(await opening.call("mcp__raw__echo", {}))).toBe("done");
    expect(opening.asked).toEqual(["The MCP server raw asks: Pay first. https://shop.example/pay"]);

    await using plain = await stdioClient(place, allowed, { answer: () => ({}) });
    expect(await plain.call("mcp__raw__echo", {})).toMatchObject({ isError: true });
    expect(plain.asked).toEqual([]);
    await eventually("the log names the page", () => plain.logged.join().includes("https://shop.example/pay"));
  },
);

deepTest("without a model, `agent` is answered by the offline engine, and a log message says so", async () => {
  await using place = await quollPlace({ files: { "a.txt": "the price\n" } });
  await using served = await stdioClient(place);
  expect(textOf(await served.call("agent", { prompt: 'find "price"' }))).toContain("a.txt");
  await eventually("the log says so", () => served.logged.join().includes("No model is configured"));
});

deepTest("a wrong option reaches the client and stderr in one line", async () => {
  await using place = await quollPlace();
  const served = await stdioClient(place, ["--with-mcp", "--mcp-config", "nowhere.json"]);
  await expect(served.client.listTools()).rejects.toThrow("nowhere.json does not exist");
  await served.closed;
  expect(served.errSoFar()).toMatch(/^quoll: .*nowhere\.json does not exist\.$/m);
});

deepTest("a tool that does not exist is reported at the start", async () => {
  await using place = await quollPlace();
  const { code, out, err } = await place.run(["mcp", "serve", "--tools", "Raed,Bash"]);
  expect({ code, out, err }).toEqual({
    code: 2,
    out: "",
    err: 'quoll: --tools: there is no tool "Raed"; did you mean Read?\n',
  });
});

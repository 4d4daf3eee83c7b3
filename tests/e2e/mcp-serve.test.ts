import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  type CallToolResult,
  ElicitRequestSchema,
  type ElicitResult,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { eventually, isRunning } from "../support/eventually.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(30_000);

type Place = Awaited<ReturnType<typeof quollPlace>>;
type Answer = ElicitResult["content"] | "decline" | "cancel";

type ClientOptions = {
  readonly args?: readonly string[];
  /** Answers questions; without it, the client can't show any. */
  readonly answer?: (message: string) => Answer;
  readonly roots?: readonly string[];
};

/** The published client, connected to the real program over stdio. */
async function connect(place: Place, { args = [], answer, roots }: ClientOptions = {}) {
  const capabilities = { ...(answer && { elicitation: {} }), ...(roots && { roots: {} }) };
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  const asked: string[] = [];
  const logged: unknown[] = [];
  if (answer)
    client.setRequestHandler(ElicitRequestSchema, ({ params }): ElicitResult => {
      asked.push(params.message);
      const content = answer(params.message);
      return typeof content === "string" ? { action: content } : { action: "accept", content };
    });
  if (roots) client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: roots.map((uri) => ({ uri })) }));
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params.data));
  const transport = new StdioClientTransport({
    command: QUOLL[0],
    args: ["mcp", "serve", ...args],
    cwd: place.project.dir,
    env: definedOf(place.environmentOf({})),
    stderr: "pipe",
  });
  let err = "";
  transport.stderr?.on("data", (chunk) => {
    err += String(chunk);
  });
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  await client.connect(transport);
  return {
    client,
    asked,
    logged,
    closed,
    errSoFar: () => err,
    call: (name: string, input: object) =>
      client.callTool({ name, arguments: { ...input } }) as Promise<CallToolResult>,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function definedOf(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
}

test("a client lists the tools of `quoll mcp serve`, reads freely, and learns which rule allows a refused call", async () => {
  await using place = await quollPlace({ files: { "a.txt": "one\n" } });
  await using served = await connect(place, { roots: ["file:///elsewhere"] });
  const { tools } = await served.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    ...["Read", "Edit", "Write", "Bash", "Glob", "Grep", "TaskOutput", "TaskStop", "agent"],
  ]);
  const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
  expect(hints["Read"]).toEqual({ title: "Read a text file or an image", readOnlyHint: true, openWorldHint: false });
  expect(hints["Bash"]).toMatchObject({ readOnlyHint: false, destructiveHint: true, openWorldHint: true });
  expect(textOf(await served.call("Read", { file_path: "a.txt" }))).toBe("     1\tone");
  const refused = await served.call("Write", { file_path: "b.txt", content: "two" });
  expect(refused.isError).toBe(true);
  expect(textOf(refused)).toContain("start `quoll mcp serve` with: --allowed-tools 'Edit(/b.txt)'");
  expect(existsSync(join(place.project.dir, "b.txt"))).toBe(false);
  expect(textOf(await served.call("Read", { file_path: 7 }))).toContain("file_path");
  await expect(served.call("EnterPlanMode", {})).rejects.toThrow('There is no tool "EnterPlanMode" here.');
  await eventually("the other root was named", () => served.logged.join().includes("--add-dir"));
});

test("a question goes to the client's person: no, once, and for the session", async () => {
  await using place = await quollPlace();
  const answers: Answer[] = [
    "decline",
    { answer: "no" },
    { answer: "always" },
    { answer: "once" },
    { answer: "session" },
  ];
  await using served = await connect(place, { answer: () => answers.shift() ?? "cancel" });
  const file = join(place.project.dir, "log");
  const call = () => served.call("Bash", { command: "echo line >> log", description: "Append a line" });
  for (const _ of [1, 2, 3]) expect(await call()).toMatchObject({ isError: true });
  expect(existsSync(file)).toBe(false);
  expect(served.asked[0]).toStartWith("Quoll: ");
  expect(served.asked[0]).toContain("echo line >> log");
  for (const _ of [1, 2, 3]) expect((await call()).isError).toBeUndefined();
  expect(readFileSync(file, "utf8")).toBe("line\nline\nline\n");
  expect(served.asked).toHaveLength(5);
});

test("a denied call never runs, whatever the client's person answers", async () => {
  await using place = await quollPlace();
  const args = ["--disallowed-tools", "Bash(touch *)", "--tools", "Bash,Read"];
  await using served = await connect(place, { args, answer: () => ({ answer: "session" }) });
  const { tools } = await served.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["Read", "Bash"]);
  for (const command of ["touch made", "true; touch made", "touch made && true"])
    expect((await served.call("Bash", { command, description: "x" })).isError).toBe(true);
  expect(existsSync(join(place.project.dir, "made"))).toBe(false);
  expect(served.asked).toEqual([]);
});

const LONG = "echo started; sleep 60 & echo $! > pid; wait";

test("a cancelled call ends its processes, and so does the end of stdin", async () => {
  await using place = await quollPlace();
  await using served = await connect(place, { args: ["--allowed-tools", "Bash,Edit"] });
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

test("the tool `agent` runs a whole request and reports progress, usage and refused calls", async () => {
  await using place = await quollPlace({
    files: { "a.txt": "the word\n" },
    scenario: [
      reply([toolUse("Read", { file_path: "a.txt" })]),
      reply([toolUse("Write", { file_path: "b.txt", content: "x" })]),
      reply("The file says: the word."),
    ],
  });
  await using served = await connect(place, { answer: () => ({ answer: "once" }) });
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

test("a wrong option reaches the client and stderr in one line", async () => {
  await using place = await quollPlace();
  const served = await connect(place, { args: ["--tools", "Raed"] });
  await expect(served.client.listTools()).rejects.toThrow('--tools: there is no tool "Raed"; did you mean Read?');
  await served.closed;
  expect(served.errSoFar()).toContain('quoll: --tools: there is no tool "Raed"; did you mean Read?');
});

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, statSync, utimesSync } from "node:fs";
import { failing, fault, type Reply, reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest, eachOrDeep, longerInDeep } from "../support/deep.ts";
import { eventually } from "../support/eventually.ts";
import { linesOf } from "../support/lines-of.ts";
import { quollPlace } from "../support/quoll-process.ts";
import { runCommand } from "../support/run-command.ts";

setDefaultTimeout(60_000);

type Here = Awaited<ReturnType<typeof quollPlace>>;
type Call = {
  readonly tool: string;
  readonly status: string;
  readonly why?: string;
  readonly diff?: readonly string[];
  readonly without?: readonly string[];
  readonly isRefused?: boolean;
};
type Report = { readonly calls: readonly Call[]; readonly firstDifference?: number; readonly notes: readonly string[] };

const ID = "11111111-1111-4111-8111-111111111111";
const FIRST = "22222222-2222-4222-8222-222222222222";
const read = (file: string) => toolUse("Read", { file_path: file });
const bash = (command: string) => toolUse("Bash", { command, description: "Runs" });
const edit = (file: string, from: string, to: string) =>
  toolUse("Edit", { file_path: file, old_string: from, new_string: to });
const ALLOWED = ["--permission-mode", "acceptEdits", "--allowed-tools", "Bash(cat *)", "Bash(ls *)", "Edit(/**)"];

async function record(here: Here, prompt: string, args: readonly string[] = []) {
  const run = await here.run(["-p", prompt, ...ALLOWED, "--session-id", ID, ...args]);
  const err = run.err.replace(/^quoll: Backed up.* Undo: .*\n/gm, "");
  expect({ code: run.code, err }).toEqual({ code: 0, err: "" });
}

/** A replay, and its line for each call: `same Read`, `differs Bash`, `not run Write`. */
async function replayed(here: Here, args: readonly string[] = [], options = {}) {
  const { code, out, err } = await here.run(["replay", ID, "--json", ...args], options);
  expect(err).toBe("");
  const report = JSON.parse(out) as Report;
  return { code, report, calls: report.calls.map(({ status, tool }) => `${status} ${tool}`) };
}

describe("a session with Read, Edit and Bash", () => {
  const files = { "a.txt": "one\ntwo\n", "b.txt": "bee\n", "kept.txt": "as it is\n" };
  const scenario = (): readonly Reply[] => [
    reply([read("a.txt"), read("b.txt")]),
    reply([edit("a.txt", "two", "TWO")]),
    reply([bash("cat a.txt kept.txt; pwd; ls")]),
    reply("Done."),
  ];

  longerInDeep(
    "replays the same in a copy, which is kept when asked, and leaves the project and the machine as they were",
    async (isWhole) => {
      await using here = await quollPlace({ files, scenario: scenario() });
      await record(here, "go");
      await here.home.write("tmp/x", "");
      const env = { TMPDIR: here.home.path("tmp") };
      const before = { tree: await listing(here), own: here.ownFiles().map(([path]) => path) };
      const { code, out, err } = await here.run(["replay", ID.slice(0, 4)], { model: false, env });
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out).toContain("same     3. Edit a.txt\n");
      expect(out).toEndWith("4 calls: 4 same, 0 differ, 0 not run.\n");
      expect({ tree: await listing(here), own: here.ownFiles().map(([path]) => path) }).toEqual(before);
      expect(out).not.toContain("quoll-replay-");
      expect(readdirSync(env.TMPDIR)).toEqual(["x"]);

      if (!isWhole) return;
      const { kept } = JSON.parse((await here.run(["replay", ID, "--json", "--keep"], { env })).out) as {
        kept: string;
      };
      expect(kept).toStartWith(env.TMPDIR);
      expect(await Bun.file(`${kept}/a.txt`).text()).toBe("one\nTWO\n");

      await here.project.write("b.txt", "wasp\n");
      await here.project.write("kept.txt", "as it was\n");
      const changed = await replayed(here);
      const { report } = changed;
      expect({ code: changed.code, calls: changed.calls }).toEqual({
        code: 1,
        calls: ["same Read", "differs Read", "same Edit", "differs Bash"],
      });
      expect(report.firstDifference).toBe(2);
      expect(report.calls[1]?.diff).toEqual(["@@ -1,1 +1,1 @@", "-     1\tbee", "+     1\twasp"]);
      expect(report.calls[3]?.diff).toContain("-as it is");
      expect(report.notes).toContain("b.txt has changed since the recording; the replay uses the current file");
      expect((await here.run(["replay", ID])).out).toEndWith(
        "4 calls: 2 same, 2 differ, 0 not run; the first difference is in call 2.\n",
      );
    },
  );

  test("is replayed elsewhere from one private file, which holds no secret and no path of the machine", async () => {
    const secret = ["ghp", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].join("_");
    const saved = "of-no-shape-93hf83hf9";
    await using here = await quollPlace({
      files: { "config.txt": `name: x\nkey=${secret}\n`, "b.txt": "bee\n" },
      scenario: [
        reply([read("config.txt"), toolUse("Read", { file_path: "~/nothing.txt" })]),
        reply([edit("config.txt", "name: x", "name: y"), bash(`ls b.txt # ${secret}`)]),
        reply(`The key is ${secret}, and ${saved}.`),
      ],
    });
    const keys = { version: 1, providers: { own: { key: saved } } };
    await here.home.write("own/config/credentials.json", JSON.stringify(keys));
    chmodSync(here.home.path("own/config/credentials.json"), 0o600);
    await here.run(["-p", `use ${secret}`, ...ALLOWED, "--session-id", ID]);
    const { code, out, err } = await here.run(["sessions", "export", ID, "--replayable", "--output", "bug.jsonl"]);
    expect({ code, out }).toEqual({ code: 0, out: `${here.project.path("bug.jsonl")}\n` });
    expect(err).toContain("quoll: not in the file: files that only commands read or changed\n");
    expect(statSync(here.project.path("bug.jsonl")).mode & 0o777).toBe(0o600);
    const text = await here.project.read("bug.jsonl");
    for (const hidden of [secret, saved, here.project.dir, here.home.dir]) expect(text).not.toContain(hidden);
    expect(text).toContain("~{home}");

    await using elsewhere = await quollPlace({ files: { "bug.jsonl": text } });
    const there = await elsewhere.run(["replay", "bug.jsonl", "--json"]);
    const { calls } = JSON.parse(there.out) as Report;
    expect(calls.map(({ tool, status, why }) => [tool, status, why])).toEqual([
      ["Read", "same", undefined],
      ["Read", "same", undefined],
      ["Edit", "same", undefined],
      ["Bash", "not run", "its input held a secret, which is not in the recording"],
    ]);
    expect(there.code).toBe(0);
    expect((await here.run(["sessions", "export", ID, "--replayable", "--output", "bug.jsonl"])).code).toBe(2);
  });
});

describe("a call that was allowed in the recording", () => {
  const scenario = () => [reply([bash("echo made > made.txt; cat made.txt")]), reply("Done.")];
  const allowed = ["--allowed-tools", "Bash(echo *)", "Edit(/made.txt)", "Bash(cat *)"];

  test.concurrent("is not run where nothing confines it, unless the user says so; its recorded result is given back", async () => {
    await using here = await quollPlace({ scenario: scenario() });
    await here.run(["-p", "go", "--session-id", ID, ...allowed]);
    const { code, report, calls } = await replayed(here);
    expect({ code, calls }).toEqual({ code: 0, calls: ["not run Bash"] });
    expect(report.calls[0]?.why).toEndWith("in the recording it was allowed");
    expect(await replayed(here, ["--allow-recorded"])).toMatchObject({ code: 0, calls: ["same Bash"] });
  });

  deepTest("runs again in the sandbox, where there is one", async () => {
    await using here = await quollPlace({ scenario: scenario(), settings: {} });
    await here.run(["-p", "go", "--session-id", ID, ...allowed]);
    const { calls } = await replayed(here);
    const { out } = await here.run(["sandbox", "status"]);
    expect(calls).toEqual([out.includes("bubblewrap") || out.includes("sandbox-exec") ? "same Bash" : "not run Bash"]);
  });

  deepTest("a refusal stays one, also where rules would allow the call now", async () => {
    await using here = await quollPlace({ scenario: scenario(), settings: { sandbox: { enabled: false } } });
    expect((await here.run(["-p", "go", "--session-id", ID])).code).toBe(4);
    expect((await replayed(here)).report.calls).toMatchObject([{ status: "same", isRefused: true }]);
    expect((await replayed(here, ["--allow-recorded"])).report.calls).toMatchObject([{ isRefused: true }]);
    await here.home.write(
      "own/config/settings.json",
      JSON.stringify({ permissions: { allow: allowed.slice(1) }, sandbox: { enabled: false } }),
    );
    expect((await replayed(here)).report.calls).toMatchObject([
      { status: "not run", why: "it was refused in the recording, and would be allowed here" },
    ]);
  });
});

describe("a file of somebody else's changes nothing but its copy", () => {
  deepTest("whatever rules, folders and modes are at hand", async () => {
    await using here = await quollPlace({ files: {} });
    const out = here.home.path("out");
    await here.home.write("out/x", "x");
    const settings = {
      permissions: { allow: ["Bash(npm test)", "Edit", "Bash(touch *)"], additionalDirectories: [out] },
      sandbox: { filesystem: { allowWrite: [out] } },
    };
    const calls = [bash("npm test"), toolUse("Write", { file_path: `${out}/b`, content: "" }), bash(`touch ${out}/c`)];
    const answers = calls.flatMap((call, at) => [
      {
        kind: "answer",
        message: {
          ...{ role: "assistant", id: `m${at}`, model: "m", stopReason: "tool_use" },
          content: [{ ...call, id: "t" }],
          usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
        },
      },
      { kind: "result", toolUseId: "t", ran: true, content: "ok", isError: false },
    ]);
    const scripts = JSON.stringify({ scripts: { test: `touch ${out}/a` } });
    const head = { ...{ kind: "recording", format: 1, sessionId: "s", version: "1" }, madeAt: "", isRedacted: true };
    const rows = [
      { ...head, missing: [] },
      { kind: "file", path: "package.json", text: scripts, isChanged: true },
      { kind: "setup", isStart: true, cwd: "~{project}", mode: "acceptEdits" },
      { kind: "said", by: "user", prompt: "go" },
      ...answers,
    ];
    await here.project.write("theirs.jsonl", rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    for (const enabled of [true, false]) {
      const own = { ...settings, sandbox: { ...settings.sandbox, enabled } };
      await here.home.write("own/config/settings.json", JSON.stringify(own));
      const { out: report } = await here.run(["replay", "theirs.jsonl", "--json"]);
      expect({ calls: JSON.parse(report).calls.length, files: readdirSync(out) }).toEqual({ calls: 3, files: ["x"] });
    }
  });
});

describe("a session that was", () => {
  deepTest("resumed: files that an earlier process had read are known in the replay too, and no others", async () => {
    await using here = await quollPlace({
      files: { "a.txt": "one\n", "b.txt": "one\n" },
      scenario: [
        reply([read("a.txt")]),
        reply("Read."),
        reply([edit("a.txt", "one", "two")]),
        reply([edit("b.txt", "one", "two")]),
        reply("Done."),
      ],
    });
    await record(here, "look");
    expect((await here.run(["-p", "change", "--continue", ...ALLOWED])).code).toBe(0);
    expect(JSON.stringify(here.sent().at(-1))).toContain("b.txt exists but was not read in this conversation");
    const { code, calls } = await replayed(here);
    expect({ code, calls }).toEqual({ code: 0, calls: ["same Read", "same Edit", "same Edit"] });
  });

  deepTest("forked: the copy replays with what came before it", async () => {
    await using here = await quollPlace({
      files: { "a.txt": "one\n" },
      scenario: [reply([read("a.txt")]), reply("Read."), reply([bash("cat a.txt")]), reply("Done.")],
    });
    expect((await here.run(["-p", "look", ...ALLOWED, "--session-id", FIRST])).code).toBe(0);
    await here.run(["-p", "more", "--resume", FIRST, "--fork-session", "--session-id", ID, ...ALLOWED]);
    expect(await replayed(here)).toMatchObject({ code: 0, calls: ["same Read", "same Bash"] });
  });

  deepTest("compacted: results that were taken out are compared too", async () => {
    const names = ["a.txt", "b.txt", "c.txt", "d.txt"];
    const tooLong = failing(fault.badRequest("prompt is too long: 210000 tokens > 200000 maximum"));
    await using here = await quollPlace({
      files: Object.fromEntries(names.map((name) => [name, `${name} is long\n`.repeat(1_500)])),
      scenario: [
        ...names.map((name) => reply([read(name)])),
        tooLong,
        reply([bash("cat a.txt | head -1")]),
        reply("Done."),
      ],
    });
    await record(here, "go", ["--allowed-tools", "Bash(head *)"]);
    expect(here.twin.requests.at(-1)?.bodyText).toContain("Cleared to make room");
    expect(await replayed(here, ["--allow-recorded"])).toMatchObject({
      code: 0,
      calls: [...names.map(() => "same Read"), "same Bash"],
    });
  });

  deepTest("fixed on its way: answers cut off, an empty one, another model in place of the first", async () => {
    const busy = failing(fault.overloaded());
    await using here = await quollPlace({
      files: { "a.txt": "one\n" },
      scenario: [
        reply("Half an ans", { stopReason: "max_tokens" }),
        reply("Half an answer, and th", { stopReason: "max_tokens" }),
        reply([read("a.txt")]),
        reply([]),
        busy,
        busy,
        busy,
        reply([bash("cat a.txt")]),
        reply("Done."),
      ],
    });
    const models = ["--model", "claude-sonnet-5", "--fallback-model", "claude-haiku-4-5"];
    const run = await here.run(["-p", "go", ...ALLOWED, "--session-id", ID, ...models]);
    expect({ code: run.code, out: run.out }).toMatchObject({ code: 0, out: expect.stringContaining("Done.") });
    expect(here.sent().map(({ model }) => model.slice(0, 12))).toEqual([
      ...Array<string>(7).fill("claude-sonne"),
      ...Array<string>(2).fill("claude-haiku"),
    ]);
    const { code, calls, report } = await replayed(here);
    expect({ code, calls }).toEqual({ code: 0, calls: ["same Read", "same Bash"] });
    expect(report.notes.filter((note) => note.includes("ended before"))).toEqual([]);
  });

  deepTest("cleared: only what came after counts", async () => {
    await using here = await quollPlace({
      files: { "a.txt": "one\n" },
      scenario: [reply([bash("cat a.txt")]), reply("Yes."), reply([read("a.txt")]), reply("Done.")],
    });
    const line = (content: string) => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;
    const stdin = `${line("one")}${line("/clear")}${line("two")}`;
    const stream = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    const run = await here.run(["-p", ...stream, ...ALLOWED, "--session-id", ID], { stdin });
    expect(run.code).toBe(0);
    expect((await replayed(here)).calls).toEqual(["same Read"]);
  });
});

const SERVER = `
import { createInterface } from "node:readline";
const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize")
    send(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "far", version: "1" } });
  if (method === "tools/list")
    send(id, { tools: [{ name: "ask", description: "Asks", inputSchema: { type: "object" } }] });
  if (method === "tools/call") send(id, { content: [{ type: "text", text: "from afar" }] });
});
`;

eachOrDeep(
  "a tool of a server, deferred %s, is not run, and the calls behind it are",
  0,
  [
    ["always", toolUse("ToolCall", { name: "mcp__far__ask", input: {} })],
    ["never", toolUse("mcp__far__ask", {})],
  ] as const,
  async (defer, ask) => {
    await using here = await quollPlace({
      files: { "server.mjs": SERVER, "a.txt": "one\n" },
      scenario: [reply([ask, read("a.txt")]), reply([toolUse("Rad", {})]), reply("Done.")],
    });
    const config = { mcpServers: { far: { command: process.execPath, args: [here.project.path("server.mjs")] } } };
    const settings = JSON.stringify({ tools: { defer } });
    const options = [
      "--mcp-config",
      JSON.stringify(config),
      "--allowed-tools",
      "mcp__far__ask",
      "--settings",
      settings,
    ];
    await record(here, "go", options);
    expect(JSON.stringify(here.sent().at(-1))).toContain("from afar");
    const { code, report, calls } = await replayed(here);
    expect({ code, calls }).toEqual({ code: 0, calls: ["not run mcp__far__ask", "same Read", "same Rad"] });
    expect(report.calls[0]?.why).toContain("an MCP server");
  },
);

deepTest("git in the copy answers as in the project, without its remotes and hooks", async () => {
  await using here = await quollPlace({
    files: { "a.txt": "one\n" },
    scenario: [reply([bash("git log --format=%s; git status --short; git branch")]), reply("Done.")],
  });
  const git = (...args: readonly string[]) =>
    runCommand(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: here.project.dir });
  await git("add", "a.txt");
  expect((await git("commit", "-q", "-m", "First")).code).toBe(0);
  await here.project.write("a.txt", "two\n");
  await here.project.write("new.txt", "new\n");
  await git("remote", "add", "origin", "https://example.invalid/x.git");
  await record(here, "go", ["--allowed-tools", "Bash(git *)"]);
  expect(JSON.stringify(here.sent().at(-1))).toContain("?? new.txt");
  const { report, calls } = await replayed(here, ["--allow-recorded"]);
  expect({ calls, diff: report.calls[0]?.diff }).toEqual({ calls: ["same Bash"], diff: undefined });
});

deepTest("files created since the session began are not in the copy, but tracked files are", async () => {
  await using here = await quollPlace({
    files: { "a.txt": "one\n" },
    scenario: [reply([bash("ls; echo x > made.txt; ls")]), reply("Done.")],
    settings: { permissions: { allow: ["Bash(ls)", "Bash(echo *)", "Edit(/made.txt)"] }, sandbox: { enabled: false } },
  });
  await record(here, "go");
  const { code, report, calls } = await replayed(here);
  expect({ code, calls }).toEqual({ code: 0, calls: ["same Bash"] });
  expect(report.notes).toContain("not in the copy: files created since the session began: made.txt");
});

deepTest("a signal ends it, with what it runs, and leaves nothing behind", async () => {
  await using here = await quollPlace({
    scenario: [reply([bash("test -e begun || exit 0; touch begun; sleep 60")]), reply("Done.")],
    settings: {
      permissions: { allow: ["Bash(test *)", "Bash(exit *)", "Bash(touch *)", "Bash(sleep *)", "Edit(/**)"] },
    },
  });
  await here.home.write("tmp/x", "");
  await record(here, "go");
  const env = { TMPDIR: here.home.path("tmp") };
  await here.project.write("begun", "");
  utimesSync(here.project.path("begun"), 1_000, 1_000);
  const tracked = await runCommand(["git", "add", "begun"], { cwd: here.project.dir });
  expect(tracked.code).toBe(0);
  const startedAt = Date.now();
  const { child, ended } = here.start(["replay", ID, "--allow-recorded"], { env });
  const scratch = () => readdirSync(env.TMPDIR).find((name) => name.startsWith("quoll-replay-"));
  await eventually("the command runs", () => {
    const name = scratch();
    const root = name === undefined ? undefined : readdirSync(here.home.path(`tmp/${name}`))[0];
    const begun = root === undefined ? undefined : here.home.path(`tmp/${name}/${root}/begun`);
    return begun !== undefined && existsSync(begun) && statSync(begun).mtimeMs > startedAt - 1_000;
  });
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ code: 130, out: "" });
  expect(readdirSync(env.TMPDIR)).toEqual(["x"]);
});

deepTest("a plan that nobody could agree to is none in the replay either", async () => {
  await using here = await quollPlace({
    files: { "a.txt": "one\n" },
    scenario: [
      reply([toolUse("ExitPlanMode", { plan: "# Go" })]),
      reply([edit("a.txt", "one", "two")]),
      reply("Done."),
    ],
  });
  const run = await here.run(["-p", "plan", "--permission-mode", "plan", "--session-id", ID]);
  expect(run.code).toBe(0);
  expect(await replayed(here, ["--allow-recorded"])).toMatchObject({
    code: 0,
    calls: ["same ExitPlanMode", "same Edit"],
  });
});

deepTest("a session of the offline engine replays like any other", async () => {
  await using here = await quollPlace({ files: { "a.txt": "one\n" } });
  expect((await here.run(["-p", "read a.txt", "--model", "offline", "--session-id", ID])).code).toBe(0);
  expect(await replayed(here)).toMatchObject({ code: 0, calls: ["same Read"] });
});

deepTest("a large export reaches a pipe whole", async () => {
  const names = ["a.txt", "b.txt", "c.txt", "d.txt"];
  await using here = await quollPlace({
    files: Object.fromEntries(names.map((name) => [name, `${name} is a long one\n`.repeat(4_000)])),
    scenario: [reply(names.map((name) => toolUse("Read", { file_path: name, limit: 4_000 }))), reply("Done.")],
  });
  await record(here, "go");
  const { code, out } = await here.run(["sessions", "export", ID, "--replayable", "--output", "-"]);
  expect({ code, isLarge: out.length > 400_000 }).toEqual({ code: 0, isLarge: true });
  expect(JSON.parse(linesOf(out).at(-1) ?? "")).toEqual({ kind: "turn_end", reason: "completed" });
});

deepTest("a destructive call of the recording affects only the copy, and makes no backup", async () => {
  await using here = await quollPlace({
    files: { "a.txt": "one\n", "b.txt": "two\n" },
    scenario: [reply([read("a.txt"), bash("cat a.txt b.txt; rm b.txt")]), reply("Done.")],
    settings: { permissions: { allow: ["Bash(cat *)", "Bash(rm *)", "Edit(/**)"] }, sandbox: { enabled: false } },
  });
  await runCommand(["rm", "-rf", ".git"], { cwd: here.project.dir });
  await record(here, "go");
  expect(JSON.stringify(here.sent().at(-1))).toContain(" Undo: ");
  await here.project.write("b.txt", "two\n");
  const before = here.ownFiles().map(([path]) => path);
  const { code, report, calls } = await replayed(here, ["--project", here.project.dir]);
  expect({ code, calls }).toEqual({ code: 0, calls: ["same Read", "same Bash"] });
  expect(report.calls[1]?.without).toEqual(["ways back"]);
  expect(here.ownFiles().map(([path]) => path)).toEqual(before);
  expect(await here.project.read("b.txt")).toBe("two\n");
});

deepTest("a recording that can't be replayed gives one clear line", async () => {
  const about = {
    kind: "recording",
    format: 1,
    sessionId: "s",
    version: "1",
    madeAt: "",
    isRedacted: true,
    missing: [],
  };
  await using here = await quollPlace({
    files: {
      "other.json": '{"name":"x"}\n',
      "torn.jsonl": `${JSON.stringify(about)}\n{"kind":"said","by":"us`,
    },
  });
  const problems = [
    [["replay", "nothing"], /^quoll: No session of this project has a name or an id that begins with "nothing".*\n$/],
    [["replay", "./nothing.jsonl"], /^quoll: There is no file \.\/nothing\.jsonl.*\n$/],
    [["replay", "other.json"], /^quoll: other\.json is not a recording.*\n$/],
    [["replay", "torn.jsonl"], /^quoll: torn\.jsonl, line 2: the recording is damaged \(not JSON\).*\n$/],
    [["replay", "torn.jsonl", "--project", "nowhere"], /^quoll: --project: the folder nowhere.*\n$/],
    [["sessions", "export", "x"], /^.*needs --replayable.*\n$/],
  ] as const;
  const runs = await Promise.all(problems.map(async ([args]) => ({ args, ...(await here.run(args)) })));
  expect(runs).toEqual(
    problems.map(([args, problem]) => ({ args, code: 2, out: "", err: expect.stringMatching(problem) })),
  );
});

async function listing({ project }: Here): Promise<string> {
  const { out } = await runCommand(["find", ".", "-printf", "%p %T@ %s %m\\n"], { cwd: project.dir });
  return out;
}

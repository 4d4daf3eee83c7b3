import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Progress } from "../../../src/contracts/display.ts";
import { ToolFailedError } from "../../../src/contracts/errors.ts";
import { MCP_LIMITS } from "../../../src/services/mcp/mcp-limits.ts";
import { deepTest, eachOrDeep } from "../../support/deep.ts";
import { until } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { shortestTime } from "../../support/shortest-time.ts";
import { tempProject } from "../../support/temp-project.ts";
import { callText, callTool, mcpHarness, programServer, rawServer } from "./mcp-harness.ts";

describe("starting programs", () => {
  test("a server's tools are there under their full names, and a call reaches it", async () => {
    await using mcp = await mcpHarness();
    await mcp.start(rawServer("raw"));
    expect(mcp.client.states).toEqual([
      {
        name: "raw",
        kind: "stdio",
        scope: "flag",
        status: "connected",
        toolPrefix: "mcp__raw__",
        tools: 1,
        program: { name: "raw", version: "1.2.3" },
        instructions: "Be kind.",
        notes: [],
      },
    ]);
    expect(mcp.tool("mcp__raw__echo").spec).toEqual({
      name: "mcp__raw__echo",
      summary: "Says it again.",
      description: "Says it again.",
      level: "execute",
      inputSchema: { type: "object", properties: { text: { type: "string" } } },
    });
    expect(await callText(mcp.tool("mcp__raw__echo"), { text: "hello" })).toBe("hello");
  });

  deepTest("every page of a list is read", async () => {
    await using mcp = await mcpHarness();
    await mcp.start(rawServer("many", "pages"));
    const names = mcp.client.tools().map(({ spec }) => spec.name);
    expect(new Set(names)).toEqual(new Set(Array.from({ length: 300 }, (_, index) => `mcp__many__tool_${index}`)));
    expect(names).toEqual([...names].sort());
  });

  deepTest("a cursor that comes again ends the list", async () => {
    await using mcp = await mcpHarness();
    await mcp.start(rawServer("round", "round-cursor"));
    expect(mcp.client.tools().map(({ spec }) => spec.name)).toEqual([
      "mcp__round__from_again",
      "mcp__round__from_start",
    ]);
  });

  deepTest("one odd tool does not cost the others", async () => {
    await using mcp = await mcpHarness();
    await mcp.start(rawServer("odd", "odd-tools"));
    expect(mcp.client.tools().map(({ spec }) => spec.name)).toEqual(["mcp__odd__echo"]);
    expect(mcp.state("odd").notes).toEqual([
      "a tool without a name was ignored",
      "the tool echo is listed twice; the first entry is used",
      "a tool without a name was ignored",
    ]);
  });

  deepTest("a server without tools is connected and offers none", async () => {
    await using mcp = await mcpHarness();
    await mcp.start(rawServer("bare", "no-tools"));
    expect(mcp.state("bare")).toMatchObject({ status: "connected", tools: 0 });
  });

  test("a disabled server is not started", async () => {
    await using mcp = await mcpHarness();
    await mcp.start({ ...rawServer("off"), isDisabled: true });
    expect({ state: mcp.state("off").status, started: mcp.tags }).toEqual({ state: "disabled", started: [] });
  });

  deepTest("rubbish on stdout is passed over", async () => {
    await using mcp = await mcpHarness();
    await mcp.start(rawServer("noisy", "rubbish"));
    expect(await callText(mcp.tool("mcp__noisy__echo"), { text: "still here" })).toBe("still here");
  });

  deepTest("programs that do not answer fail together, after the limit of one start", async () => {
    const startsFive = async () => {
      await using mcp = await mcpHarness({ limits: { ...MCP_LIMITS, startMs: 400 } });
      const begunAt = performance.now();
      await mcp.start(...["a", "b", "c", "d", "e"].map((name) => rawServer(name, "never-answers")));
      const tookMs = performance.now() - begunAt;
      expect(mcp.client.states.map(({ status }) => status)).toEqual(Array(5).fill("failed"));
      return tookMs;
    };
    expect(await shortestTime(5 * 400, startsFive)).toBeLessThan(5 * 400);
  });
});

describe("failing programs", () => {
  eachOrDeep(
    "%s is said in one line",
    1,
    [
      ["dies-at-start", 'it exited with code 7: "Error: the database is not there"'],
      ["old-protocol", "Server's protocol version is not supported: 1999-01-01"],
    ] as const,
    async (behaviour, error) => {
      await using mcp = await mcpHarness();
      await mcp.start(rawServer("sad", behaviour), rawServer("fine"));
      expect(mcp.state("sad")).toMatchObject({ status: "failed", tools: 0, error });
      expect(await callText(mcp.tool("mcp__fine__echo"), { text: "unharmed" })).toBe("unharmed");
    },
  );

  test("the error names a program that does not exist", async () => {
    await using mcp = await mcpHarness();
    await mcp.start({ ...rawServer("gone"), kind: "stdio", command: "no-such-program-here", args: [], env: {} });
    expect(mcp.state("gone").error).toBe(`no-such-program-here could not be started in ${mcp.project.dir} (ENOENT)`);
  });

  eachOrDeep("%s: the limit of the start ends it", 1, ["never-answers", "no-list"], async (behaviour) => {
    await using mcp = await mcpHarness({ limits: { ...MCP_LIMITS, startMs: 300 } });
    await mcp.start(rawServer("slow", behaviour));
    expect(mcp.state("slow")).toMatchObject({ status: "failed", error: "it did not answer within 0.3s" });
    expect(mcp.alive()).toEqual([]);
  });

  deepTest("a line without end is not kept in memory", async () => {
    await using mcp = await mcpHarness({ limits: { ...MCP_LIMITS, maxMessageBytes: 1_000_000 } });
    await mcp.start(rawServer("endless", "endless-line"));
    expect(mcp.state("endless").error).toBe("it sent an oversized message");
    expect(mcp.alive()).toEqual([]);
  });

  deepTest("a program that misses a withheld variable says how to give it", async () => {
    await using mcp = await mcpHarness({ variables: { MY_API_TOKEN: "abcdef-123456-secret" } });
    await mcp.start(rawServer("wants", "wants-variable"));
    expect(mcp.state("wants").error).toBe(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: what the person is to write.
      'it exited with code 1: "fatal: MY_API_TOKEN is not set"; MY_API_TOKEN is not passed to programs; to pass it, add to "env": "MY_API_TOKEN": "${MY_API_TOKEN}"',
    );
  });

  test("credentials reach a program only by its own env", async () => {
    const variables = { MY_API_TOKEN: "abcdef-123456-secret", OTHER_SECRET: "zzz-999999-zzz", PLAIN: "seen" };
    await using mcp = await mcpHarness({ variables });
    const config = rawServer("env", "environment");
    await mcp.start({ ...config, ...(config.kind === "stdio" && { env: { MY_API_TOKEN: "given" } }) });
    const seen = JSON.parse(await callText(mcp.tool("mcp__env__echo")));
    expect(seen).toMatchObject({ MY_API_TOKEN: "given", PLAIN: "seen" });
    expect(seen).not.toHaveProperty("OTHER_SECRET");
  });

  deepTest("a server that failed is started again on demand", async () => {
    await using mcp = await mcpHarness();
    const config = { ...rawServer("later"), kind: "stdio", command: "./server.sh", args: [], env: {} } as const;
    await mcp.start(config);
    expect(mcp.state("later").status).toBe("failed");
    const { chmod } = await import("node:fs/promises");
    const raw = rawServer("later");
    const args = raw.kind === "stdio" ? raw.args.join(" ") : "";
    await chmod(await mcp.project.write("server.sh", `#!/bin/sh\nexec ${process.execPath} ${args}\n`), 0o755);
    expect(await mcp.client.reconnect("later")).toBe(true);
    expect(mcp.state("later")).toMatchObject({ status: "connected", tools: 1 });
    expect(await mcp.client.reconnect("unknown")).toBe(false);
  });
});

describe("calls", () => {
  deepTest("progress is reported", async () => {
    const clock = fakeClock();
    const controller = new AbortController();
    const seen: Progress[] = [];
    await using mcp = await mcpHarness({
      clock: {
        ...clock,
        sleep: (ms, signal) => (ms === MCP_LIMITS.idleMs ? clock.sleep(ms, signal) : realSleep(ms, signal)),
      },
    });
    await mcp.start(rawServer("steps", "progress"));
    const call = callTool(
      mcp.tool("mcp__steps__echo"),
      {},
      { signal: controller.signal, report: (one) => seen.push(one) },
    );
    await until(() => seen.length > 0);
    expect(seen[0]).toEqual({ tail: ["1/3 working"], totalLines: 1, bytes: 11, elapsedMs: 0 });
    controller.abort(new Error("enough"));
    expect(await call).toMatchObject({ isError: true });
  });

  test("silence for the idle limit ends a call, and the server is told", async () => {
    await using mcp = await mcpHarness({ limits: { ...MCP_LIMITS, idleMs: 150 } });
    const log = mcp.project.path("log");
    const config = rawServer("quiet", "silent-call");
    await mcp.start({ ...config, ...(config.kind === "stdio" && { env: { QUOLL_TEST_LOG: log } }) });
    const failure = callTool(mcp.tool("mcp__quiet__echo"), {});
    await expect(failure).rejects.toThrow(
      'The MCP server "quiet" did not finish this call: it sent nothing for 0.1s. It was told to stop; a part may be done.',
    );
    await until(() => readFileSync(log, "utf8").includes("notifications/cancelled"));
    expect(mcp.state("quiet").status).toBe("connected");
  });

  deepTest("a limit of the whole call counts only where it is set", async () => {
    await using mcp = await mcpHarness();
    await mcp.start({ ...rawServer("quiet", "progress"), callTimeoutMs: 120 });
    await expect(callTool(mcp.tool("mcp__quiet__echo"), {})).rejects.toThrow(
      "it took longer than 0.1s, the limit that is set",
    );
  });

  test("an abort ends a call at once, and the server is told", async () => {
    await using mcp = await mcpHarness();
    const log = mcp.project.path("log");
    const config = rawServer("quiet", "silent-call");
    await mcp.start({ ...config, ...(config.kind === "stdio" && { env: { QUOLL_TEST_LOG: log } }) });
    const controller = new AbortController();
    const call = callTool(mcp.tool("mcp__quiet__echo"), {}, { signal: controller.signal });
    await until(() => readFileSync(log, "utf8").includes("tools/call"));
    controller.abort(new Error("The user said stop."));
    const startedAt = performance.now();
    expect(await call).toEqual({
      content:
        "Cancelled by the user. The server was told to stop, but a part of the work may be done: check before you call again.",
      isError: true,
    });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    await until(() => readFileSync(log, "utf8").includes("notifications/cancelled"));
  });

  deepTest("an abort ends the reading of a resource at once, and the server is told", async () => {
    await using mcp = await mcpHarness();
    const log = mcp.project.path("log");
    const config = rawServer("quiet", "silent-read");
    await mcp.start({ ...config, ...(config.kind === "stdio" && { env: { QUOLL_TEST_LOG: log } }) });
    const controller = new AbortController();
    const read = mcp.client.rawResource("quiet", "a:b", controller.signal);
    await until(() => readFileSync(log, "utf8").includes("resources/read"));
    controller.abort(new Error("enough"));
    await expect(read).rejects.toThrow("enough");
    await until(() => readFileSync(log, "utf8").includes("notifications/cancelled"));
  });

  deepTest("an abort after the end of a call tells the server nothing", async () => {
    await using mcp = await mcpHarness();
    const log = mcp.project.path("log");
    const config = rawServer("raw");
    await mcp.start({ ...config, ...(config.kind === "stdio" && { env: { QUOLL_TEST_LOG: log } }) });
    const controller = new AbortController();
    await callTool(mcp.tool("mcp__raw__echo"), { text: "a" }, { signal: controller.signal });
    controller.abort(new Error("late"));
    await callTool(mcp.tool("mcp__raw__echo"), { text: "b" });
    expect(readFileSync(log, "utf8")).not.toContain("cancelled");
  });

  test("a server that dies in a call fails it, and the next call starts it once more", async () => {
    await using mcp = await mcpHarness();
    await mcp.start(rawServer("frail", "dies-in-call", mcp.project.path("died")));
    const tool = mcp.tool("mcp__frail__echo");
    await expect(callTool(tool, {})).rejects.toThrow(
      'The MCP server "frail" was lost during this call (it exited with code 3: "segmentation imagined"). A part may be done. The next call starts it again.',
    );
    expect(mcp.state("frail")).toMatchObject({ status: "failed", tools: 1 });
    const both = await Promise.all([callText(tool), callText(tool)]);
    expect(both).toEqual(["alive again", "alive again"]);
    expect({ starts: mcp.tags.length, status: mcp.state("frail").status }).toEqual({ starts: 2, status: "connected" });
  });

  deepTest("a huge result comes whole", async () => {
    await using mcp = await mcpHarness();
    await mcp.start(rawServer("big", "huge"));
    expect((await callText(mcp.tool("mcp__big__echo"))).length).toBe(20_000_000);
  });

  deepTest("every script survives both ways, and half a surrogate pair does not", async () => {
    await using mcp = await mcpHarness();
    await mcp.start(rawServer("world", "unicode"));
    expect(await callText(mcp.tool("mcp__world__echo"), { text: "ünï 🎉" })).toBe("ünï 🎉 · 日本語 👩‍💻 �");
  });

  test("a refusal of the server is an error that the model can fix", async () => {
    await using mcp = await mcpHarness();
    await mcp.start(rawServer("strict", "refuses"));
    const failure = callTool(mcp.tool("mcp__strict__echo"), {});
    await expect(failure).rejects.toBeInstanceOf(ToolFailedError);
    await expect(failure).rejects.toThrow('The MCP server "strict" refused this call: error -32602: no such colour');
  });

  test("an answer that is none is an error, and the server stays usable", async () => {
    await using mcp = await mcpHarness();
    await mcp.start(rawServer("odd", "odd-result"));
    await expect(callTool(mcp.tool("mcp__odd__echo"), {})).rejects.toThrow("its answer does not follow the protocol");
    expect(mcp.state("odd").status).toBe("connected");
  });

  test("a list that changes in mid-turn is read again", async () => {
    await using mcp = await mcpHarness();
    await mcp.start(rawServer("live", "growing"));
    let changes = 0;
    mcp.client.onChanged(() => {
      changes += 1;
    });
    expect(await callText(mcp.tool("mcp__live__echo"))).toBe("there is more now");
    await until(() => changes > 0);
    expect(mcp.client.tools().map(({ spec }) => spec.name)).toEqual(["mcp__live__echo", "mcp__live__later"]);
  });

  test("roots are answered, questions declined at once, and sampling declined with a reason", async () => {
    const logged: string[] = [];
    await using mcp = await mcpHarness({ onLog: (_, line) => logged.push(line) });
    await mcp.start(rawServer("asks", "asks"));
    const seen = JSON.parse(await callText(mcp.tool("mcp__asks__echo")));
    expect(seen).toEqual({
      900: { roots: [{ uri: `file://${mcp.project.dir}`, name: expect.any(String) }] },
      901: { action: "decline" },
      902: { code: -32601, message: expect.stringContaining("Nobody in this session can allow a server to ask") },
    });
    expect(logged).toEqual([expect.stringContaining("info: quoll: declined its request to the model")]);
  });

  deepTest("a change of a resource counts only after the session has subscribed to it", async () => {
    const changed: string[] = [];
    await using mcp = await mcpHarness({ onResourceUpdated: (_, uri) => changed.push(uri) });
    await mcp.start(rawServer("shop", "updates"));
    await callText(mcp.tool("mcp__shop__echo"));
    expect(changed).toEqual([]);
    await mcp.client.readResource("shop", "r://read", new AbortController().signal);
    await callText(mcp.tool("mcp__shop__echo"));
    expect(changed).toEqual(["r://read"]);
  });

  deepTest("a server's own wish that its tools are always loaded counts for five of them", async () => {
    await using mcp = await mcpHarness();
    await mcp.start(rawServer("marked", "marked"), { ...rawServer("wanted", "marked"), alwaysLoad: true });
    const loaded = (name: string) => mcp.client.toolsOf(name).filter(({ spec }) => spec.alwaysLoad).length;
    expect([loaded("marked"), loaded("wanted")]).toEqual([5, 20]);
  });

  test("the folders that a server's arguments name are roots beside the workspace", async () => {
    await using mcp = await mcpHarness();
    const notes = join(mcp.project.dir, "..");
    await mcp.start(rawServer("asks", "asks", "..", import.meta.dir, "missing", "."));
    const seen = JSON.parse(await callText(mcp.tool("mcp__asks__echo")));
    const uris = seen[900].roots.map(({ uri }: { readonly uri: string }) => uri);
    expect(uris).toEqual([mcp.project.dir, notes, import.meta.dir].map((path) => pathToFileURL(path).href));
  });

  deepTest("a server that asked for the roots is told when they change, and another one is not", async () => {
    let roots: readonly string[] = [];
    await using logs = await tempProject();
    await using mcp = await mcpHarness({ roots: () => roots });
    roots = [mcp.project.dir];
    const logOf = (name: string) => logs.path(`${name}.log`);
    const messages = (name: string) => readFileSync(logOf(name), "utf8");
    const server = (name: string, behaviour: string) => ({
      ...rawServer(name, behaviour),
      env: { QUOLL_TEST_LOG: logOf(name) },
    });
    await mcp.start(server("follows", "follows-roots"), server("plain", "plain"));
    await callText(mcp.tool("mcp__follows__echo"));
    await until(() => messages("follows").includes('"roots":[{'));
    roots = [mcp.project.dir, "/added"];
    mcp.client.rootsChanged();
    await until(() => messages("follows").includes("file:///added"));
    expect(messages("follows")).toContain("notifications/roots/list_changed");
    expect(messages("plain")).not.toContain("list_changed");
  });

  test("a question goes to the person where somebody can be asked", async () => {
    await using mcp = await mcpHarness({
      elicit: async ({ server, message }) => ({ action: "accept", content: { answer: `${server}: ${message}` } }),
    });
    await mcp.start(rawServer("asks", "asks"));
    const seen = JSON.parse(await callText(mcp.tool("mcp__asks__echo")));
    expect(seen[901]).toEqual({ action: "accept", content: { answer: "asks: Your name?" } });
  });
});

describe("the end", () => {
  test("a program that ignores signals ends with all that it started", async () => {
    await using mcp = await mcpHarness();
    await mcp.start(rawServer("leaky", "leaks"));
    await until(() => mcp.alive().length === 3);
    const startedAt = performance.now();
    await mcp.client.close();
    expect(mcp.alive().map((row) => row.command())).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  deepTest("closing while programs start leaves nothing behind", async () => {
    await using mcp = await mcpHarness();
    mcp.client.add(["a", "b", "c", "d", "e"].map((name) => rawServer(name, "never-answers")));
    await until(() => mcp.alive().length >= 1);
    await mcp.client.close();
    expect(mcp.alive()).toEqual([]);
  });

  test("processes that a lost server left behind are ended", async () => {
    await using mcp = await mcpHarness();
    const script = "sleep 600 & echo died >&2; exit 4";
    await mcp.start({ ...programServer("dies", []), kind: "stdio", command: "sh", args: ["-c", script], env: {} });
    expect(mcp.state("dies").error).toBe('it exited with code 4: "died"');
    await until(() => mcp.alive().length === 0);
  });

  test("after the end a call says so", async () => {
    await using mcp = await mcpHarness();
    await mcp.start(rawServer("raw"));
    const tool = mcp.tool("mcp__raw__echo");
    await mcp.client.close();
    await expect(callTool(tool, {})).rejects.toThrow(
      'The MCP server "raw" is not connected: the session ends. Nothing was run.',
    );
  });
});

function realSleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

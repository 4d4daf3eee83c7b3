import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { deepTest } from "../support/deep.ts";
import { linesOf } from "../support/lines-of.ts";
import { QUOLL, quollPlace, resultsIn } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";
import { BROKEN_REPO, REPAIRED_LINE, repairModel } from "./repair-scenario.ts";

setDefaultTimeout(60_000);

const ALLOWED = ["--permission-mode", "acceptEdits", "--allowed-tools", "Bash(sh test/check.sh)"];
const ANSWER = "Fixed: the loop in `src/total.js:4` ran once too often. 1 passed.";
const repoPlace = () => quollPlace({ files: BROKEN_REPO, scenario: repairModel });

describe("a five-round repair of a real repository", () => {
  test("with -p the answer alone stands on stdout, and the file is fixed", async () => {
    await using place = await repoPlace();
    const { code, out, err } = await place.run(["-p", "fix the check", ...ALLOWED]);
    expect({ code, out, err }).toEqual({ code: 0, out: `${ANSWER}\n`, err: "" });
    expect(await place.project.read("src/total.js")).toContain(REPAIRED_LINE);
    expect(place.sent()).toHaveLength(5);
    expect(place.refused()).toEqual([]);
  });

  deepTest("with --verbose each call is named on stderr in order", async () => {
    await using place = await repoPlace();
    const { code, err } = await place.run(["-p", "fix the check", "--verbose", ...ALLOWED]);
    expect(code).toBe(0);
    expect(linesOf(err).map((line) => line.split(" ")[1])).toEqual(["Bash", "Grep", "Read", "Edit", "Bash"]);
  });

  deepTest("as json one object tells what was done and used", async () => {
    await using place = await repoPlace();
    const { code, out } = await place.run(["-p", "fix the check", "--output-format", "json", ...ALLOWED]);
    expect(code).toBe(0);
    expect(linesOf(out)).toHaveLength(1);
    expect(JSON.parse(out)).toEqual({
      type: "result",
      subtype: "success",
      is_error: false,
      duration_ms: expect.any(Number),
      duration_api_ms: expect.any(Number),
      num_turns: 5,
      result: ANSWER,
      stop_reason: "end_turn",
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      total_cost_usd: expect.any(Number),
      usage: {
        input_tokens: expect.any(Number),
        output_tokens: expect.any(Number),
        cache_creation_input_tokens: expect.any(Number),
        cache_read_input_tokens: expect.any(Number),
      },
      sourceUsage: { main: { tokens: expect.any(Number), costUSD: expect.any(Number) } },
      modelUsage: { "claude-sonnet-5-5": expect.objectContaining({ outputTokens: expect.any(Number) }) },
      permission_denials: [],
      terminal_reason: "completed",
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  deepTest("as stream-json init comes first, then the messages as they were sent, then one result", async () => {
    await using place = await repoPlace();
    const { code, out, err } = await place.run(["-p", "fix the check", "--output-format", "stream-json", ...ALLOWED]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const lines = linesOf(out).map((line) => JSON.parse(line));
    expect(lines.map(({ type, subtype }) => (subtype ? `${type}/${subtype}` : type))).toEqual([
      "system/init",
      "assistant",
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
      "assistant",
      "result/success",
    ]);
    const [sessionId] = new Set(lines.map(({ session_id }) => session_id));
    expect(lines.map(({ session_id }) => session_id)).toEqual(lines.map(() => sessionId));
    expect(new Set(lines.map(({ uuid }) => uuid)).size).toBe(lines.length);
    expect(lines[0]).toEqual({
      type: "system",
      subtype: "init",
      cwd: place.project.dir,
      tools: [
        "Read",
        "Edit",
        "Write",
        "Bash",
        "Glob",
        "Grep",
        "TodoWrite",
        "TaskOutput",
        "TaskStop",
        "ExitPlanMode",
        "Recall",
        "Agent",
        "WebFetch",
        "NotebookEdit",
      ],
      mcp_servers: [],
      model: "claude-sonnet-5-5",
      permissionMode: "acceptEdits",
      slash_commands: expect.arrayContaining(["compact", "model", "commit"]),
      apiKeySource: "ANTHROPIC_API_KEY",
      output_style: "default",
      skills: ["commit", "explain-failure", "make-skill", "review", "write-tests"],
      plugins: [],
      agents: ["Explore", "Plan", "Verification", "general-purpose", "fork", "guide", "statusline-setup"],
      quoll_version: expect.any(String),
      session_id: sessionId,
      uuid: expect.any(String),
    });
    for (const { type, message, parent_tool_use_id } of lines.slice(1, -1)) {
      expect(parent_tool_use_id).toBeNull();
      expect(message.role).toBe(type);
      if (type === "assistant")
        expect(Object.keys(message).sort()).toEqual(
          ["content", "id", "model", "role", "stop_reason", "stop_sequence", "type", "usage"].sort(),
        );
    }
    const results = lines.filter(({ type }) => type === "user").flatMap(({ message }) => message.content);
    expect(results.map(({ content }) => content)).toEqual([...resultsIn(place.sent().at(-1))]);
  });

  deepTest("in a terminal the questions are answered by keys, and the screen ends at rest", async () => {
    await using place = await repoPlace();
    await using terminal = terminalProcess([...QUOLL, "--trust"], {
      cwd: place.project.dir,
      env: place.environmentOf({}),
      rows: 40,
    });
    await terminal.shows("? for keys");
    terminal.type("fix the check\r");
    await terminal.shows(/sh test\/check\.sh[\s\S]*❯ 1 Yes/);
    await terminal.answers("1");
    await terminal.shows(/− .*i <= items\.length[\s\S]*\+ .*i < items\.length[\s\S]*❯ 1 Yes/);
    expect(await place.project.read("src/total.js")).not.toContain(REPAIRED_LINE);
    await terminal.answers("1");
    await terminal.shows(/Run the check again[\s\S]*❯ 1 Yes/);
    await terminal.answers("1");
    await terminal.shows("1 passed.");
    await terminal.shows("? for keys");
    expect(await place.project.read("src/total.js")).toContain(REPAIRED_LINE);
    expect(terminal.screen).not.toContain("1 Yes");
    expect(place.refused()).toEqual([]);
    expect(await terminal.leaves()).toBe(0);
  });

  deepTest("without leave for the check nothing but what was allowed is done, and the exit code says so", async () => {
    await using place = await repoPlace();
    const { code, err, out } = await place.run(["-p", "fix the check", "--permission-mode", "acceptEdits"]);
    expect(code).toBe(4);
    const [refused, remedy, ...others] = err.trimEnd().split("\n");
    expect(refused).toMatch(/^quoll: Refused: Bash \(.+\)\.$/);
    expect(remedy).toContain("--allow");
    expect(others).toEqual([]);
    expect(out).toStartWith("I am lost: ");
    expect(await place.project.read("src/total.js")).toBe(BROKEN_REPO["src/total.js"]);
  });
});

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { failing, fault, reply, type Scenario, text, toolUse } from "@quoll/model-twin/scenario";
import { deepTest, eachOrDeep } from "../support/deep.ts";
import { eventually, isRunning } from "../support/eventually.ts";
import { linesOf } from "../support/lines-of.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const touch = toolUse("Bash", { command: "touch made", description: "Make a file" });
const SIGNALS = [
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const;

describe("exit codes of -p", () => {
  test.concurrent("0: an answer", async () => {
    await using place = await quollPlace({ scenario: [reply("Yes.")] });
    expect(await place.run(["-p", "well?"])).toEqual({ code: 0, out: "Yes.\n", err: "" });
  });

  deepTest("2: a command that needs a screen, and an unknown one; a path is a prompt", async () => {
    await using place = await quollPlace({ scenario: [reply("Yes.")] });
    for (const prompt of ["/resume", "/help me"]) {
      const { code, out, err } = await place.run(["-p", prompt]);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toContain(`${prompt.split(" ")[0]} needs a screen`);
    }
    const unknown = await place.run(["-p", "/contxt 1 2"]);
    expect(unknown).toMatchObject({ code: 2, out: "", err: expect.stringContaining("Did you mean /context?") });
    expect(place.sent()).toHaveLength(0);
    expect(await place.run(["-p", "/usr is a folder"])).toMatchObject({ code: 0, out: "Yes.\n" });
  });

  test.concurrent("1: the provider refuses for good, reported in one line and in the result", async () => {
    await using place = await quollPlace({ scenario: [failing(fault.badRequest("no such thing"))] });
    const { code, out, err } = await place.run(["-p", "well?", "--output-format", "json"]);
    expect(code).toBe(1);
    expect(linesOf(err)).toHaveLength(1);
    expect(err).toContain("no such thing");
    expect(JSON.parse(out)).toMatchObject({
      type: "result",
      subtype: "error_during_execution",
      is_error: true,
      errors: [expect.stringContaining("no such thing")],
    });
  });

  deepTest(
    "1: no model is configured and the request is none of the offline forms; 0 when offline was chosen",
    async () => {
      await using place = await quollPlace();
      const fallback = await place.run(["-p", "sing a song"]);
      expect({ ...fallback, err: linesOf(fallback.err).at(-1)?.slice(0, 27) }).toEqual({
        code: 1,
        out: "",
        err: "quoll: no model configured:",
      });
      const chosen = await place.run(["-p", "sing a song", "--model", "offline"]);
      expect({ code: chosen.code, err: chosen.err }).toEqual({ code: 0, err: "" });
      expect(chosen.out).toContain("none of the forms");
    },
  );

  deepTest("3: the limit of steps is reached, after the calls of the last one have run", async () => {
    await using place = await quollPlace({
      files: { "a.txt": "one\n" },
      scenario: [reply([text("Look."), toolUse("Read", { file_path: "a.txt" })])],
    });
    const { code, out, err } = await place.run(["-p", "look", "--max-turns", "1", "--output-format", "stream-json"]);
    const lines = linesOf(out).map((line) => JSON.parse(line));
    expect({ code, err }).toEqual({ code: 3, err: "quoll: Stopped after 1 step, the limit that --max-turns sets.\n" });
    expect(lines.map(({ type }) => type)).toEqual(["system", "assistant", "user", "result"]);
    expect(lines.at(-1)).toMatchObject({ subtype: "error_max_turns", is_error: true, num_turns: 1 });
  });

  eachOrDeep(
    "4: a call was refused because nobody could answer; a deny rule and dontAsk are answers (%j: %i)",
    2,
    [
      [[], 4],
      [["--disallowed-tools", "Bash(touch *)"], 0],
      [["--permission-mode", "dontAsk"], 0],
      [["--permission-mode", "plan"], 0],
    ] as const,
    async (flags, wanted) => {
      await using place = await quollPlace({ scenario: [reply([touch]), reply("Could not.")] });
      const { code, out, err } = await place.run(["-p", "make it", "--output-format", "json", ...flags]);
      const { permission_denials, result, subtype } = JSON.parse(out);
      expect(existsSync(place.project.path("made"))).toBe(false);
      // Only a call that nobody could be asked about has a line that says how to allow it.
      expect({ code, result, subtype, denied: permission_denials.length, lines: linesOf(err).length }).toEqual({
        code: wanted,
        result: "Could not.",
        subtype: "success",
        denied: 1,
        lines: wanted === 4 ? 2 : 1,
      });
    },
  );

  deepTest("exit code 3 takes precedence over 4", async () => {
    await using place = await quollPlace({ scenario: [reply([touch])] });
    expect((await place.run(["-p", "make it", "--max-turns", "1"])).code).toBe(3);
  });

  const leaving = async (scenario: Scenario, words: readonly string[], head: string) => {
    await using place = await quollPlace({ scenario });
    const command = [...QUOLL, "-p", "talk", ...words].map((part) => `'${part}'`).join(" ");
    const shell = Bun.spawn(["bash", "-c", `${command} < /dev/null | ${head}; echo " \${PIPESTATUS[0]}"`], {
      cwd: place.project.dir,
      env: place.environmentOf({}),
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([new Response(shell.stdout).text(), new Response(shell.stderr).text()]);
    return { out, err };
  };

  test.concurrent("a reader of stdout that goes away ends it quietly", async () => {
    // Three times what a pipe holds.
    const whole = await leaving([reply("long ".repeat(40_000))], [], "head -c 10");
    expect(whole).toEqual({ out: "long long  0\n", err: "" });
  });

  deepTest("a reader of stdout that goes away in the middle of an answer ends it quietly", async () => {
    const pieces = ["--output-format", "stream-json", "--include-partial-messages"];
    const slow = await leaving([reply("slow words ".repeat(500), { paceMs: 5 })], pieces, "head -c 10 > /dev/null");
    expect(slow).toEqual({ out: " 0\n", err: "" });
  });
});

describe("signals", () => {
  eachOrDeep(
    "%s in the middle of an answer ends with its own code and a valid session",
    1,
    SIGNALS,
    async (signal, code) => {
      await using place = await quollPlace({ scenario: [reply("slow words ".repeat(500), { paceMs: 100 })] });
      const { child, ended } = place.start(["-p", "talk", "--output-format", "stream-json"]);
      await place.twin.request(0);
      const reader = eventually("the turn is on the disk", () =>
        place.sessionEntries().some(({ kind }) => kind === "user"),
      );
      await reader;
      child.kill(signal);
      const run = await ended;
      expect({ code: run.code, err: run.err }).toEqual({ code, err: "quoll: Interrupted.\n" });
      expect(JSON.parse(linesOf(run.out).at(-1) ?? "")).toMatchObject({ type: "result", is_error: true });
      await place.nextTwin([reply("Again.")]);
      expect((await place.run(["-p", "go on", "--continue"])).out).toBe("Again.\n");
      expect(place.refused()).toEqual([]);
    },
  );

  test.concurrent("SIGTERM in the middle of a command ends everything that the command had started", async () => {
    await using place = await quollPlace({
      files: { "run.sh": "sleep 300 & echo $! > child\nsetsid sleep 300 & echo $! > runaway\necho $$ > own\nwait\n" },
      scenario: [reply([toolUse("Bash", { command: "sh run.sh", description: "Wait" })])],
    });
    const { child, ended } = place.start(["-p", "wait", "--allowed-tools", "Bash(sh run.sh)"]);
    await eventually("the command runs", () => existsSync(place.project.path("own")));
    await eventually("its pid is whole", () => readFileSync(place.project.path("own"), "utf8").endsWith("\n"));
    const pids = ["own", "child", "runaway"].map((name) => Number(readFileSync(place.project.path(name), "utf8")));
    expect(pids.map(isRunning)).toEqual([true, true, true]);
    child.kill("SIGTERM");
    expect((await ended).code).toBe(143);
    expect(pids.map(isRunning)).toEqual([false, false, false]);
    const kinds = place
      .sessionEntries()
      .map(({ kind }) => kind)
      .filter((kind) => kind !== "shown");
    expect(kinds.slice(-3)).toEqual(["tool_finished", "results", "turn_finished"]);
  });

  test.concurrent("processes that a command left running are ended at the end and named on stderr", async () => {
    await using place = await quollPlace({
      files: { "serve.sh": "echo $$ > pid\nexec sleep 300\n" },
      scenario: [
        reply([toolUse("Bash", { command: "sh serve.sh", description: "Serve", run_in_background: true })]),
        reply("It serves."),
      ],
    });
    const flags = ["--allowed-tools", "Bash(sh serve.sh)", "--output-format", "json"];
    const { code, out, err } = await place.run(["-p", "serve", ...flags]);
    const task = { task_id: "b1", command: "sh serve.sh", description: "Serve" };
    expect(JSON.parse(out)).toMatchObject({ subtype: "success", result: "It serves.", ended_tasks: [task] });
    expect(JSON.stringify(place.sent()[1]?.messages)).toContain("ended with your final answer");
    expect(code).toBe(0);
    expect(err).toMatch(/^quoll: ended background tasks: .+\(sh serve\.sh\)\n$/);
    if (existsSync(place.project.path("pid")))
      expect(isRunning(Number(readFileSync(place.project.path("pid"), "utf8")))).toBe(false);
  });
});

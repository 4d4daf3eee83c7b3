import { describe, expect, test } from "bun:test";
import type { HookSettings } from "../../../src/contracts/hook-settings.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { commandAnswer } from "../../../src/services/hooks/command-answer.ts";
import { runCommandHook } from "../../../src/services/hooks/command-hook.ts";
import { readHookAnswer } from "../../../src/services/hooks/hook-answer.ts";
import { registeredHook } from "../../../src/services/hooks/registered-hook.ts";
import { HookRunner } from "../../../src/services/hooks/run-hooks.ts";
import { cpuClock } from "../../support/cpu-clock.ts";
import { deepTest, longerInDeep } from "../../support/deep.ts";
import { eventually, isRunning } from "../../support/eventually.ts";
import { tempProject } from "../../support/temp-project.ts";

const ended = (exitCode: number, stdout = "", stderr = "") => ({ exitCode, stdout, stderr });

const verdict = (permissionDecision: string, more: object = {}) =>
  JSON.stringify({ hookSpecificOutput: { permissionDecision, permissionDecisionReason: "r", ...more } });
const DENY = verdict("deny");
const ALLOW = verdict("allow");
const REFUSED = { hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "r" } };
const BLOCK = { decision: "block", reason: "b" };

describe("the answer of a command among other output", () => {
  test.each([
    ["after a greeting", `shell ready\n${DENY}`, REFUSED],
    ["before a greeting", `${DENY}\nbye { "x`, REFUSED],
    ["within a line", `result: ${DENY} (cached)`, REFUSED],
    ["over several lines, in a code block", `\`\`\`json\n${JSON.stringify(REFUSED, null, 2)}\n\`\`\``, REFUSED],
    ["after a log of JSON lines", `{"level":"info","msg":"a {b"}\n{"level":"warn"}\n${DENY}`, REFUSED],
    ["after an object that is cut", `{"a": {"b": 1,\n${DENY}`, REFUSED],
    ["in a list", `[${DENY}]`, REFUSED],
    ["beside an allow", `${ALLOW}\n${DENY}`, REFUSED],
    ["with a changed input", `x\n${verdict("deny", { updatedInput: { a: 1 }, additionalContext: "c" })}`, REFUSED],
    ["as a question", `x\n${verdict("defer")}`, JSON.parse(verdict("defer"))],
    ["a question beside a refusal", `${verdict("ask")}\n${DENY}`, REFUSED],
    ["as a block", `x\n${JSON.stringify({ ...BLOCK, systemMessage: "m" })}`, BLOCK],
    ["as the end of the turn", 'x\n{"continue": false, "stopReason": "s"}', { continue: false, stopReason: "s" }],
  ] as const)("is found %s, and only refuses", (_, stdout, answer) => {
    expect(commandAnswer("PreToolUse", ended(0, stdout))).toEqual(answer);
    expect(commandAnswer("PreToolUse", ended(1, stdout, "warning"))).toEqual(answer);
  });

  test.each([
    ['{"reason":"compiler-artifact"}\n{"reason":"build-finished","success":true}'],
    ['ran 3 tests\n{"decision":"skipped","continue":true,"async":true}'],
    ['{"hookSpecificOutput":"none"} and more'],
  ])("is not taken for one in what other programs print: %s", (stdout) => {
    expect(commandAnswer("PostToolUse", ended(0, `x\n${stdout}`))).toEqual({});
  });

  test.each([
    ['{"permission":"deny"}', "deny"],
    ['checked\n{"permission":"ask","userMessage":"u"}', "ask"],
    ['{"hookSpecificOutput":{"permissionDecision":"DENY"}}', "deny"],
    ['checked\n{"decision":"Block"}', "deny"],
    ['checked\n{"hookSpecificOutput":{"permissionDecision":"Deny "}}', "deny"],
    ['{"decision":"ask"}', "ask"],
    ['{"permissionDecision":"deny","hookSpecificOutput":{"permissionDecision":"allow"}}', "deny"],
    ['{"async":true,"decision":"block"}', "deny"],
    ['{"permission_decision":"deny"}', "deny"],
    ['{"hook_specific_output":{"permission_decision":"deny","reason":"r"}}', "deny"],
    ['checked\n{"hook_specific_output":{"permissionDecision":"ask"}}', "ask"],
    ['{"HookSpecificOutput":{"PermissionDecision":"Denied"}}', "deny"],
    ['{"hookSpecificOutput":{"permissionDecision":"block"}}', "deny"],
    ['{"systemMessage":"s","block":true}', "deny"],
    ['checked\n{"block":true}', "deny"],
    ['{"decision":"approve","block":true}', "deny"],
    ['{"decision":"rejected"}', "deny"],
  ])("refuses in the words of other agents: %s", (stdout, decision) => {
    const answer = readHookAnswer("PreToolUse", commandAnswer("PreToolUse", ended(0, stdout)));
    expect(answer.permission?.decision).toBe(decision as "deny");
  });

  test.each([
    ["checked\n{'decision': 'block'}"],
    ['checked\n{"decision":"block"'],
    ['checked\n{"decision":"block","reason":"two\nlines"}'],
    ['{"hookSpecificOutput":{"permissionDesicion":"deny"}}'],
    ['checked\n{decision: "block"}'],
    ['checked\n{"continue": False}'],
    ['"{\\"decision\\":\\"block\\"}"'],
    ["deny"],
    ['{"result":{"permissionDecision":"deny"}}'],
    ['{"systemMessage":"s","results":[{"decision":"deny"}]}'],
    ['checked\n{"output":{"decision":"block"}}'],
    ['{"hookSpecificOutput":[{"permissionDecision":"deny"}]}'],
  ])("is told where it can't be read: %s", (stdout) => {
    expect(() => readHookAnswer("PreToolUse", commandAnswer("PreToolUse", ended(0, stdout)))).toThrow(
      /refusal|no field/,
    );
  });

  test("is told where it went to stderr without an exit code", () => {
    expect(() => commandAnswer("PreToolUse", ended(0, "checked", DENY))).toThrow("stderr");
  });

  test.each([
    ['got {"hook_event_name":"PreToolUse","tool_input":{"decision":"block"},"tool_response":{"permission":"deny"}}'],
    ['the decision is "deny"'],
    ["permission: denied for { continue: true }"],
  ])("is not found in a hook's input or in prose: %s", (stdout) => {
    expect(commandAnswer("PreToolUse", ended(0, stdout))).toEqual({});
  });

  test.each([
    ["PermissionRequest", verdict("deny"), { block: { reason: "r" } }],
    ["UserPromptSubmit", verdict("deny"), { block: { reason: "r" } }],
    ["PreCompact", '{"permission":"deny","reason":"r"}', { block: { reason: "r" } }],
    ["PreToolUse", '{"hookSpecificOutput":{"decision":{"behavior":"Deny","message":"r"}}}', { block: { reason: "r" } }],
    ["Elicitation", verdict("deny"), { block: { reason: "r" } }],
    ["TaskCreated", '{"reason":"r","hookSpecificOutput":{"action":"decline"}}', { block: { reason: "r" } }],
    ["SessionStart", verdict("deny"), { systemMessage: "r" }],
  ] as const)("refuses at %s in the form of another event: %s", (event, stdout, outcome) => {
    expect(readHookAnswer(event, commandAnswer(event, ended(0, stdout)))).toEqual(outcome);
  });

  test("that asks is told at an event without a question", () => {
    expect(() =>
      readHookAnswer("UserPromptSubmit", commandAnswer("UserPromptSubmit", ended(0, verdict("ask")))),
    ).toThrow("`ask` is no answer at UserPromptSubmit");
  });

  test.each([
    '{"continue":"false"}',
    'checked\n{"continue":"False"}',
    '{"Continue":false}',
    '{"hookSpecificOutput":{"continue":false}}',
  ])("ends the turn in the words of other languages: %s", (stdout) => {
    expect(readHookAnswer("PreToolUse", commandAnswer("PreToolUse", ended(0, stdout)))).toMatchObject({ stop: {} });
  });

  test("allows nothing in another agent's word, and is told where its end is missing", () => {
    expect(readHookAnswer("PreToolUse", { permission: "allow" })).toEqual({});
    expect(() => commandAnswer("PreToolUse", { ...ended(0, "x"), isCut: true })).toThrow("more than 1 MB");
  });

  test("blocks a prompt, and other text stays context", () => {
    expect(commandAnswer("UserPromptSubmit", ended(0, `hello\n${JSON.stringify(BLOCK)}`))).toEqual(BLOCK);
    const context = 'hello\n{"hookSpecificOutput":{"additionalContext":"x"}}';
    expect(commandAnswer("UserPromptSubmit", ended(0, context))).toEqual({
      hookSpecificOutput: { additionalContext: context },
    });
  });

  test("answers a question for permission or of a server only with a no", () => {
    const request = (behavior: string) => `x\n${JSON.stringify({ hookSpecificOutput: { decision: { behavior } } })}`;
    expect(commandAnswer("PermissionRequest", ended(0, request("deny")))).toEqual({
      hookSpecificOutput: { decision: { behavior: "deny" } },
    });
    expect(() => commandAnswer("PermissionRequest", ended(0, request("allow")))).toThrow("beside its answer");
    const action = 'x\n{"hookSpecificOutput":{"action":"decline"}}';
    expect(commandAnswer("Elicitation", ended(0, action))).toEqual({ hookSpecificOutput: { action: "decline" } });
  });

  test("with exit code 2 always blocks, with the reason of the answer if stderr has none", () => {
    expect(commandAnswer("PreToolUse", ended(2, verdict("ask")))).toEqual({ decision: "block", reason: "r" });
    expect(commandAnswer("PreToolUse", ended(2, DENY, "why"))).toEqual({ decision: "block", reason: "why" });
  });

  deepTest("is found in a megabyte of braces in little time", () => {
    const spent = cpuClock();
    expect(commandAnswer("PreToolUse", ended(0, `x ${'{"'.repeat(500_000)}`))).toEqual({});
    expect(commandAnswer("PreToolUse", ended(0, `${"{ x ".repeat(200_000)}\n${DENY}`))).toEqual(REFUSED);
    expect(spent()).toBeLessThan(2_000);
  });
});

describe("the answer of a command", () => {
  test.each([
    ["SessionStart", ended(0, " words \n"), { hookSpecificOutput: { additionalContext: "words" } }],
    ["UserPromptSubmit", ended(0, "words"), { hookSpecificOutput: { additionalContext: "words" } }],
    ["PreToolUse", ended(0, "words"), {}],
    ["PreToolUse", ended(0, ' {"continue": false}'), { continue: false }],
    ["PreToolUse", ended(2, '{"continue": false}', "no\nnever"), { decision: "block", reason: "no\nnever" }],
    ["Stop", ended(2, "go on"), { decision: "block", reason: "go on" }],
    [
      "PermissionRequest",
      ended(2, "", "no"),
      { hookSpecificOutput: { decision: { behavior: "deny", message: "no" } } },
    ],
    ["Elicitation", ended(2), { hookSpecificOutput: { action: "decline" } }],
  ] as const)("at %s after %j is %j", (event, end, answer) => {
    expect(commandAnswer(event, end)).toEqual(answer);
  });

  test.each([
    [ended(1, "", "line one\nline two"), "it ended with exit code 1: line one"],
    [ended(127), "it ended with exit code 127"],
    [{ exitCode: undefined, stdout: "", stderr: "" }, "a signal ended it"],
    [ended(0, "{"), /^its output begins with \{ but is not JSON \(/],
    [ended(0, "{}{}"), /^its output begins with \{ but is not JSON \(/],
    [ended(0, 'checked\n{"systemMessage": "hello"}'), /^it printed other text beside its answer/],
    [ended(0, `noise\n${ALLOW}`), /^it printed other text beside its answer/],
    [ended(1, ALLOW, "no key"), "it ended with exit code 1: no key"],
  ])("that failed with %j is told", (end, problem) => {
    expect(() => commandAnswer("PreToolUse", end)).toThrow(problem);
  });
});

describe("a command with faults", () => {
  const run = async (dir: string, hook: Partial<HookSettings>) => {
    const ports = {
      projectRoot: dir,
      environment: async () => ({ PATH: process.env["PATH"] ?? "" }),
      shell: () => "/bin/sh",
    };
    const declared = {
      event: "PreToolUse",
      file: "settings.json",
      layer: "user",
      hook: { type: "command", ...hook },
    } as const;
    const runner = new HookRunner(systemClock);
    runner.register([registeredHook(declared, (one, input, signal) => runCommandHook(one, input, ports, signal))]);
    const common = { sessionId: "s", transcriptPath: "", cwd: dir, mode: "default" } as const;
    const about = {
      event: "PreToolUse",
      toolName: "Bash",
      toolUseId: "t",
      toolInput: { command: "x".repeat(500_000) },
    } as const;
    return runner.run({ ...about, ...common }, new AbortController().signal);
  };

  test("prints nothing, or closes its stdin early, and the session continues", async () => {
    await using project = await tempProject();
    expect(await run(project.dir, { command: "true" })).toEqual({});
    expect(await run(project.dir, { command: "exec <&-; sleep 0.05" })).toEqual({});
    const long = await run(project.dir, { command: "head -c 5000000 /dev/zero" });
    expect(long).toEqual({ systemMessage: expect.stringContaining("it printed more than 1 MB") });
  });

  longerInDeep(
    "prints 200 MB, and the session continues",
    async (isWhole) => {
      const bytes = isWhole ? 200_000_000 : 60_000_000;
      await using project = await tempProject();
      const before = process.memoryUsage().rss;
      const loud = await run(project.dir, { command: `head -c ${bytes} /dev/zero | tr '\\0' x; echo no >&2; exit 2` });
      expect(loud).toEqual({
        permission: { decision: "deny", reason: "no", by: expect.stringContaining("(PreToolUse, settings.json)") },
      });
      expect(process.memoryUsage().rss - before).toBeLessThan(1.5 * bytes);
    },
    60_000,
  );

  deepTest(
    "prints an object of 200 MB, and the session continues",
    async () => {
      await using project = await tempProject();
      const before = process.memoryUsage().rss;
      const long = await run(project.dir, {
        command: "printf '{\"reason\":\"'; head -c 200000000 /dev/zero | tr '\\0' x",
      });
      expect(long.systemMessage).toMatch(/ failed: it printed more than 1 MB\. Quoll continued without the hook\.$/);
      expect(process.memoryUsage().rss - before).toBeLessThan(180_000_000);
    },
    60_000,
  );

  test("ends by a signal, or its program is missing: one line says so", async () => {
    await using project = await tempProject();
    const told = async (command: string) => (await run(project.dir, { command })).systemMessage;
    expect(await told("kill -TERM $$")).toContain("failed: a signal ended it.");
    expect(await told("no-such-program --now")).toMatch(
      /failed: it ended with exit code 127: .*no-such-program.*not found/,
    );
  });

  test("never ends: its whole group is ended at its time limit", async () => {
    await using project = await tempProject();
    const command = "sh -c 'echo $$ > child; exec sleep 1000' & echo $$ > parent; trap '' TERM INT; sleep 1000";
    const outcome = await run(project.dir, { command, timeout: 1 });
    expect(outcome.systemMessage).toMatch(/failed: it did not answer within 1 s\. Quoll continued without the hook\.$/);
    const pids = await Promise.all(["parent", "child"].map(async (name) => Number(await project.read(name))));
    await eventually("no process of the hook runs", () => !pids.some(isRunning));
  });

  deepTest("leaves no child that it started in its group", async () => {
    await using project = await tempProject();
    await run(project.dir, { command: "sleep 1000 & echo $! > child" });
    const pid = Number(await project.read("child"));
    await eventually("the child has ended", () => !isRunning(pid));
  });

  deepTest("can't be started: the program is named", async () => {
    await using project = await tempProject();
    const outcome = await run(project.dir, { command: "/no/such/program", args: [], onFailure: "block" });
    expect(outcome.block?.reason).toBe(
      `The hook /no/such/program (PreToolUse, settings.json) failed: it could not be started in ${project.dir} (ENOENT).`,
    );
  });
});

test("a project's hook runs in the project root, which its approval covers, and a user's in the agent's folder", async () => {
  await using project = await tempProject({ "sub/a.txt": "a" });
  const folderOf = async (layer: "project" | "user") => {
    const ports = { projectRoot: project.dir, environment: async () => ({}), shell: () => "/bin/sh" };
    const input = { hook_event_name: "UserPromptSubmit", cwd: `${project.dir}/sub` };
    const hook = { type: "command", command: "pwd" } as const;
    return runCommandHook({ hook, layer }, input, ports, new AbortController().signal);
  };
  const answer = (folder: string) => ({ hookSpecificOutput: { additionalContext: folder } });
  expect(await folderOf("project")).toEqual(answer(project.dir));
  expect(await folderOf("user")).toEqual(answer(`${project.dir}/sub`));
});

import { expect, test } from "bun:test";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import type { Checkpoints } from "../../src/contracts/checkpoint.ts";
import type { Hooks } from "../../src/contracts/hook.ts";
import { writingCall } from "../../src/engine/writing-call.ts";
import { answering, engineHarness, testTool } from "../support/engine-harness.ts";

function recorder() {
  const log: string[] = [];
  const checkpoints: Checkpoints = {
    promptSent: () => void log.push("prompt"),
    answerBegan: () => void (log.at(-1) === "prompt" && log.push("answer")),
    makeReady: () => undefined,
    hooksBegin: async ({ title }) => {
      log.push(`hooks of ${title}`);
      return { end: () => void log.push(`after hooks of ${title}`) };
    },
    expectWrite: () => void log.push("expect"),
    beginCall: async ({ title, level }) => {
      log.push(`begin ${level} ${title}`);
      return { end: () => void log.push(`end ${title}`) };
    },
  };
  return { log, checkpoints };
}

test("each call that may write runs between two checkpoints, a reading call runs without", async () => {
  const { log, checkpoints } = recorder();
  const run = async (text: string) => {
    log.push(`run ${text}`);
    if (text === "fails") throw new Error("broken");
    return { content: text };
  };
  await using harness = await engineHarness({
    scenario: [
      reply([
        toolUse("Look", { text: "a" }),
        toolUse("Change", { text: "b" }),
        toolUse("Shell", { text: "c" }),
        toolUse("Shell", { text: "fails" }),
      ]),
      reply("Done."),
    ],
    tools: [
      testTool("Look", { run }),
      testTool("Change", { level: "write", run }),
      testTool("Shell", { level: "execute", run }),
    ],
    checkpoints,
  });
  await harness.engine.submit({ prompt: "go" });
  expect(log.filter((line) => line !== "expect")).toEqual([
    ...["prompt", "answer", "run a", "begin write b", "run b", "end b", "begin execute c", "run c", "end c"],
    ...["begin execute fails", "run fails", "end fails"],
  ]);
  expect(log.indexOf("expect")).toBeLessThan(log.indexOf("begin execute c"));
});

test("hooks that run after a call, such as formatters, are within its checkpoint", async () => {
  const { log, checkpoints } = recorder();
  const run = async () => {
    log.push("run");
    return { content: "done" };
  };
  const hooks: Hooks = {
    wants: () => true,
    run: async ({ event }) => {
      if (event === "PostToolUse") log.push("hook");
      return {};
    },
  };
  await using harness = await engineHarness({
    scenario: [reply([toolUse("Change", { text: "b" })]), reply("Done.")],
    tools: [testTool("Change", { level: "write", subjects: [{ action: "write", path: "/p/a" }], run })],
    hooks,
    checkpoints,
  });
  await harness.engine.submit({ prompt: "go" });
  expect(log).toEqual(["prompt", "answer", "begin write b", "run", "end b", "hooks of b", "hook", "after hooks of b"]);
});

test("a refused call needs no checkpoint", async () => {
  const { log, checkpoints } = recorder();
  await using harness = await engineHarness({
    scenario: [reply([toolUse("Change", { text: "b" })]), reply("Done.")],
    tools: [testTool("Change", { level: "write" })],
    permissions: answering(() => ({
      decision: "deny",
      decidedBy: { kind: "rule", reason: "test" },
      message: "no",
      unanswered: false,
    })),
    checkpoints,
  });
  await harness.engine.submit({ prompt: "go" });
  expect(log).toEqual(["prompt", "answer"]);
});

test("a writing call names its files, its programs and its effects outside", () => {
  const hazard = { paths: [], folder: "/p", text: "publishes a package", kind: "publishes" } as const;
  const command = { action: "execute", assignments: [], understood: true, readOnly: false } as const;
  const call = {
    level: "execute",
    title: "t",
    preview: { kind: "command", command: "npm publish > out.txt", description: "", unclear: [] },
    subjects: [
      { ...command, command: "npm publish", hazards: [hazard, { ...hazard, kind: "deletes", text: "x" }] },
      { action: "write", path: "/p/out.txt" },
      { action: "read", path: "/p/in.txt" },
    ],
  } as const;
  expect(writingCall({ id: "t1" }, call, { agentId: "main", folder: "/p" })).toEqual({
    ...{ toolUseId: "t1", agentId: "main", folder: "/p", level: "execute", title: "t" },
    command: "npm publish > out.txt",
    paths: ["/p/out.txt"],
    programs: ["npm"],
    outside: ["publishes a package"],
  });
  expect(writingCall({ id: "t1" }, { ...call, level: "read" }, { agentId: "main", folder: "/p" })).toBeUndefined();
});

test("a push and an install are effects outside, a download is none", () => {
  const command = { action: "execute", assignments: [], understood: true, readOnly: false, hazards: [] } as const;
  const reaches = { hosts: [{ host: "example.com" }], named: [], settings: [] };
  const call = {
    ...({ level: "execute", title: "t" } as const),
    subjects: [
      { ...command, command: "git  push origin main", needsNetwork: true },
      { ...command, command: "npm install", needsNetwork: true, reaches },
      {
        ...command,
        command: "curl -O https://example.com/a",
        needsNetwork: true,
        reaches: { ...reaches, needsAll: true },
      },
      { ...command, command: "make" },
    ],
  };
  expect(writingCall({ id: "t1" }, call, { agentId: "main", folder: "/p" })?.outside).toEqual([
    ...["git push origin main", "npm install"],
  ]);
});

import { describe, expect, test } from "bun:test";
import type { OutputFormat } from "../../../src/faces/headless/output-format.ts";
import { runHeadless } from "../../../src/faces/headless/run-headless.ts";
import { countedIds } from "../../support/engine-harness.ts";
import { programSession } from "../../support/program-session.ts";
import { questionOf } from "../../support/question.ts";
import { type Script, scriptedEngine } from "../../support/scripted-engine.ts";

const QUESTION = questionOf({
  id: "q1",
  agentId: "main",
  parentAgentId: null,
  kind: "plan",
  toolUseId: "t1",
  toolName: "ExitPlanMode",
  title: "Carry out this plan?",
  preview: { kind: "text", text: "1. Rename it", file: "/plans/one.md" },
  reason: "the plan is ready",
  hazards: ["publishes a package"],
  suggestions: ["Bash(npm test)"],
  sessionRules: ["Edit(/**)"],
  confinement: "outside the sandbox",
  isOutside: true,
});

/** A turn in which a question comes and goes, and the mode changes. */
const asking: Script = async ({ emit, say }) => {
  emit({ type: "question_asked", question: QUESTION });
  emit({ type: "question_settled", id: QUESTION.id, toolUseId: "1" });
  emit({ type: "mode_changed", mode: "auto" });
  await say("Done.", { ms: 0 });
};

async function ran(script: Script, format: OutputFormat) {
  const { engine, listeners } = scriptedEngine({ script });
  let out = "";
  const err: string[] = [];
  const { exitCode: code } = await runHeadless({
    limits: () => ({ contextWindow: 1, maxOutputTokens: 1 }),
    engine,
    session: programSession(engine),
    input: { prompt: "go" },
    format,
    verbose: true,
    ids: countedIds(),
    out: (chunk) => {
      out += chunk;
    },
    err: (line) => void err.push(line),
    init: { cwd: "/", permissionMode: "default" },
  });
  return { code, out, err, listeners: listeners.size };
}

const told = (out: string) =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("questions in a run without a person", () => {
  test("add no line that programs of this ecosystem don't know, in any format", async () => {
    const stream = await ran(asking, "stream-json");
    expect(told(stream.out).map(({ type, subtype }) => [type, subtype])).toEqual([
      ["system", "init"],
      ["system", "status"],
      ["result", "success"],
    ]);
    const json = await ran(asking, "json");
    expect(told(json.out).map(({ type, subtype }) => [type, subtype])).toEqual([["result", "success"]]);
    const rest = [stream, json, await ran(asking, "text")].map(({ code, err, listeners }) => ({
      code,
      err,
      listeners,
    }));
    const quiet = { code: 0 as const, err: [] as string[], listeners: 0 };
    expect(rest).toEqual([quiet, quiet, quiet]);
  });

  test("a refusal is reported with the wire's names and its own text, without fields of Quoll", async () => {
    const denial = {
      toolName: "Bash",
      toolUseId: "t1",
      input: { command: "npm publish" },
      decidedBy: {
        kind: "rule",
        rule: "Bash(npm *)",
        source: "settings.json:1",
        reason: "ask rule Bash(npm *)",
      } as const,
      unanswered: true,
    };
    const { out } = await ran(async ({ emit }) => emit({ type: "permission_denied", denial }), "stream-json");
    expect(told(out)[1]).toEqual({
      type: "system",
      subtype: "permission_denied",
      tool_name: "Bash",
      tool_use_id: "t1",
      tool_input: { command: "npm publish" },
      reason: "ask rule Bash(npm *)",
      decision_reason: "ask rule Bash(npm *)",
      decided_by: { kind: "rule", rule: "Bash(npm *)", source: "settings.json:1" },
      message: "Refused: ask rule Bash(npm *).",
      session_id: "0d9f2c1e-demo",
      uuid: expect.any(String),
    });
  });

  test("a refusal is one line on stderr, whatever the refused call holds", async () => {
    const denial = {
      toolName: "Bash",
      toolUseId: "t",
      input: { command: "a\nb" },
      decidedBy: { kind: "rule", reason: "the rule Bash(a)" } as const,
      unanswered: false,
    };
    const { err } = await ran(async ({ emit }) => emit({ type: "permission_denied", denial }), "json");
    expect(err).toEqual(["Refused: Bash (the rule Bash(a))."]);
  });
});

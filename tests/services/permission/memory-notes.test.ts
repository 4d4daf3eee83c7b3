import { describe, expect, test } from "bun:test";
import type { Subject } from "../../../src/contracts/subject.ts";
import { evaluate } from "../../../src/services/permission/judge/evaluate.ts";
import type { Situation } from "../../../src/services/permission/judge/judgement.ts";
import { setUp } from "./engine-support.ts";
import { execute, HOME, ROOT, read, situation, write } from "./support.ts";

const DATA = `${HOME}/.local/share/quoll`;
const FOLDER = `${DATA}/memory/app-1`;
const NOTE = `${FOLDER}/bun.md`;

type Lists = Parameters<typeof situation>[0];

function decide(toolName: string, subject: Subject, lists: Lists = {}, change: Partial<Situation> = {}) {
  const level = toolName === "Bash" ? "execute" : subject.action === "read" ? "read" : "write";
  const subjects = toolName === "Bash" ? [execute("x"), subject] : [subject];
  return evaluate(
    { toolName, level, subjects },
    situation(lists, { notes: () => ({ folder: FOLDER, mayWrite: true }), ...change }),
  ).decision;
}

describe("a note of the project's memory", () => {
  test.each([
    ["Bash", execute("x"), 0],
    ["Read", read("/project/a.ts"), 0],
    ["Read", read(NOTE), 2],
  ] as const)("is looked up for the path of a note only: %s %j", (toolName, subject, times) => {
    let count = 0;
    const notes = () => {
      count += 1;
      return undefined;
    };
    decide(toolName, subject, {}, { notes, otherModes: ["plan"] });
    expect(count).toBe(times);
  });

  test("is read and written by Read, Write and Edit without a question", () => {
    expect(decide("Read", read(NOTE))).toBe("allow");
    expect(decide("Write", write(NOTE))).toBe("allow");
    expect(decide("Edit", write(NOTE))).toBe("allow");
    expect(decide("Write", write(NOTE), {}, { mode: "dontAsk" })).toBe("allow");
  });

  test("is asked about while the memory is off", () => {
    expect(decide("Write", write(NOTE), {}, { notes: undefined })).toBe("ask");
    expect(decide("Read", read(NOTE), {}, { notes: undefined })).toBe("ask");
  });

  test("is read without a question and written only with one where the memory may not be written", () => {
    const notes = () => ({ folder: FOLDER, mayWrite: false });
    expect(decide("Read", read(NOTE), {}, { notes })).toBe("allow");
    expect(decide("Write", write(NOTE), {}, { notes })).toBe("ask");
    expect(decide("Edit", write(NOTE), {}, { notes })).toBe("ask");
  });

  test("is not written in plan mode, and not against a deny or an ask rule", () => {
    expect(decide("Write", write(NOTE), {}, { mode: "plan" })).toBe("deny");
    expect(decide("Write", write(NOTE), { deny: [`Write(/${FOLDER}/**)`] })).toBe("deny");
    expect(decide("Edit", write(NOTE), { deny: ["Edit"] })).toBe("deny");
    expect(decide("Write", write(NOTE), { ask: [`Edit(/${FOLDER}/**)`] })).toBe("ask");
  });

  test("is asked about when a command writes or reads it", () => {
    expect(decide("Bash", write(NOTE, { byCommand: true }))).toBe("ask");
    expect(decide("Bash", write(NOTE))).toBe("ask");
    expect(decide("Bash", read(NOTE, { byCommand: true }))).toBe("ask");
    expect(decide("Grep", read(NOTE))).toBe("ask");
  });

  test.each([
    ["has another ending", `${FOLDER}/run.sh`],
    ["is hidden", `${FOLDER}/.x.md`],
    ["stands in a folder below", `${FOLDER}/sub/x.md`],
    ["stands beside the folder", `${FOLDER}-2/x.md`],
    ["is the folder itself", FOLDER],
    ["stands in another project's memory", `${DATA}/memory/other-2/x.md`],
    ["belongs to Quoll's settings", `${HOME}/.config/quoll/x.md`],
  ])("is none where the file %s", (_, path) => {
    expect(decide("Write", write(path))).toBe("ask");
  });

  test("is none where a link leads there, and none where a link leads out of the folder", () => {
    expect(decide("Write", write(NOTE, { given: `${ROOT}/docs/link.md` }))).toBe("ask");
    expect(decide("Write", write(`${HOME}/.bashrc`, { given: NOTE }))).toBe("ask");
    expect(decide("Read", read(`${HOME}/.ssh/id_rsa`, { given: `${FOLDER}/key.md` }))).toBe("ask");
  });

  test("is free for the main agent, and asked about for a child", async () => {
    const { engine, request } = setUp({ notes: () => ({ folder: FOLDER, mayWrite: true }), canAsk: false });
    const { signal } = new AbortController();
    expect((await engine.authorize(request("Write", "write", write(NOTE)), signal)).decision).toBe("allow");
    const agent = { agentId: "c", parentAgentId: "main", parentToolUseId: null, spendSource: "subagent" } as const;
    const child = engine.narrow({ agent, state: { mode: "bypassPermissions" } });
    expect((await child.authorize(request("Write", "write", write(NOTE)), signal)).decision).toBe("deny");
    child.close();
  });
});

import { expect, test } from "bun:test";
import { reply, text, toolUse } from "@quoll/model-twin/scenario";
import type { ResultBody } from "../../src/contracts/display.ts";
import type { Redactor } from "../../src/contracts/ports.ts";
import { makeGrant } from "../../src/contracts/subject.ts";
import { textResult } from "../../src/contracts/tool.ts";
import { answering, engineHarness, testTool } from "../support/engine-harness.ts";

const SECRET = "hunter2hunter2";
const MARK = "[[SECRET:test:1]]";
const hiding: Redactor = {
  redact: (shown) => shown.replaceAll(SECRET, MARK),
  restore: async (shown) => shown.replaceAll(MARK, SECRET),
  placeholdersIn: (shown) => (shown.includes(MARK) ? [MARK] : []),
};

const calling = (input: string) => [reply([toolUse("Look", { text: input })]), reply([text("done")])];

test("a secret in a result, its display or its progress reaches neither model, log nor screen", async () => {
  const look = testTool("Look", {
    run: async () =>
      textResult(`the key is ${SECRET}`, {
        display: {
          kind: "command",
          command: `echo ${SECRET}`,
          exitCode: 0,
          signal: undefined,
          timedOut: false,
          tail: [SECRET],
          totalLines: 1,
        },
      }),
  });
  await using h = await engineHarness({ scenario: calling("x"), tools: [look], redactor: hiding });
  await h.engine.submit({ prompt: "go" });
  const seen = JSON.stringify([h.events, h.written, h.twin.requests.map(({ body }) => body)]);
  expect(seen).not.toContain(SECRET);
  expect(seen).toContain(`the key is ${MARK}`);
});

test("a secret in the content that a tool describes for a person is hidden, and the content is cut", async () => {
  const bodies: readonly ResultBody[] = [
    { kind: "text", text: SECRET.repeat(10_000) },
    { kind: "list", items: [{ text: SECRET, mark: "done", note: SECRET }] },
    { kind: "table", columns: [{ name: SECRET }], rows: [[SECRET]] },
    { kind: "diff", path: "a", hunks: [{ oldStart: 1, newStart: 1, lines: [{ kind: "added", text: SECRET }] }] },
  ];
  for (const body of bodies) {
    const look = testTool("Look", {
      run: async () => textResult("ok", { display: { kind: "summary", text: "", body } }),
    });
    await using h = await engineHarness({ scenario: calling("x"), tools: [look], redactor: hiding });
    await h.engine.submit({ prompt: "go" });
    const shown = h.events.flatMap((event) => (event.type === "tool_finished" ? [event.display] : []));
    expect(JSON.stringify([shown, h.written])).not.toContain(SECRET);
    expect(shown).toMatchObject([{ body: { kind: body.kind } }]);
    expect(JSON.stringify(shown)).toContain(MARK);
    expect(JSON.stringify(shown).length).toBeLessThan(33_000);
  }
});

test("lines that were only added are shown as that, and nothing is removed", async () => {
  const hunks = [{ oldStart: 1, newStart: 1, lines: [{ kind: "added", text: `a ${SECRET}` }] }] as const;
  const display = { kind: "diff", path: "a", isNew: true, added: 1, removed: 0, hunks } as const;
  const look = testTool("Look", { run: async () => textResult("ok", { display }) });
  await using h = await engineHarness({ scenario: calling("x"), tools: [look], redactor: hiding });
  await h.engine.submit({ prompt: "go" });
  const [shown] = h.events.flatMap((event) => (event.type === "tool_finished" ? [event.display] : []));
  expect(shown).toEqual({ ...display, hunks: [{ ...hunks[0], lines: [{ kind: "added", text: `a ${MARK}` }] }] });
});

test("the title of a call that was never prepared comes from its input", async () => {
  const look = testTool("Look");
  const calls = [
    reply([toolUse("Look", { file_path: "src/a.ts" }), toolUse("Nope", { command: "ls" })]),
    reply("done"),
  ];
  await using h = await engineHarness({ scenario: calls, tools: [look] });
  await h.engine.submit({ prompt: "go" });
  const titles = h.events.flatMap((event) => (event.type === "tool_started" ? [event.title] : []));
  expect(titles).toEqual(["src/a.ts", "ls"]);
});

test("a placeholder in the input of a tool that can't put it back is an error, and nothing runs", async () => {
  let ran = 0;
  const look = testTool("Look", {
    run: async () => {
      ran += 1;
      return textResult("ran");
    },
  });
  await using h = await engineHarness({ scenario: calling(`curl -d ${MARK}`), tools: [look], redactor: hiding });
  await h.engine.submit({ prompt: "go" });
  expect(ran).toBe(0);
  expect(JSON.stringify(h.twin.requests.at(-1)?.body)).toContain("stands for a secret that is hidden from you");
});

test("the notes about a backup reach the model and the person", async () => {
  const permissions = answering(({ toolUseId }) => ({
    decision: "allow",
    grant: makeGrant({
      toolUseId,
      confinement: "none",
      decidedBy: { kind: "default" },
      notes: ["kept a copy in /backup", "to bring back:\nsh 'a b'"],
    }),
  }));
  await using h = await engineHarness({ scenario: calling("x"), tools: [testTool("Look")], permissions });
  const told: string[] = [];
  h.engine.subscribe(({ event }) => {
    if (event.type === "notice") told.push(event.message);
  });
  await h.engine.submit({ prompt: "go" });
  expect(told).toEqual(["kept a copy in /backup", "to bring back:\nsh 'a b'"]);
  expect(JSON.stringify(h.twin.requests.at(-1)?.body)).toContain(
    // A command stands by itself, to be taken as it is.
    "Look: x\\n[kept a copy in /backup]\\n[to bring back:]\\nsh 'a b'\"",
  );
});

test("a part that a person took is prepared and judged again, and only it runs", async () => {
  const judged: unknown[] = [];
  const permissions = answering(({ toolUseId, call }) => {
    judged.push(call.input);
    const grant = makeGrant({ toolUseId, confinement: "none", decidedBy: { kind: "default" }, notes: [] });
    if (judged.length > 1) return { decision: "allow", grant };
    return { decision: "allow", grant, updatedInput: { text: "half" } };
  });
  await using h = await engineHarness({ scenario: calling("whole"), tools: [testTool("Look")], permissions });
  const told: string[] = [];
  h.engine.subscribe(({ event }) => {
    if (event.type === "notice") told.push(event.message);
  });
  await h.engine.submit({ prompt: "go" });
  // This text is for the model alone.
  expect(told).toEqual([]);
  expect(judged).toEqual([{ text: "whole" }, { text: "half" }]);
  const sent = JSON.stringify(h.twin.requests.at(-1)?.body);
  expect(sent).toContain("Look: half");
  expect(sent).toContain("only a part of this change");
  expect(sent).not.toContain("Look: whole");
});

test("a part that is refused when it is judged again does not run", async () => {
  let judged = 0;
  const permissions = answering(({ toolUseId }) => {
    judged += 1;
    if (judged > 1)
      return { decision: "deny", decidedBy: { kind: "rule", reason: "a rule" }, message: "No.", unanswered: false };
    const grant = makeGrant({ toolUseId, confinement: "none", decidedBy: { kind: "default" }, notes: [] });
    return { decision: "allow", grant, updatedInput: { text: "half" } };
  });
  await using h = await engineHarness({ scenario: calling("whole"), tools: [testTool("Look")], permissions });
  await h.engine.submit({ prompt: "go" });
  expect(JSON.stringify(h.written)).toContain("No.");
  expect(JSON.stringify(h.written)).not.toContain("Look: half");
});

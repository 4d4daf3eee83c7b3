import { expect, test } from "bun:test";
import { questionForm, replyOf } from "../../../src/faces/mcp-server/question-form.ts";
import { type QuestionParts, questionOf } from "../../support/question.ts";

const ASKED: QuestionParts = {
  id: "1",
  agentId: "main",
  parentAgentId: null,
  kind: "permission",
  toolUseId: "t",
  toolName: "Bash",
  title: "Run this command?",
  preview: { kind: "command", command: "rm -rf build", description: "", unclear: [] },
  reason: "You have not allowed it yet.",
  hazards: ["deletes build", "has no backup"],
  suggestions: [],
  sessionRules: ["Bash(rm -rf build)"],
};

const optionsOf = (question: QuestionParts) => {
  const { answer } = questionForm(questionOf(question)).requestedSchema.properties;
  return answer && "enumNames" in answer
    ? Object.fromEntries(answer.enum.map((value, at) => [value, answer.enumNames?.[at]]))
    : {};
};

test("a form names the command and its dangers first", () => {
  expect(
    questionForm(questionOf({ ...ASKED, confinement: "outside the sandbox", isOutside: true })).message.split("\n"),
  ).toEqual([
    "Run this command? rm -rf build",
    "Warning: deletes build; has no backup",
    "You have not allowed it yet.",
    "It would run outside the sandbox.",
  ]);
});

test("a form offers the session only where a rule would hold", () => {
  expect(optionsOf(ASKED)).toEqual({
    once: "Allow once",
    session: "Allow in this session: Bash(rm -rf build)",
    no: "No",
  });
  expect(optionsOf({ ...ASKED, sessionRules: [] })).toEqual({ once: "Allow once", no: "No" });
  expect(optionsOf({ ...ASKED, kind: "wait" })).toEqual({ once: "Wait", no: "No" });
});

test("a form shows a diff, control characters as symbols, and how much it leaves out", () => {
  const lines = [
    { kind: "removed", text: "old" },
    { kind: "added", text: "new\u001b[31m" },
  ] as const;
  const preview = { kind: "diff", path: "/a.txt", isNew: false, hunks: [{ oldStart: 3, newStart: 3, lines }] } as const;
  const { message } = questionForm(questionOf({ ...ASKED, title: "Edit this file?", preview, hazards: [] }));
  expect(message.split("\n")).toEqual([
    "Edit this file?",
    "/a.txt",
    "@@ -3 +3 @@",
    "-old",
    "+new␛[31m",
    "You have not allowed it yet.",
  ]);
  const long = questionForm(questionOf({ ...ASKED, preview: { kind: "text", text: "x".repeat(10_007) } }));
  expect(long.message).toContain("… 7 more characters are not shown.");
});

test.each([
  [{ action: "accept", content: { answer: "once" } }, { decision: "once" }],
  [{ action: "accept", content: { answer: "session" } }, { decision: "session" }],
  [{ action: "accept", content: { answer: "no" } }, { decision: "reject" }],
  [{ action: "accept", content: { answer: "always" } }, { decision: "reject" }],
  [{ action: "accept", content: {} }, { decision: "reject" }],
  [{ action: "accept" }, { decision: "reject" }],
  [{ action: "decline", content: { answer: "once" } }, { decision: "reject" }],
  [{ action: "cancel" }, { decision: "reject", message: "the question was closed without an answer" }],
] as const)("the answer %j is read as %j", (answer, reply) => {
  expect(replyOf(answer, questionForm(questionOf(ASKED)))).toEqual(reply);
});

test("an answer that was not offered is a no", () => {
  const form = questionForm(questionOf({ ...ASKED, sessionRules: [] }));
  expect(replyOf({ action: "accept", content: { answer: "session" } }, form)).toEqual({ decision: "reject" });
});

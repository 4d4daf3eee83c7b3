import { expect, test } from "bun:test";
import { ElicitRequestFormParamsSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Reply } from "../../../src/contracts/question.ts";
import { choiceForm, choiceReply } from "../../../src/faces/mcp-server/question-router.ts";
import { DATABASE, FEATURES } from "../../support/choice.ts";

const ASKED = [DATABASE, FEATURES];

test("a form has a list and a line for each question, and a line to talk", () => {
  const form = choiceForm(ASKED);
  expect(ElicitRequestFormParamsSchema.parse(form)).toEqual(form);
  expect(form.message).toBe("Which database should the shop use?\nWhich features come first?");
  expect(form.requestedSchema.required).toBeUndefined();
  expect(form.requestedSchema.properties).toEqual({
    answer1: {
      type: "string",
      title: DATABASE.question,
      description: "Database",
      enum: ["PostgreSQL (recommended)", "SQLite"],
      enumNames: ["PostgreSQL (recommended): Relational, what the team knows", "SQLite: One file, no server"],
    },
    words1: { type: "string", title: "Database: another answer" },
    answer2: {
      type: "array",
      title: FEATURES.question,
      description: "Features: any of these",
      items: { anyOf: ["Login", "Search", "Export"].map((label) => ({ const: label, title: label })) },
    },
    words2: { type: "string", title: "Features: another answer" },
    talk: expect.objectContaining({ type: "string" }),
  });
});

test.each<[Parameters<typeof choiceReply>[0], Reply]>([
  [
    { action: "accept", content: { answer1: "SQLite", answer2: ["Export", "Login"], words2: "dark mode " } },
    { decision: "answered", answers: [{ labels: ["SQLite"] }, { labels: ["Login", "Export"], words: "dark mode" }] },
  ],
  [
    { action: "accept", content: { answer1: "Oracle", talk: "why?" } },
    { decision: "answered", answers: [{ labels: [] }, { labels: [] }], talk: "why?" },
  ],
  [{ action: "accept" } as never, { decision: "answered", answers: [{ labels: [] }, { labels: [] }] }],
  [{ action: "decline", content: { answer1: "SQLite" } }, { decision: "reject" }],
  [{ action: "cancel" } as never, { decision: "reject" }],
])("the form %j is read as %j", (answer, expected) => {
  expect(choiceReply(answer, ASKED)).toEqual(expected);
});

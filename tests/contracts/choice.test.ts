import { expect, test } from "bun:test";
import { answersIn, choiceInput, choiceOutput } from "../../src/contracts/choice.ts";
import { DATABASE, FEATURES } from "../support/choice.ts";

const ASKED = [DATABASE, FEATURES];
const read = (answers: object, more: object = {}) => answersIn({ answers, ...more }, ASKED)?.answers;

test("a program gets the questions in the form of the tool's input", () => {
  expect(choiceInput([FEATURES])).toEqual({
    questions: [
      {
        question: "Which features come first?",
        header: "Features",
        options: ["Login", "Search", "Export"].map((label) => ({ label, description: "" })),
        multiSelect: true,
      },
    ],
  });
});

test("a program gets the answers by the questions' texts, with the chosen preview and what stayed open", () => {
  const preview = DATABASE.options[1]?.preview;
  const chosen = { labels: ["SQLite"] };
  const both = { labels: ["Login", "Search"], words: "dark mode" };
  const asked = choiceInput(ASKED);
  expect(choiceOutput(ASKED, { decision: "answered", answers: [chosen, both] })).toEqual({
    ...asked,
    answers: { [DATABASE.question]: "SQLite", [FEATURES.question]: "Login, Search, dark mode" },
    annotations: { [DATABASE.question]: { preview } },
  });
  expect(choiceOutput(ASKED, { decision: "answered", answers: [chosen, { labels: [] }] })).toMatchObject({
    answers: { [DATABASE.question]: "SQLite" },
    annotations: { [FEATURES.question]: { unanswered: "skipped" } },
  });
  expect(choiceOutput([FEATURES], { decision: "answered", answers: [{ labels: [] }], talk: "why?" })).toEqual({
    ...choiceInput([FEATURES]),
    ...{ answers: {}, response: "why?" },
    annotations: { [FEATURES.question]: { unanswered: "replied_in_chat" } },
  });
  expect(choiceOutput([FEATURES], undefined)).toEqual({ ...choiceInput([FEATURES]), answers: {} });
});

test.each<[string, object, object]>([
  ["a label", { [DATABASE.question]: "SQLite" }, [{ labels: ["SQLite"] }, { labels: [] }]],
  ["own words", { [DATABASE.question]: " MySQL " }, [{ labels: [], words: "MySQL" }, { labels: [] }]],
  ["a list of labels", { [FEATURES.question]: ["Login", "Export"] }, [{ labels: [] }, { labels: ["Login", "Export"] }]],
  ["labels in one text", { [FEATURES.question]: "Login, Search" }, [{ labels: [] }, { labels: ["Login", "Search"] }]],
  [
    "labels and own words in a list",
    { [FEATURES.question]: ["Login", "dark mode"] },
    [{ labels: [] }, { labels: ["Login"], words: "dark mode" }],
  ],
  [
    "a text with commas that are no labels",
    { [FEATURES.question]: "Login, then rest" },
    [{ labels: [] }, { labels: [], words: "Login, then rest" }],
  ],
  ["a value of another type", { [DATABASE.question]: 7 }, [{ labels: [] }, { labels: [] }]],
  ["an answer to a question that was not asked", { other: "SQLite" }, [{ labels: [] }, { labels: [] }]],
])("an answer may be %s", (_, answers, expected) => {
  expect(read(answers)).toEqual(expected as never);
});

test("a note of the person stands beside the chosen label", () => {
  const annotations = { [DATABASE.question]: { notes: "in memory for tests" } };
  expect(read({ [DATABASE.question]: "SQLite" }, { annotations })?.[0]).toEqual({
    labels: ["SQLite"],
    words: "in memory for tests",
  });
});

test("words in place of answers are a wish to talk", () => {
  expect(answersIn({ response: "why not files?" }, [DATABASE])).toEqual({
    decision: "answered",
    answers: [{ labels: [] }],
    talk: "why not files?",
  });
});

test("an input without answers answers nothing", () => {
  expect([answersIn({}, ASKED), answersIn({ answers: "SQLite" }, ASKED)]).toEqual([undefined, undefined]);
});

test("the name of a question may be a name of every object", () => {
  const asked = { ...DATABASE, question: "__proto__" };
  expect(answersIn({ answers: {} }, [asked])?.answers).toEqual([{ labels: [] }]);
});

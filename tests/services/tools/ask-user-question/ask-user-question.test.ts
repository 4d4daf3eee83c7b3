import { describe, expect, test } from "bun:test";
import type { PermissionAnswer } from "../../../../src/contracts/hook.ts";
import type { NewQuestion, Reply } from "../../../../src/contracts/question.ts";
import { askUserQuestionTool } from "../../../../src/services/tools/ask-user-question/ask-user-question.ts";
import { toolContext } from "../../../support/tool-context.ts";
import { runCall } from "../call-tool.ts";

const OPTIONS = [
  { label: "PostgreSQL", description: "Relational" },
  { label: "SQLite", description: "One file" },
];
const ONE = { question: "Which database?", header: "Database", options: OPTIONS };
const MANY = { ...ONE, question: "Which features?", header: "Features", multiSelect: true };

type Person = { readonly reply?: Reply; readonly canAsk?: boolean; readonly hook?: PermissionAnswer };

function askedOf({ reply = { decision: "reject" }, canAsk = true, hook }: Person = {}, modelInput?: object) {
  const asked: NewQuestion[] = [];
  const ask = {
    canAsk,
    ask: async (question: NewQuestion) => {
      asked.push(question);
      return reply;
    },
  };
  const tool = askUserQuestionTool({ hookAnswer: () => (hook ? Promise.resolve(hook) : undefined) });
  const context = toolContext({ ask, modelInput });
  const run = async (input: Readonly<Record<string, unknown>>) => runCall(await tool.prepare(input, context));
  return { asked, run };
}

const told = async (person: Person, ...questions: readonly object[]) =>
  String((await askedOf(person).run({ questions })).content);

describe("the questions of the model", () => {
  test("are asked as they were sent, and the answers are told as words", async () => {
    const answers = [{ labels: ["SQLite"] }, { labels: ["PostgreSQL"], words: 'and a "cache"' }];
    const { asked, run } = askedOf({ reply: { decision: "answered", answers } });
    const result = await run({ questions: [ONE, MANY] });
    expect(asked).toEqual([
      {
        title: "Database, Features",
        body: {
          kind: "choice",
          call: { toolUseId: "t", toolName: "AskUserQuestion" },
          questions: [
            { question: "Which database?", header: "Database", options: OPTIONS, isMultiple: false },
            { question: "Which features?", header: "Features", options: OPTIONS, isMultiple: true },
          ],
        },
      },
    ]);
    expect(result.content).toBe(
      'The user answered:\n- Which database? SQLite\n- Which features? PostgreSQL; in their own words: "and a \\"cache\\""',
    );
    expect(result.display).toMatchObject({
      kind: "summary",
      text: 'Database: SQLite\nFeatures: PostgreSQL, and a "cache"',
    });
  });

  test("that the person leaves out are the model's to decide", async () => {
    const reply: Reply = { decision: "answered", answers: [{ labels: ["SQLite"] }, { labels: [] }] };
    expect(await told({ reply }, ONE, MANY)).toContain("Which features? no answer: decide yourself");
  });

  test("are left with what was chosen when the person wants to talk", async () => {
    const answers = [{ labels: ["SQLite"] }, { labels: [] }];
    const said = await told({ reply: { decision: "answered", answers, talk: "why a database?" } }, ONE, MANY);
    expect(said).toContain('and says: "why a database?"');
    expect(said).toContain("- Which database? SQLite");
    expect(said).not.toContain("Which features?");
    expect(said).toContain("end your turn");
  });

  test("are answered at once where nobody is there, as no error", async () => {
    const { asked, run } = askedOf({ canAsk: false });
    const result = await run({ questions: [ONE] });
    expect(asked).toEqual([]);
    expect(result.isError).toBeUndefined();
    expect(result.content).toContain("Nobody can answer");
  });

  test.each([true, undefined])("that are closed end the turn if the reply says so: %j", async (endsTurn) => {
    const reply: Reply = { decision: "reject", message: "later", ...(endsTurn && { endsTurn }) };
    const failure = await told({ reply }, ONE).catch((error: unknown) => error);
    expect(failure).toMatchObject({ refusal: { decidedBy: { kind: "person" }, endsTurn } });
    expect(String(failure)).toContain("later");
  });

  test("allowed without an answer are the model's to decide", async () => {
    expect(await told({ reply: { decision: "once" } }, ONE)).toContain("no answer");
  });
});

describe("a hook in place of a person", () => {
  const answers = { "Which database?": "SQLite" };

  test("answers, also where nobody could be asked", async () => {
    const hook = { behavior: "allow", updatedInput: { questions: [ONE], answers } } as const;
    const { asked, run } = askedOf({ hook, canAsk: false });
    expect((await run({ questions: [ONE] })).content).toBe("The user answered:\n- Which database? SQLite");
    expect(asked).toEqual([]);
  });

  test("that gives no answer leaves the question to the person", async () => {
    const { asked, run } = askedOf({ hook: { behavior: "allow" }, reply: { decision: "once" } });
    await run({ questions: [ONE] });
    expect(asked).toHaveLength(1);
  });

  test("that refuses closes the questions", async () => {
    const hook = { behavior: "deny", reason: "no questions at night", endsTurn: false } as const;
    expect(await told({ hook }, ONE).catch(String)).toContain("no questions at night");
  });

  test("answers before the call by its changed input", async () => {
    const { asked, run } = askedOf({}, { questions: [ONE] });
    expect((await run({ questions: [ONE], answers })).content).toContain("SQLite");
    expect(asked).toEqual([]);
  });

  test.each([
    ["answers", { answers }, "The user answered:\n- Which database? SQLite"],
    ["a wish to talk", { response: "Ask Kim first" }, "Ask Kim first"],
  ])("answers the model's questions if its changed input has only %s", async (_, changed, expected) => {
    const { asked, run } = askedOf({}, { questions: [ONE], answers: { "Which database?": "PostgreSQL" } });
    const { content } = await run(changed);
    expect([asked.length, String(content)]).toEqual([0, expect.stringContaining(expected)]);
    expect(content).not.toContain("PostgreSQL");
  });
});

test("the model can't answer its own questions", async () => {
  const { asked, run } = askedOf({ reply: { decision: "once" } });
  const { content } = await run({ questions: [ONE], answers: { "Which database?": "SQLite" } });
  expect([asked.length, String(content).includes("SQLite")]).toEqual([1, false]);
});

describe("bad questions are refused in one line that names the place", () => {
  const options = (count: number) => Array.from({ length: count }, (_, at) => ({ label: `L${at}`, description: "" }));
  const labelled = (label: string) => ({ ...ONE, options: [{ label, description: "" }, OPTIONS[1]] });

  test.each<[string, unknown, RegExp]>([
    ["no question", [], /`questions` must be a list of at least 1/],
    [
      "five questions",
      [1, 2, 3, 4, 5].map((at) => ({ ...ONE, question: `Q${at}?` })),
      /`questions` must be a list of at most 4/,
    ],
    ["one option", [{ ...ONE, options: options(1) }], /`questions\[0\]\.options` must be a list of at least 2/],
    ["twenty options", [{ ...ONE, options: options(20) }], /`questions\[0\]\.options` must be a list of at most 4/],
    ["a question without a header", [{ ...ONE, header: undefined }], /`questions\[0\]\.header` is missing/],
    [
      "an escape sequence in a label",
      [labelled("\u001b[31mred")],
      /`questions\[0\]\.options\[0\]\.label` has control or hidden/,
    ],
    ["a hidden character", [labelled("a\u202eb")], /`questions\[0\]\.options\[0\]\.label` has control or hidden/],
    [
      "an escape sequence in a question",
      [{ ...ONE, question: "\u001b]0;x\u0007?" }],
      /`questions\[0\]\.question` has control/,
    ],
    ["two equal labels", [labelled("sqlite")], /questions\[0\] has two options "SQLite"/],
    ["two equal questions", [ONE, MANY, ONE], /Two questions have the same text: "Which database\?"/],
    ["a long label", [labelled("x".repeat(101))], /label` has 101 characters: at most 100 fit/],
  ])("%s", async (_, questions, expected) => {
    const said = await askedOf().run({ questions }).catch(String);
    expect(said).toMatch(expected);
    expect(String(said).split("\n")).toHaveLength(1);
  });

  test("but a long header is cut, and lines of a label are joined", async () => {
    const { asked, run } = askedOf({ reply: { decision: "once" } });
    await run({ questions: [{ ...labelled("two\nlines"), header: "A header of many letters" }] });
    const [question] = asked[0]?.body.kind === "choice" ? asked[0].body.questions : [];
    expect([question?.header, question?.options[0]?.label]).toEqual(["A header of…", "two lines"]);
  });
});

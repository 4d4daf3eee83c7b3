import { expect, test } from "bun:test";
import type { McpElicitation } from "../../../src/contracts/mcp.ts";
import type { Reply } from "../../../src/contracts/question.ts";
import { randomIds } from "../../../src/platform/clock.ts";
import { OpenQuestions } from "../../../src/protocol/open-questions.ts";
import { elicitPerson } from "../../../src/services/mcp/elicitation/elicit-person.ts";
import { partsOf, type QuestionParts } from "../../support/question.ts";

const NEVER = new AbortController().signal;
const type = (text: string): Reply => ({ decision: "text", text });
const choose = (value: string): Reply => ({ decision: "chosen", value });

/** A person who gives these answers, one to each question. */
async function answered(request: Partial<McpElicitation>, replies: readonly Reply[], opens = true) {
  const questions = new OpenQuestions(randomIds, "person");
  const asked: ReturnType<typeof partsOf>[] = [];
  const pages: string[] = [];
  const left = [...replies];
  questions.subscribe(() => {
    const [question] = questions.pending;
    if (!question || asked.some(({ id }) => id === question.id)) return;
    asked.push(partsOf(question));
    queueMicrotask(() => questions.reply(question.id, left.shift() ?? { decision: "reject" }));
  });
  const openPage = (url: string) => {
    pages.push(url);
    return opens;
  };
  const elicit = elicitPerson({ asker: questions.personAsker(), openPage });
  const reply = await elicit({ server: "shop", message: "Who are you?", mode: "form", ...request }, NEVER);
  return { reply, asked, pages, unused: left.length };
}

const form = (properties: object, required: readonly string[] = []) => ({
  requestedSchema: { type: "object", properties, required },
});
const labels = ({ choices = [] }: QuestionParts) => choices.map(({ label }) => label);

test("a form is asked field by field, with defaults, choices and limits, and sent after a last look", async () => {
  const fields = form(
    {
      name: { type: "string", title: "Your name", default: "Ada", minLength: 2 },
      age: { type: "integer", minimum: 18 },
      agrees: { type: "boolean", default: false },
      colour: { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"], default: "g" },
      size: {
        type: "string",
        oneOf: [
          { const: "s", title: "Small" },
          { const: "l", title: "Large" },
        ],
      },
      tags: {
        type: "array",
        minItems: 1,
        items: {
          anyOf: [
            { const: "a", title: "First" },
            { const: "b", title: "Second" },
          ],
        },
      },
      mail: { type: "string", format: "email" },
      note: { type: "string" },
    },
    ["name", "tags"],
  );
  const replies = [
    choose("default"),
    ...[type("seventeen"), type("17"), type("18.5"), type("18")],
    choose("=false"),
    choose("=g"),
    choose("=l"),
    ...[type("third"), type(""), type("2, first")],
    ...[type("nobody"), type("a@b.c")],
    choose("empty"),
    choose("accept"),
  ];
  const { reply, asked, unused } = await answered(fields, replies);
  expect(reply).toEqual({
    action: "accept",
    content: { name: "Ada", age: 18, agrees: false, colour: "g", size: "l", tags: ["b", "a"], mail: "a@b.c" },
  });
  expect(unused).toBe(0);
  expect(asked.map(({ reason }) => reason).filter((reason) => !reason.startsWith("The server gets"))).toEqual([
    "This must be a number.",
    "This must be at least 18.",
    "This must be a whole number.",
    'There is no choice "third"',
    "Choose at least 1.",
    "This must be an e-mail address.",
  ]);
  const [name, , , , , agrees, colour] = asked;
  expect(name && [name.title, labels(name)]).toEqual([
    "The MCP server shop asks you",
    ["use Ada", "type an answer", "decline"],
  ]);
  // The default stands first, so that Enter takes it.
  expect([agrees, colour].map((one) => one && labels(one).slice(0, 2))).toEqual([
    ["no", "yes"],
    ["Green", "Red"],
  ]);
  expect(asked.at(-1)?.preview).toEqual({
    kind: "text",
    text: "Your name: Ada\nage: 18\nagrees: no\ncolour: Green\nsize: Large\ntags: Second, First\nmail: a@b.c\nnote: (empty)\n\nThe server shop says:\n  Who are you?",
  });
});

test("from the second field on, a person can go back, and finds the earlier answers as defaults", async () => {
  const fields = form({ name: { type: "string" }, agrees: { type: "boolean" }, mail: { type: "string" } });
  const replies = [
    ...[type("Ada"), choose("=true"), choose("back"), choose("=false"), type("a@b.c")],
    ...[choose("back"), choose("back"), choose("back"), type("Grace"), choose("=false"), choose("empty")],
    choose("accept"),
  ];
  const { reply, asked, unused } = await answered(fields, replies);
  expect([reply, unused]).toEqual([{ action: "accept", content: { name: "Grace", agrees: false } }, 0]);
  const offersBack = asked.map((question) => labels(question).includes("back to the previous field"));
  expect(offersBack).toEqual([false, true, true, true, true, true, true, true, false, true, true, true]);
  expect(asked.at(8)?.choices?.find(({ isTyped }) => isTyped)?.prefill).toBe("Ada");
  expect(asked.at(3)?.choices?.[0]?.label).toBe("yes");
});

test("a person can decline, or leave the form", async () => {
  const one = form({ name: { type: "string" } });
  expect((await answered(one, [choose("decline")])).reply).toEqual({ action: "decline" });
  expect((await answered(one, [{ decision: "reject" }])).reply).toEqual({ action: "cancel" });
  expect((await answered(one, [type("Ada")])).reply).toEqual({ action: "accept", content: { name: "Ada" } });
  expect((await answered({}, [choose("accept")])).reply).toEqual({ action: "accept", content: {} });
});

test("a field that asks for a password is warned about", async () => {
  const { asked } = await answered(form({ apiKey: { type: "string" }, city: { type: "string" } }), [type("x")]);
  expect(asked.map(({ hazards }) => hazards.length)).toEqual([1, 0]);
});

test("a field is also warned about if its description or the form's text asks for a secret", async () => {
  const warned = async (property: object, message = "Go on.") => {
    const { asked } = await answered({ ...form({ value: { type: "string", ...property } }), message }, [type("x")]);
    return asked[0]?.hazards.length;
  };
  expect(await warned({ title: "Code", description: "Your personal access token" })).toBe(1);
  for (const message of ["Type your API key to go on.", "The PIN, please", "Enter the one-time code", "Passphrase?"])
    expect([message, await warned({ title: "Code" }, message)]).toEqual([message, 1]);
  expect(await warned({ title: "accessKey" })).toBe(1);
  expect(await warned({ title: "Keyboard", description: "Pins the monkey" })).toBe(0);
  expect(await warned({ type: "boolean" }, "Type your API key to go on.")).toBe(0);
});

test("the host and the whole address of a page stand above the server's text, and the mark starts on no", async () => {
  const message = `GitHub needs you.\n\nHost: github.com\n${"\n \n".repeat(60)}${"line\n".repeat(20)}`;
  const { asked } = await answered({ mode: "url", url: "https://evil.example/login?x", message }, []);
  const [question] = asked;
  expect([question?.title, question?.isRisky]).toEqual(["Open a page of evil.example?", true]);
  expect(question?.reason).toStartWith("The page is at evil.example. The MCP server shop asks you to open it;");
  const text = question?.preview.kind === "text" ? question.preview.text.split("\n") : [];
  expect(text.slice(0, 5)).toEqual([
    ...["Host: evil.example", "Page: https://evil.example/login?x", ""],
    ...["The server shop says:", "  GitHub needs you."],
  ]);
  expect([text.length, text.at(-1)]).toEqual([15, "… 14 more lines"]);
  const { asked: posing } = await answered({ mode: "url", url: "https://github.com@www.gіthub.com/" }, []);
  expect(posing[0]?.title).toStartWith("Open a page of www.xn--");
  expect(posing[0]?.hazards).toHaveLength(2);
  const far = await answered({ mode: "url", url: `https://github.com.${"a.".repeat(60)}evil.example/` }, []);
  expect(far.asked[0]?.title).toMatch(/^Open a page of ….{27}evil\.example\?$/);
});

test("a form's own lines stand above a long text of the server, and Quoll's questions are not marked as the server's", async () => {
  const long = { ...form({ city: { type: "string" } }), message: `${"x".repeat(5_000)}\n\n\n\nb` };
  const { asked } = await answered(long, []);
  expect(asked[0]?.preview).toMatchObject({
    text: expect.stringMatching(/^1 of 1 · city .*\n\nThe server shop says:\n {2}x{700}\n… 4,303 more characters$/),
  });
  const own = await answered({ isOwn: true, message: "This call needs more." }, []);
  expect(own.asked[0]).toMatchObject({
    title: "About the MCP server shop",
    preview: { text: "This call needs more." },
  });
});

test("a page is opened only after its whole address was shown, and only a web page", async () => {
  const page = { mode: "url", url: "https://example.com/login?x=1" } as const;
  const opened = await answered(page, [choose("open")]);
  expect([opened.reply, opened.pages]).toEqual([{ action: "accept" }, ["https://example.com/login?x=1"]]);
  expect(JSON.stringify(opened.asked[0]?.preview)).toContain("https://example.com/login?x=1");
  const without = await answered(page, [choose("open"), choose("opened")], false);
  expect([without.reply, without.asked.length]).toEqual([{ action: "accept" }, 2]);
  const plain = await answered({ mode: "url", url: "http://example.com" }, [choose("decline")]);
  expect([plain.reply, plain.pages, plain.asked[0]?.hazards.length]).toEqual([{ action: "decline" }, [], 1]);
  const file = await answered({ mode: "url", url: "file:///etc/passwd" }, []);
  expect([file.reply, file.asked]).toEqual([{ action: "decline" }, []]);
});

import { expect, test } from "bun:test";
import type { McpElicitation } from "../../../src/contracts/mcp.ts";
import type { Question, Reply } from "../../../src/contracts/question.ts";
import { elicitPerson } from "../../../src/services/mcp/elicitation/elicit-person.ts";
import { PermissionBroker } from "../../../src/services/permission/broker.ts";

const NEVER = new AbortController().signal;
const type = (text: string): Reply => ({ decision: "text", text });
const choose = (value: string): Reply => ({ decision: "chosen", value });

/** A person who gives these answers, one to each question. */
async function answered(request: Partial<McpElicitation>, replies: readonly Reply[], opens = true) {
  const broker = new PermissionBroker();
  const asked: Question[] = [];
  const pages: string[] = [];
  const left = [...replies];
  broker.subscribe(() => {
    const [question] = broker.pending;
    if (!question || asked.includes(question)) return;
    asked.push(question);
    queueMicrotask(() => broker.reply(question.id, left.shift() ?? { decision: "reject" }));
  });
  const openPage = (url: string) => {
    pages.push(url);
    return opens;
  };
  const elicit = elicitPerson({ asker: broker.asker(true), openPage });
  const reply = await elicit({ server: "shop", message: "Who are you?", mode: "form", ...request }, NEVER);
  return { reply, asked, pages, unused: left.length };
}

const form = (properties: object, required: readonly string[] = []) => ({
  requestedSchema: { type: "object", properties, required },
});
const labels = ({ choices = [] }: Question) => choices.map(({ label }) => label);

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
    text: "Who are you?\n\nYour name: Ada\nage: 18\nagrees: no\ncolour: Green\nsize: Large\ntags: Second, First\nmail: a@b.c\nnote: (empty)",
  });
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

import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Question, Reply } from "../../../src/contracts/question.ts";
import { call, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { ROOT } from "../../support/built.ts";
import { deepTest } from "../../support/deep.ts";
import { partsOf } from "../../support/question.ts";
import { tempProject } from "../../support/temp-project.ts";

const SERVER = join(ROOT, "tests/services/mcp/servers/feature-server.ts");
const configs = [JSON.stringify({ mcpServers: { shop: { command: process.execPath, args: [SERVER] } } })];
const WITH_SERVER = { mcp: { configs, inProcess: [] }, allow: ["mcp__shop"] } as const;
const choose = (value: string): Reply => ({ decision: "chosen", value });

/** A session with the server, and a person who gives these answers. */
async function place(answerer: "person" | "nobody", replies: readonly (Reply | "later")[] = [], settings = "{}") {
  const cleanup = new AsyncDisposableStack();
  const here = cleanup.use(await oneProcess());
  const project = cleanup.use(await tempProject({}));
  const { session, events } = await sessionIn(here.app, project.dir, { ...WITH_SERVER, answerer, settings });
  cleanup.defer(async () => void (await session.close()));
  const asked: Question[] = [];
  const left = [...replies];
  const { questions } = session.main.engine;
  questions.subscribe(() => {
    const [question] = questions.pending;
    if (!question || asked.includes(question)) return;
    asked.push(question);
    const reply = left.shift() ?? { decision: "reject" };
    if (reply !== "later") queueMicrotask(() => questions.reply(question.id, reply));
  });
  return {
    ...{ here, session, asked },
    told: () => events.flatMap(({ event }) => (event.type === "notice" ? [event.message] : [])),
    /** The text of the result, which the model repeats as JSON. */
    run: async (tool: string, input: object = {}) =>
      JSON.parse((await session.main.engine.submit({ prompt: call(`mcp__shop__${tool}`, input) })).text) as string,
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}

test("a server asks the model only after a yes, with our limit of tokens, and the spending has its own source", async () => {
  await using at = await place("person", [choose("once"), choose("no"), choose("session")]);
  const text = await at.run("ask_model", { times: 4 });
  expect(text).toContain('"text":"Question 1"');
  expect(text).toContain("The user rejected this request.");
  expect(text).toContain('"text":"Question 4"');
  const [first] = at.asked;
  expect(at.asked).toHaveLength(3);
  expect(first).toMatchObject({
    title: "May the MCP server shop ask the model?",
    body: {
      kind: "form",
      preview: { kind: "text", text: "Its system prompt: You are short.\nuser: Question 1" },
      choices: [
        { label: "Yes, this request" },
        { label: "Yes, this server in this session: up to 100k tokens in all, 20k a request" },
        { label: "No" },
      ],
    },
  });
  expect(first && partsOf(first).reason).toMatch(/reads about \d+ tokens and answers with at most 4096;/);
  const sampled = at.here.twin.requests
    .map(({ body }) => body as { max_tokens: number; tools?: unknown[]; system: unknown })
    .filter(({ system }) => JSON.stringify(system).includes("You are short."));
  expect(sampled.map(({ max_tokens, tools = [] }) => [max_tokens, tools.length])).toEqual(Array(3).fill([4096, 0]));
  const spent = at.session.main.engine.state.spendBySource ?? [];
  expect(spent.map(({ source, server }) => [source, server])).toContainEqual(["mcp", "shop"]);
});

deepTest("a yes for the session covers a budget of tokens, and a very long request is declined", async () => {
  await using at = await place("person", [choose("session"), choose("no")]);
  expect(await at.run("ask_model", { times: 1 })).toContain('"text":"Question 1"');
  expect(await at.run("ask_model", { times: 1, words: 19_000 })).toContain('"role":"assistant"');
  expect(await at.run("ask_model", { times: 1, words: 21_000 })).toContain("The user rejected this request.");
  expect(await at.run("ask_model", { times: 1, words: 50_000 })).toContain("above 200000 characters");
  expect(at.asked.map((question) => partsOf(question).reason.startsWith("This request is beyond"))).toEqual([
    false,
    true,
  ]);
  const [declined, ...rest] = at.told().toReversed();
  expect(rest).toEqual(Array(2).fill("The MCP server shop asked the model: 1.0k tokens sent, 10 received, <$0.01."));
  expect(declined).toMatch(
    /the MCP server shop .* declined: .* above 200000 characters.* Have the server ask with less/,
  );
});

deepTest("a yes for the session covers the requests that waited behind its question", async () => {
  await using at = await place("person", [choose("session")]);
  const text = await at.run("ask_model", { times: 3, together: true });
  expect([1, 2, 3].map((number) => text.includes(`"text":"Question ${number}"`))).toEqual([true, true, true]);
  expect(at.asked).toHaveLength(1);
});

deepTest("questions of a server end with the tool call that led to them", async () => {
  await using at = await place("person", ["later"]);
  await at.run("ask_model", { times: 2, late: true });
  expect(at.asked).toHaveLength(1);
  expect(at.session.main.engine.questions.pending).toEqual([]);
  expect(await at.run("ask_model", { times: 1 })).toContain("The user rejected this request.");
});

deepTest("a server that asks in a loop gets ten answers in a turn, and requests with tools are refused", async () => {
  await using at = await place("person", [choose("session")]);
  const text = await at.run("ask_model", { times: 12 });
  expect(text.match(/Quoll answers at most 10 requests of servers in a turn/g)).toHaveLength(2);
  const declined = at.told().filter((line) => line.includes("declined"));
  expect(declined).toHaveLength(1);
  expect(declined[0]).toMatch(/the MCP server shop .* at most 10 .* in a turn\. Your next prompt/);
  expect(await at.run("ask_model", { times: 1, tools: true })).toContain("does not offer tools to the model");
});

const ADA: Reply = { decision: "text", text: "Ada" };
const TYPED = { action: "accept", content: { name: "Ada" } };

deepTest("a person answers a server's form", async () => {
  await using plain = await place("person", [ADA]);
  expect(JSON.parse(await plain.run("ask_person"))).toEqual(TYPED);
});

deepTest(
  "a person answers a server's form, also where hooks see the answers",
  async () => {
    const hooks = { ElicitationResult: [{ hooks: [{ type: "command", command: "true" }] }] };
    await using hooked = await place("person", [ADA], JSON.stringify({ hooks }));
    expect(JSON.parse(await hooked.run("ask_person"))).toEqual(TYPED);
  },
  60_000,
);

const hooks = (command: string, event = "Elicitation") =>
  JSON.stringify({ hooks: { [event]: [{ matcher: "shop", hooks: [{ type: "command", command }] }] } });
const answer = { action: "accept", content: { name: "Hook" } };
const said = `printf '%s' '${JSON.stringify({ hookSpecificOutput: answer })}'`;

deepTest(
  "an Elicitation hook answers a server's form in the person's place, and hears what is asked",
  async () => {
    await using accepting = await place("person", [], hooks(`grep -q '"message":"Your name?"' && ${said}`));
    expect(JSON.parse(await accepting.run("ask_person"))).toEqual(answer);
    expect(accepting.asked).toEqual([]);
  },
  60_000,
);

deepTest("an Elicitation hook declines a server's form", async () => {
  await using declining = await place("person", [], hooks("echo no names >&2; exit 2"));
  expect(JSON.parse(await declining.run("ask_person"))).toEqual({ action: "decline" });
  expect(declining.asked).toEqual([]);
});

deepTest("a hook replaces the answer that a person gave to a server's form", async () => {
  await using replacing = await place("person", [ADA], hooks(`grep -q Ada && ${said}`, "ElicitationResult"));
  expect(JSON.parse(await replacing.run("ask_person"))).toEqual(answer);
  expect(replacing.asked).toHaveLength(1);
});

deepTest("a server learns which features work with and without a person", async () => {
  await using alone = await place("nobody");
  expect(JSON.parse(await alone.run("abilities"))).toEqual({ roots: { listChanged: true } });
  await using attended = await place("person");
  const all = { roots: { listChanged: true }, sampling: {}, elicitation: { form: { applyDefaults: true }, url: {} } };
  expect(JSON.parse(await attended.run("abilities"))).toEqual(all);
});

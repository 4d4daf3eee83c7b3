import { expect, setDefaultTimeout, test } from "bun:test";
import { reply, type ScenarioRequest, toolUse } from "@quoll/model-twin/scenario";
import { oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest, eachOrDeep } from "../../support/deep.ts";
import { until } from "../../support/engine-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

setDefaultTimeout(60_000);

type Body = {
  readonly system: unknown;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
};
const bodyOf = ({ body }: ScenarioRequest) => body as Body;
const isChild = (request: ScenarioRequest) => JSON.stringify(bodyOf(request).system).includes("You are an agent");
const last = (request: ScenarioRequest) => JSON.stringify(bodyOf(request).messages.at(-1));
const QUIET = { settings: '{"agents":{"wake":false}}' };
const start = (prompt: string) =>
  toolUse("Agent", { description: "look", prompt, subagent_type: "general-purpose", run_in_background: true });

/** The model makes the calls of a prompt `do <name>`; the agent is answered by `child`. */
async function place(
  calls: Readonly<Record<string, ReturnType<typeof toolUse>>>,
  child: (request: ScenarioRequest) => ReturnType<typeof reply> | Promise<ReturnType<typeof reply>>,
  allow: readonly string[] = [],
) {
  const here = await oneProcess((request) => {
    if (isChild(request)) return child(request);
    const name = Object.keys(calls).find((one) => last(request).includes(`do ${one}`));
    const call = name === undefined ? undefined : calls[name];
    return call ? reply([call]) : reply("ok");
  });
  const project = await tempProject({ "a.txt": "A\n" });
  const { session } = await sessionIn(here.app, project.dir, { ...QUIET, allow });
  const children = () => here.twin.requests.filter(isChild);
  const ask = (name: string) => session.main.engine.submit({ prompt: `do ${name}` });
  const ended = (id: string) =>
    until(() => session.tasks.list().some((task) => task.id === id && task.endedAt !== undefined));
  const close = async () => {
    await session.close();
    await here[Symbol.asyncDispose]();
    await project[Symbol.asyncDispose]();
  };
  return { here, session, children, ask, ended, [Symbol.asyncDispose]: close };
}

eachOrDeep(
  "an agent that ended goes on with its context by %s, as a new task of the same agent",
  1,
  [
    ["SendMessage", toolUse("SendMessage", { to: "a1", message: "And now the second part." })],
    ["resume", toolUse("Agent", { description: "more", prompt: "And now the second part.", resume: "a1" })],
  ] as const,
  async (way, call) => {
    const look = toolUse("TaskOutput", { task_id: "a1" });
    await using at = await place({ begin: start("The first part."), more: call, look }, () => reply("answer"));
    await at.ask("begin");
    await at.ended("a1");
    await at.ask("more");
    await at.ended("a2");
    const told = JSON.stringify(at.here.twin.requests.map(({ body }) => body));
    expect(told).toContain("a1 goes on as a2 in the background. Go on with other work");
    const [first, second] = at.children();
    expect(bodyOf(second as ScenarioRequest).system).toEqual(bodyOf(first as ScenarioRequest).system);
    const words = JSON.stringify(bodyOf(second as ScenarioRequest).messages);
    expect(words).toMatch(/The first part\..*answer.*And now the second part\./);
    const [one, two] = at.session.tasks.list();
    expect(one?.status).toBe("completed");
    expect(two?.agent?.agentId).toBe(one?.agent?.agentId ?? "");
    expect(two?.isBackground).toBe(true);
    expect(two?.description).toBe(way === "resume" ? "more" : (one?.description ?? ""));
    expect(two?.title).toBe(`general-purpose: ${two?.description}`);
    await at.ask("more");
    await at.ended("a3");
    await at.ask("look");
    expect(last(at.here.twin.requests.at(-1) as ScenarioRequest)).toContain("[went on as a2]");
    expect(JSON.stringify(bodyOf(at.children()[2] as ScenarioRequest).messages).match(/second part/g)).toHaveLength(2);
  },
);

deepTest("an agent is resumed by its name without a question, and one that does not exist is an error", async () => {
  const begin = {
    description: "look",
    prompt: "Look.",
    subagent_type: "Explore",
    name: "auth",
    run_in_background: true,
  };
  const resume = (id: string) => toolUse("Agent", { description: "more", prompt: "More.", resume: id });
  const calls = { begin: toolUse("Agent", begin), more: resume("auth"), lost: resume("a9") };
  await using at = await place(calls, () => reply("answer"));
  await at.ask("begin");
  await at.ended("a1");
  await at.ask("more");
  await at.ended("a2");
  await at.ask("lost");
  expect(last(at.here.twin.requests.at(-1) as ScenarioRequest)).toContain('no agent \\"a9\\"');
});

deepTest(
  "a running agent reads a message after its current call, and one that comes after its last call before it ends",
  async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const calls = {
      begin: start("Look."),
      steer: toolUse("SendMessage", { to: "a1", message: "Only the tests." }),
      late: toolUse("SendMessage", { to: "a1", message: "And the docs." }),
    };
    let count = 0;
    await using at = await place(calls, async () => {
      count += 1;
      if (count <= 2) await gates[count - 1]?.promise;
      return count === 1 ? reply([toolUse("Glob", { pattern: "*" })]) : reply(`answer ${count}`);
    });
    await at.ask("begin");
    await until(() => at.children().length === 1);
    await at.ask("steer");
    gates[0]?.resolve();
    await until(() => at.children().length === 2);
    expect(last(at.children()[1] as ScenarioRequest)).toContain("Only the tests.");
    await at.ask("late");
    gates[1]?.resolve();
    await at.ended("a1");
    expect(at.children()).toHaveLength(3);
    expect(last(at.children()[2] as ScenarioRequest)).toContain("And the docs.");
    expect(at.session.tasks.list().map(({ id, status }) => `${id} ${status}`)).toEqual(["a1 completed"]);
    await at.ask("read");
    expect(last(at.here.twin.requests.at(-1) as ScenarioRequest)).toContain("answer 3");
  },
);

test("a message to a shell, to nobody, or to an agent that never began is an error", async () => {
  await using at = await place({ begin: start("x") }, () => reply("answer"));
  expect(() => at.session.tasks.send("a7", { message: "hello" })).toThrow('no background task "a7"');
  await at.ask("begin");
  await at.session.tasks.stop("a1", new AbortController().signal);
  const task = at.session.tasks.list()[0];
  if (task?.agent?.agentId === undefined)
    expect(() => at.session.tasks.send("a1", { message: "hello" })).toThrow("never began");
});

deepTest("a continued agent has its contract again, compared with the files before its first start", async () => {
  const expected = { files: ["new.txt"], schema: { type: "object", required: ["n"] } };
  const begin = toolUse("Agent", { description: "look", prompt: "x", expect: expected });
  const more = toolUse("SendMessage", { to: "a1", message: "And the number 2." });
  const again = toolUse("Agent", { description: "more", prompt: "In words.", resume: "a2" });
  const steps = [
    reply([toolUse("Write", { file_path: "new.txt", content: "x" })]),
    ...[reply('{"n":1}'), reply('{"n":2}'), reply("three"), reply("still three")],
  ];
  await using at = await place({ begin, more, again }, () => steps.shift() ?? reply("too many"), ["Write"]);
  await at.ask("begin");
  await at.ask("more");
  await at.ended("a2");
  await at.ask("again");
  await at.ended("a3");
  expect(at.session.tasks.list().map(({ status }) => status)).toEqual(["completed", "completed", "failed"]);
  expect(at.session.tasks.list()[2]?.state).toMatch(/^broke its contract · completed · 2 requests/);
  await at.ask("nothing");
  const words = JSON.stringify(bodyOf(at.here.twin.requests.at(-1) as ScenarioRequest).messages);
  expect(words.match(/(\[|· )contract \w+/g)).toEqual(["[contract kept", "· contract kept", "[contract broken"]);
  expect(words).toContain("the answer does not fit the schema");
  expect(at.children()).toHaveLength(5);
});

deepTest("an agent is reached by the name that its call gave it", async () => {
  const begin = toolUse("Agent", { description: "look", prompt: "x", name: "scout", run_in_background: true });
  const more = toolUse("SendMessage", { to: "scout", message: "And the second part." });
  await using at = await place({ begin, more }, () => reply("answer"));
  await at.ask("begin");
  await at.ended("a1");
  await at.ask("more");
  await at.ended("a2");
  expect(at.session.tasks.list().map(({ agent }) => agent?.name)).toEqual(["scout", "scout"]);
  expect(last(at.children()[1] as ScenarioRequest)).toContain("And the second part.");
  const words = JSON.stringify(at.here.twin.requests.map(({ body }) => body));
  expect(words).toContain(String.raw`Agent a1 \"scout\" works in the background.`);
  expect(words).toContain(String.raw`scout goes on as a2 \"scout\" in the background.`);
});

deepTest("the facts of an agent stand once: in its result, in the note of its end, and in TaskOutput", async () => {
  const front = toolUse("Agent", { description: "look", prompt: "x", name: "front" });
  const calls = {
    front,
    back: start("y"),
    read: toolUse("TaskOutput", { task_id: "a2" }),
    list: toolUse("TaskOutput", {}),
  };
  await using at = await place(calls, () => reply("The answer."));
  const sent = () => last(at.here.twin.requests.at(-1) as ScenarioRequest);
  await at.ask("front");
  expect(sent()).toMatch(
    /The answer\.\\n\\n\[general-purpose a1 \\"front\\": completed · 1 request · 0 tool calls · [^"]*\]"/,
  );
  await at.ask("back");
  await at.ended("a2");
  await at.ask("nothing");
  expect(sent()).toMatch(
    /Agent a2 completed · 1 request ·[^<]*<agent-answer id=\\"a2\\">\\nThe answer\.\\n<\/agent-answer>/,
  );
  await at.ask("read");
  expect(sent()).toMatch(/"The answer\.\\n\[a2 completed · 1 request · [^"]*\]"/);
  expect(sent().match(/completed/g)).toHaveLength(1);
  await at.ask("list");
  expect(sent()).toContain(String.raw`a1 \"front\" completed`);
});

test("an agent of an earlier process goes on with its context and its tools, by its id and by its name", async () => {
  const begin = { description: "look", prompt: "The first part.", subagent_type: "general-purpose", name: "auth" };
  const calls: Readonly<Record<string, ReturnType<typeof toolUse>>> = {
    begin: toolUse("Agent", { ...begin, run_in_background: true, allowed_tools: ["Read"] }),
    more: toolUse("Agent", { description: "more", prompt: "The second part.", resume: "a1" }),
    again: toolUse("Agent", { description: "again", prompt: "The third part.", resume: "auth" }),
    lost: toolUse("Agent", { description: "more", prompt: "x", resume: "a9" }),
  };
  await using here = await oneProcess((request) => {
    if (isChild(request)) return reply("answer");
    const name = Object.keys(calls).find((one) => last(request).includes(`do ${one}`));
    return name !== undefined && calls[name] ? reply([calls[name]]) : reply("ok");
  });
  await using project = await tempProject({ "a.txt": "A\n" });
  const children = () => here.twin.requests.filter(isChild).map(bodyOf);
  const first = await sessionIn(here.app, project.dir, QUIET);
  await first.session.main.engine.submit({ prompt: "do begin" });
  await until(() => first.session.tasks.list()[0]?.status === "completed");
  const { sessionId } = first.session.conversation.log;
  await first.session.close();
  const { session } = await sessionIn(here.app, project.dir, {
    ...QUIET,
    conversation: { kind: "saved", id: sessionId },
  });
  const ask = (name: string) => session.main.engine.submit({ prompt: `do ${name}` });
  await ask("more");
  await until(() => session.tasks.list()[0]?.status === "completed");
  expect(session.tasks.list().map(({ id, title }) => `${id} ${title}`)).toEqual(["a2 general-purpose: more"]);
  await ask("again");
  await until(() => session.tasks.list()[1]?.status === "completed");
  await ask("lost");
  expect(JSON.stringify(here.twin.requests.at(-1)?.body)).toContain('no agent \\"a9\\"');
  await session.close();
  const [one, two, three] = children();
  expect(two?.system).toEqual(one?.system);
  expect(JSON.stringify(two?.messages)).toMatch(/The first part\..*answer.*The second part\./);
  expect(JSON.stringify(three?.messages)).toMatch(/The first part\..*The second part\..*answer.*The third part\./);
  expect((two as { tools?: unknown }).tools).toEqual((one as { tools?: unknown }).tools);
});

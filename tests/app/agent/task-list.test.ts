import { expect, test } from "bun:test";
import type { Twin } from "@quoll/model-twin/server";
import type { Hooks } from "../../../src/contracts/hook.ts";
import { call, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { tempProject } from "../../support/temp-project.ts";

type Body = { readonly tools?: readonly { readonly name: string }[] };
const LIST_TOOLS = ["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"];
const offered = (twin: Twin) =>
  twin.requests.map(({ body }) =>
    ((body as Body).tools ?? []).map(({ name }) => name).filter((name) => /^Task[CGLU]/.test(name)),
  );
const agent = (type: string, prompt: string) => call("Agent", { description: "work", prompt, subagent_type: type });
const create = (subject: string) => call("TaskCreate", { subject, description: `Do ${subject}` });
const update = (taskId: string, change: object) => call("TaskUpdate", { taskId, ...change });

deepTest(
  "the tools of the list join with the first agent that can work, for that agent and its parent, at the end",
  async () => {
    await using here = await oneProcess();
    await using project = await tempProject({ "a.txt": "A\n" });
    const { session } = await sessionIn(here.app, project.dir);
    const ask = async (prompt: string) => (await session.main.engine.submit({ prompt })).text;
    await ask(agent("Explore", "hi"));
    expect(offered(here.twin).flat()).toEqual([]);
    expect(await ask(agent("general-purpose", create("sweep")))).toContain("Task 1 created: sweep");
    const all = here.twin.requests.map(({ body }) => ((body as Body).tools ?? []).map(({ name }) => name));
    const [child, , parent] = all.slice(-3);
    expect(child?.slice(-4)).toEqual(LIST_TOOLS);
    expect(parent).toEqual([...(all[0] ?? []), "SendMessage", ...LIST_TOOLS]);
    expect(await ask(call("TaskList", {}))).toContain("1 [pending] sweep");
    expect(await ask(update("1", { owner: "main", status: "in_progress", addBlockedBy: ["1"] }))).toContain("1 → 1");
    expect(await ask(update("1", { owner: "main", status: "in_progress" }))).toContain(
      "pending → in_progress; owner main",
    );
    expect(await ask(call("TaskGet", { taskId: "1" }))).toMatch(/1 \[in_progress\] sweep \(owner: main\).*Do sweep/);
  },
);

deepTest("two sessions share a list by its name, and a session that has a list offers the tools at once", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".git/HEAD": "ref: refs/heads/main\n",
    ".quoll/settings.json": '{"taskList":"release"}',
  });
  const { session: one } = await sessionIn(here.app, project.dir);
  const { session: two } = await sessionIn(here.app, project.dir);
  await Promise.all([one, two].map(({ main }) => main.engine.submit({ prompt: create("side by side") })));
  expect(offered(here.twin)[0]).toEqual(LIST_TOOLS);
  await two.main.engine.submit({ prompt: update("1", { owner: "two" }) });
  const { text } = await one.main.engine.submit({ prompt: update("1", { owner: "one" }) });
  expect(text).toContain("belongs to two");
});

test("a session of its own list offers the tools again when it is resumed", async () => {
  await using here = await oneProcess();
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir, { tools: ["Read", "TaskCreate", "TaskList"] });
  await session.main.engine.submit({ prompt: create("first") });
  const { sessionId } = session.conversation.log;
  await session.close();
  const { session: again } = await sessionIn(here.app, project.dir, {
    conversation: { kind: "saved", id: sessionId },
  });
  const { text } = await again.main.engine.submit({ prompt: call("TaskList", {}) });
  expect(text).toContain("1 [pending] first");
});

deepTest(
  "hooks may refuse a task and keep one open, and three unverified tasks bring the offer of a check",
  async () => {
    const refused: string[] = [];
    const hooks: Hooks = {
      wants: (event) => event === "TaskCreated" || event === "TaskCompleted",
      run: async (input) => {
        if (input.event !== "TaskCreated" && input.event !== "TaskCompleted") return {};
        if (!input.subject.includes("bad")) return {};
        refused.push(`${input.event} ${input.taskId} ${input.subject}: ${input.description}`);
        return { block: { reason: "no bad tasks" } };
      },
    };
    await using here = await oneProcess();
    await using project = await tempProject();
    const { session } = await sessionIn(here.app, project.dir, { tools: ["Agent", ...LIST_TOOLS] }, { hooks });
    const ask = async (prompt: string) => (await session.main.engine.submit({ prompt })).text;
    expect(await ask(create("a bad one"))).toContain("no bad tasks");
    for (const subject of ["a", "b", "c", "d"]) await ask(create(subject));
    expect(await ask(call("TaskList", {}))).toContain("2 [pending] a\\n3 [pending] b");
    await ask(update("2", { subject: "bad after all" }));
    expect(await ask(update("2", { status: "completed" }))).toContain("no bad tasks");
    expect(await ask(call("TaskGet", { taskId: "2" }))).toContain("[pending]");
    expect(refused).toEqual(["TaskCreated 1 a bad one: Do a bad one", "TaskCompleted 2 bad after all: Do a"]);
    expect(await ask(update("3", { status: "completed" }))).not.toContain("Verification");
    await ask(update("4", { status: "completed" }));
    await ask(update("2", { subject: "good" }));
    expect(await ask(update("2", { status: "completed" }))).toContain("Verification");
  },
);

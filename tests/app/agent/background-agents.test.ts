import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { reply, type ScenarioRequest, toolUse } from "@quoll/model-twin/scenario";
import { formatCount } from "@quoll/terminal-text/format-amount";
import type { Session } from "../../../src/app/session/session.ts";
import type { TaskInfo } from "../../../src/contracts/task.ts";
import { oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { until } from "../../support/engine-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

setDefaultTimeout(60_000);

const isChild = ({ body }: ScenarioRequest) =>
  JSON.stringify((body as { system: unknown }).system).includes("an agent");
const lastMessage = ({ body }: ScenarioRequest) => JSON.stringify((body as { messages: unknown[] }).messages.at(-1));
const start = (prompt: string, more: object = {}) =>
  toolUse("Agent", { description: `does ${prompt}`, prompt, subagent_type: "general-purpose", ...more });
const background = { run_in_background: true };
const { signal } = new AbortController();
/** The answers wait for the next input. */
const QUIET = { settings: '{"agents":{"wake":false}}' };

/**
 * A model that makes the calls of a prompt: `agents {…}`. An agent answers `answer of <prompt>`, one whose prompt
 * holds `slow` only after `open`, and one whose prompt holds `bash` makes a call first.
 */
function gated() {
  const gate = Promise.withResolvers<void>();
  const calls: Record<string, ReturnType<typeof toolUse>[]> = {};
  const scenario = async (request: ScenarioRequest) => {
    const last = lastMessage(request);
    if (!isChild(request)) {
      const name = Object.keys(calls).find((one) => last.includes(`run ${one}`));
      return name === undefined ? reply("ok") : reply(calls[name] ?? []);
    }
    if (last.includes("slow")) await gate.promise;
    if (last.includes("bash") && !last.includes("tool_result"))
      return reply([toolUse("Bash", { command: "touch made", description: "x" })]);
    return reply(last.includes("tool_result") ? "answer after a call" : "answer of the agent");
  };
  return { scenario, calls, open: () => gate.resolve() };
}

const states = (session: Session) => session.tasks.list().map(({ id, status }) => `${id} ${status}`);
const task = (session: Session, id: string) => session.tasks.list().find((one) => one.id === id) as TaskInfo;

deepTest(
  "a background agent gives its id at once, works on after the turn, and its answer comes with the next input",
  async () => {
    const { scenario, calls, open } = gated();
    await using here = await oneProcess(scenario);
    await using project = await tempProject();
    const { session, events } = await sessionIn(here.app, project.dir, QUIET);
    calls["one"] = [start("slow", background)];
    await session.main.engine.submit({ prompt: "run one" });
    expect(here.twin.requests.map((request) => JSON.stringify(request.body)).join("")).toContain(
      "Agent a1 works in the",
    );
    await until(() => task(session, "a1").agent?.agentId !== undefined);
    expect(task(session, "a1")).toMatchObject({
      status: "running",
      isBackground: true,
      agent: { type: "general-purpose" },
    });
    session.main.engine.interrupt();
    open();
    await until(() => task(session, "a1").status === "completed");
    const said = events.flatMap(({ event }) => (event.type === "notice" ? [event] : []));
    expect(said.find(({ message }) => message.startsWith("Agent a1"))?.level).toBe("info");
    const notices = said.map(({ message }) => message);
    expect(notices.join()).toMatch(/Agent a1 completed.*answer with your next prompt/);
    expect(notices.join()).not.toContain("answer of the agent");
    expect(notices.join()).not.toContain("a1.log");
    await session.main.engine.submit({ prompt: "and now?" });
    expect(lastMessage(here.twin.requests.at(-1) as ScenarioRequest)).toContain("answer of the agent");
    await session.main.engine.submit({ prompt: "once more" });
    expect(lastMessage(here.twin.requests.at(-1) as ScenarioRequest)).not.toContain("answer of the agent");
    const { outputFile } = task(session, "a1");
    expect(readFileSync(outputFile, "utf8")).toMatch(
      /^general-purpose: does slow\nslow\n\nanswer of the agent\n\[completed/,
    );
    expect(statSync(outputFile).mode & 0o777).toBe(0o600);
    const told = events.flatMap(({ event }) => (event.type === "task_ended" ? [event.task.id] : []));
    expect(told).toEqual(["a1"]);
    await session.close();
  },
);

deepTest("an interrupt stops the agents that the turn waits for, and background agents continue", async () => {
  const { scenario, calls, open } = gated();
  await using here = await oneProcess(scenario);
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir, QUIET);
  calls["both"] = [start("slow back", background), start("slow front")];
  const turn = session.main.engine.submit({ prompt: "run both" });
  await until(() => session.tasks.list().filter(({ agent }) => agent?.agentId !== undefined).length === 2);
  session.main.engine.interrupt();
  await turn;
  // Calls that start together get their numbers in either order.
  const status = (of: string) => session.tasks.list().find(({ description }) => description === of)?.status;
  expect([status("does slow back"), status("does slow front")]).toEqual(["running", "cancelled"]);
  open();
  await until(() => status("does slow back") === "completed");
  expect(status("does slow front")).toBe("cancelled");
  await session.close();
});

deepTest("an agent's row and its answer name the same tokens: those of all its requests", async () => {
  const { scenario, calls } = gated();
  await using here = await oneProcess(scenario);
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir, {
    settings: '{"agents":{"wake":false},"permissions":{"allow":["Bash(touch *)"]}}',
  });
  calls["one"] = [start("bash", background)];
  await session.main.engine.submit({ prompt: "run one" });
  await until(() => task(session, "a1").status !== "running");
  const { agent, outputFile } = task(session, "a1");
  const said = /(\S+) tokens/.exec(readFileSync(outputFile, "utf8"))?.[1];
  expect(formatCount(agent?.tokens ?? 0)).toBe(said ?? "");
  expect(agent?.tokens).toBeGreaterThan(0);
});

test("an agent that a call waits for can be moved to the background: the turn continues, and the answer comes later", async () => {
  const { scenario, calls, open } = gated();
  await using here = await oneProcess(scenario);
  await using project = await tempProject();
  const { session, events } = await sessionIn(here.app, project.dir, QUIET);
  calls["one"] = [start("slow")];
  const turn = session.main.engine.submit({ prompt: "run one" });
  await until(() => session.tasks.list()[0]?.agent?.agentId !== undefined);
  expect(task(session, "a1").isBackground).toBe(false);
  session.tasks.moveToBackground("a1");
  expect((await turn).outcome.reason).toBe("completed");
  expect(() => session.tasks.moveToBackground("a1")).toThrow("in the background already");
  open();
  await until(() => task(session, "a1").status === "completed");
  await session.main.engine.submit({ prompt: "and now?" });
  expect(lastMessage(here.twin.requests.at(-1) as ScenarioRequest)).toContain("answer of the agent");
  expect(() => session.tasks.moveToBackground("a1")).toThrow("can't be moved");
  expect(events.some(({ event }) => event.type === "task_changed" && event.task.isBackground)).toBe(true);
  await session.close();
});

deepTest(
  "in a session with a person, an awaited agent moves to the background by itself after the time of the setting",
  async () => {
    const { scenario, calls, open } = gated();
    await using here = await oneProcess(scenario);
    await using project = await tempProject();
    const settings = JSON.stringify({ agents: { backgroundAfterMs: 20 } });
    const { session } = await sessionIn(here.app, project.dir, { answerer: "person", settings });
    calls["one"] = [start("slow")];
    const { outcome } = await session.main.engine.submit({ prompt: "run one" });
    expect(outcome.reason).toBe("completed");
    expect(task(session, "a1")).toMatchObject({ status: "running", isBackground: true });
    open();
    await session.close();
  },
);

deepTest("TaskOutput lists tasks and returns an agent's answer once; TaskStop ends an agent", async () => {
  const { scenario, calls, open } = gated();
  await using here = await oneProcess(scenario);
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir, QUIET);
  const results = () => lastMessage(here.twin.requests.at(-1) as ScenarioRequest);
  calls["start"] = [start("slow one", background), start("slow two", background)];
  calls["list"] = [toolUse("TaskOutput", {})];
  calls["stop"] = [toolUse("TaskStop", { task_id: "a2" })];
  calls["read"] = [toolUse("TaskOutput", { task_id: "a1" })];
  await session.main.engine.submit({ prompt: "run start" });
  await until(() => session.tasks.list().every(({ agent }) => agent?.agentId !== undefined));
  await session.main.engine.submit({ prompt: "run list" });
  expect(results()).toContain("a1 is running (thinking): general-purpose: does slow one\\na2 is running");
  await session.main.engine.submit({ prompt: "run stop" });
  expect(states(session)).toEqual(["a1 running", "a2 cancelled"]);
  open();
  await session.main.engine.submit({ prompt: "run read" });
  expect(results()).toContain("answer of the agent");
  await session.main.engine.submit({ prompt: "and now?" });
  expect(results()).not.toContain("answer of the agent");
  expect(results()).not.toContain("a2");
  await session.close();
});

deepTest(
  "an agent that the person stops is announced to the model; agents of a closing session are named",
  async () => {
    const { scenario, calls, open } = gated();
    await using here = await oneProcess(scenario);
    await using project = await tempProject();
    const { session } = await sessionIn(here.app, project.dir, QUIET);
    calls["start"] = [start("slow one", background), start("slow two", background)];
    await session.main.engine.submit({ prompt: "run start" });
    await until(() => session.tasks.list().every(({ agent }) => agent?.agentId !== undefined));
    await session.tasks.stop("a1", signal, "person");
    await session.main.engine.submit({ prompt: "and now?" });
    expect(lastMessage(here.twin.requests.at(-1) as ScenarioRequest)).toContain("Agent a1 was stopped by the user");
    expect(await session.close()).toEqual(["a2 (general-purpose: does slow two)"]);
    expect(states(session)).toEqual(["a1 cancelled", "a2 cancelled"]);
    open();
  },
);

test("a question of a background agent comes to the person with its name after the turn, and where nobody answers the call is refused", async () => {
  for (const answerer of ["person", "nobody"] as const) {
    const { scenario, calls } = gated();
    await using here = await oneProcess(scenario);
    await using project = await tempProject();
    const { session } = await sessionIn(here.app, project.dir, { answerer });
    calls["one"] = [start("bash", background)];
    await session.main.engine.submit({ prompt: "run one" });
    if (answerer === "person") {
      await until(() => session.main.engine.questions.pending.length === 1);
      const [question] = session.main.engine.questions.pending;
      expect(question?.agentLabel).toBe("general-purpose: does bash");
      session.main.engine.questions.reply(question?.id ?? "", { decision: "once" });
    }
    await until(() => task(session, "a1").status === "completed");
    expect(await Bun.file(project.path("made")).exists()).toBe(answerer === "person");
    await session.close();
  }
});

deepTest("more agents than the setting allows wait in the queue and start when one ends", async () => {
  const { scenario, calls, open } = gated();
  await using here = await oneProcess(scenario);
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir, QUIET);
  calls["eleven"] = Array.from({ length: 11 }, (_, index) => start(`slow ${index}`, background));
  await session.main.engine.submit({ prompt: "run eleven" });
  await until(() => session.tasks.list().filter(({ agent }) => agent?.agentId !== undefined).length === 10);
  expect(states(session).at(-1)).toBe("a11 queued");
  await session.tasks.stop("a11", signal);
  expect(states(session).at(-1)).toBe("a11 cancelled");
  open();
  await until(() => session.tasks.list().every(({ status }) => status === "completed" || status === "cancelled"));
  await session.close();
});

deepTest("with one place, an agent that a turn waits for begins before those in the background", async () => {
  const { scenario, calls, open } = gated();
  await using here = await oneProcess(scenario);
  await using project = await tempProject();
  const settings = '{"agents":{"wake":false,"maxRunning":1}}';
  const { session, events } = await sessionIn(here.app, project.dir, { settings });
  calls["four"] = [start("slow", background), start("second", background), start("third", background), start("front")];
  const turn = session.main.engine.submit({ prompt: "run four" });
  await until(() => session.tasks.list().length === 4);
  open();
  await turn;
  await until(() => session.tasks.list().every(({ status }) => status === "completed"));
  const ended = events.flatMap(({ event }) => (event.type === "task_ended" ? [event.task.id] : []));
  expect(ended).toEqual(["a1", "a4", "a2", "a3"]);
  await session.close();
});

test("an agent that fails in the background is reported as failed", async () => {
  const { scenario, calls } = gated();
  await using here = await oneProcess(scenario);
  await using project = await tempProject();
  const { session, events } = await sessionIn(here.app, project.dir, QUIET);
  calls["one"] = [start("go", { ...background, model: "openai/gpt-5" })];
  await session.main.engine.submit({ prompt: "run one" });
  await until(() => task(session, "a1").status === "failed");
  expect(task(session, "a1").state).toContain("openai/gpt-5");
  const said = events.flatMap(({ event }) => (event.type === "notice" ? [event] : []));
  // A warning.
  expect(said.find(({ message }) => message.startsWith("Agent a1 failed"))?.level).toBeUndefined();
  expect(said.map(({ message }) => message).join()).toContain("Agent a1 failed");
  await session.close();
});

test("an agent without activity is named once, and its state says so until it continues", async () => {
  const { scenario, calls, open } = gated();
  await using here = await oneProcess(scenario);
  await using project = await tempProject();
  const settings = '{"agents":{"wake":false,"stallMs":60}}';
  const { session, events } = await sessionIn(here.app, project.dir, { settings });
  calls["one"] = [start("slow", background)];
  await session.main.engine.submit({ prompt: "run one" });
  await until(() => task(session, "a1").state.includes("no activity"));
  expect(task(session, "a1").status).toBe("running");
  open();
  await until(() => task(session, "a1").status === "completed");
  const named = events.filter(({ event }) => event.type === "notice" && event.message.includes("no activity"));
  expect(named).toHaveLength(1);
  const states = events.flatMap(({ event }) => (event.type === "task_changed" ? [event.task.state] : []));
  expect(states.at(-1)).toBe("is running");
  await session.close();
});

deepTest("an agent that works longer than the limit is stopped, and its state names the limit", async () => {
  const { scenario, calls, open } = gated();
  await using here = await oneProcess(scenario);
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir, { settings: '{"agents":{"timeLimitMs":80}}' });
  calls["one"] = [start("slow")];
  await session.main.engine.submit({ prompt: "run one" });
  expect(lastMessage(here.twin.requests.at(-1) as ScenarioRequest)).toContain("stopped at its time limit of");
  expect(task(session, "a1").status).toBe("cancelled");
  open();
  await session.close();
});

deepTest("an agent's last line names its background commands that were ended with it", async () => {
  const command = "sleep 600";
  const scenario = async (request: ScenarioRequest) => {
    const last = lastMessage(request);
    if (!isChild(request)) return last.includes("go") ? reply([start("serve")]) : reply("ok");
    return last.includes("tool_result")
      ? reply("It is up.")
      : reply([toolUse("Bash", { command, description: "x", run_in_background: true })]);
  };
  await using here = await oneProcess(scenario);
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir, { allow: ["Bash(sleep *)"] });
  await session.main.engine.submit({ prompt: "go" });
  const sent = here.twin.requests.map(({ body }) => JSON.stringify((body as { messages: unknown[] }).messages.at(-1)));
  expect(sent[2]).toContain("ended with your final answer");
  expect(sent[3]).toContain("It is up.");
  expect(sent[3]).toMatch(/\[b1 \(sleep 600\) still ran and was ended with the agent/);
  await until(() => session.tasks.list().every(({ status }) => status !== "running"));
});

deepTest("an agent's row says how much of an answer has come while the answer streams", async () => {
  const fault = { kind: "stall", afterDeltas: 300 } as const;
  const scenario = async (request: ScenarioRequest) => {
    if (!isChild(request))
      return lastMessage(request).includes("go") ? reply([start("look", background)]) : reply("ok");
    return { ...reply("word ".repeat(2_000)), fault };
  };
  await using here = await oneProcess(scenario);
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir, QUIET);
  await session.main.engine.submit({ prompt: "go" });
  await until(() => /^writing · ↓[\d.]+k tok$/.test(task(session, "a1").agent?.activity ?? ""));
  await session.tasks.stop("a1", signal);
});

test("a missing import of an instruction file is told once in a session, also when agents read the file", async () => {
  const { scenario, calls } = gated();
  await using here = await oneProcess(scenario);
  await using project = await tempProject({ "CLAUDE.md": "Read @docs/missing.md first.\n" });
  const { session, events } = await sessionIn(here.app, project.dir, QUIET);
  calls["one"] = [start("first", background), start("second", background)];
  await session.main.engine.submit({ prompt: "run one" });
  await until(() => session.tasks.list().filter(({ status }) => status === "completed").length === 2);
  const told = events.flatMap(({ event }) =>
    event.type === "notice" && event.message.includes("docs/missing.md") ? [event.message] : [],
  );
  expect(told).toHaveLength(1);
  await session.close();
});

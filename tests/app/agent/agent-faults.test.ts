import { expect, setDefaultTimeout, test } from "bun:test";
import { failing, fault, reply, type ScenarioRequest, toolUse } from "@quoll/model-twin/scenario";
import { agentsCommand } from "../../../src/commands/agents.ts";
import { oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { until } from "../../support/engine-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

setDefaultTimeout(60_000);

type Body = { readonly messages: readonly { readonly content: unknown }[] };

const prompt = ({ body }: ScenarioRequest) => JSON.stringify((body as Body).messages[0]?.content);
const isChild = (request: ScenarioRequest) => prompt(request).includes("Task ");
const last = ({ body }: ScenarioRequest) => JSON.stringify((body as Body).messages.at(-1)?.content);
const start = (name: string, more: object = {}) =>
  toolUse(
    "Agent",
    { description: `does ${name}`, prompt: `Task ${name}.`, subagent_type: "general-purpose", ...more },
    name,
  );

/** A main conversation that makes the calls once, and agents that do what `child` says. */
function delegating(
  calls: readonly ReturnType<typeof toolUse>[],
  child: (request: ScenarioRequest) => ReturnType<typeof reply>,
) {
  return (request: ScenarioRequest) => {
    if (isChild(request)) return child(request);
    return last(request).includes("tool_result") ? reply("all are over") : reply(calls);
  };
}

/** The results of the calls by the id of each call. */
function resultsOf(request: ScenarioRequest | undefined): Readonly<Record<string, { text: string; isError: boolean }>> {
  const blocks = (request as ScenarioRequest & { body: Body }).body.messages.at(-1)?.content as {
    tool_use_id?: string;
    content: unknown;
    is_error?: boolean;
  }[];
  return Object.fromEntries(
    blocks.flatMap(({ tool_use_id: id, content, is_error: isError = false }) =>
      id === undefined ? [] : [[id, { text: JSON.stringify(content), isError }]],
    ),
  );
}

deepTest(
  "an agent that fails, repeats itself or has a tool that throws ends alone: its call says why, and the other agents continue",
  async () => {
    let rounds = 0;
    const child = (request: ScenarioRequest) => {
      const task = prompt(request);
      if (task.includes("Task refused.")) return failing(fault.badRequest("the model is on holiday"));
      if (task.includes("Task endless.")) return reply([toolUse("Glob", { pattern: `*${rounds++}` })]);
      if (task.includes("Task thrown.") && !last(request).includes("tool_result"))
        return reply([toolUse("ext__Fall", {})]);
      return reply(`it said ${last(request).includes("fell over") ? "fell over" : "nothing"}`);
    };
    const calls = [start("refused"), start("endless", { max_turns: 3 }), start("thrown"), start("fine")];
    await using here = await oneProcess(delegating(calls, child));
    await here.home.write(
      ".config/quoll/extensions/fall.ts",
      `export const extension = { apiVersion: 1, setup(quoll) {
      quoll.defineTool({ name: "Fall", description: "Falls.", input: { type: "object" }, level: "none",
        run() { throw new TypeError("it fell over"); } });
    } };`,
    );
    await using project = await tempProject();
    const { session } = await sessionIn(here.app, project.dir);
    const { text } = await session.main.engine.submit({ prompt: "go" });
    expect(text).toBe("all are over");
    const { refused, endless, thrown, fine } = resultsOf(here.twin.requests.at(-1));
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("the model is on holiday") });
    expect(endless).toMatchObject({ isError: true, text: expect.stringContaining("limit of 3 requests") });
    expect(rounds).toBe(3);
    expect(thrown).toMatchObject({ isError: false, text: expect.stringContaining("it said fell over") });
    expect(fine).toMatchObject({ isError: false, text: expect.stringContaining("it said nothing") });
    const ends = Object.fromEntries(session.tasks.list().map(({ description, status }) => [description, status]));
    expect(ends).toEqual({
      ...{ "does refused": "failed", "does endless": "failed" },
      ...{ "does thrown": "completed", "does fine": "completed" },
    });
    await session.close();
  },
);

test("a background agent whose model fails is reported as failed, with the cause, to the person and to the model", async () => {
  const child = () => failing(fault.badRequest("the model is on holiday"));
  await using here = await oneProcess(delegating([start("refused", { run_in_background: true })], child));
  await using project = await tempProject();
  const { session, events } = await sessionIn(here.app, project.dir, { settings: '{"agents":{"wake":false}}' });
  await session.main.engine.submit({ prompt: "go" });
  await until(() => session.tasks.list()[0]?.status === "failed");
  await session.main.engine.submit({ prompt: "and now? no tool_result" });
  const notices = events.flatMap(({ event }) => (event.type === "notice" ? [event.message] : []));
  expect(notices.filter((line) => line.includes("a1 failed"))).toEqual([expect.stringContaining("on holiday")]);
  expect(last(here.twin.requests.at(-1) as ScenarioRequest)).toContain("on holiday");
  await session.close();
});

test("an agent whose model says nothing is stopped by the person, and its call returns", async () => {
  const asked = Promise.withResolvers<void>();
  await using here = await oneProcess((request: ScenarioRequest) => {
    if (!isChild(request))
      return last(request).includes("tool_result") ? reply("all are over") : reply([start("silent")]);
    asked.resolve();
    return new Promise<never>(() => undefined);
  });
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir);
  const turn = session.main.engine.submit({ prompt: "go" });
  await asked.promise;
  await session.tasks.stop("a1", new AbortController().signal, "person");
  expect((await turn).text).toBe("all are over");
  expect(resultsOf(here.twin.requests.at(-1))["silent"]).toMatchObject({
    isError: true,
    text: expect.stringContaining("stopped before it was done"),
  });
  await session.close();
});

test("files of agents with errors are named with the cause, and the agents beside them work", async () => {
  const good = "---\nname: good\ndescription: Works\n---\nWork.\n";
  const files = {
    ".quoll/agents/good.md": good,
    ".quoll/agents/broken.md": "---\nname: broken\ndescription: [open\n---\nWork.\n",
    ".quoll/agents/untold.md": "---\nname: untold\n---\nWork.\n",
    ".quoll/agents/limits.md": "---\nname: limits\ndescription: Odd\nmaxTurns: never\n---\nWork.\n",
    ".quoll/agents/binary.md": "---\nname: bin\0ary\ndescription: Odd\n---\n\0\0",
  };
  const child = () => reply("done well");
  await using here = await oneProcess(delegating([start("one", { subagent_type: "good" })], child));
  await using project = await tempProject(files);
  const commands = { builtin: [agentsCommand] };
  const { session, warnings } = await sessionIn(here.app, project.dir, {}, { commands });
  await session.main.engine.submit({ prompt: "go" });
  expect(resultsOf(here.twin.requests.at(-1))["one"]).toMatchObject({
    isError: false,
    text: expect.stringContaining("done well"),
  });
  const list = await session.commands.run("/agents", new AbortController().signal);
  const said = list?.kind === "choose" ? (list.before ?? []).join("\n") : "";
  for (const name of ["binary", "broken", "limits", "untold"]) expect(said).toContain(`agents/${name}.md`);
  expect(warnings).toEqual([expect.stringMatching(/^4 parts .*quoll doctor/)]);
  await session.close();
});

import { expect, test } from "bun:test";
import { settingsView } from "../../../../src/app/session/settings/settings-view.ts";
import { configCommand } from "../../../../src/commands/config.ts";
import type { CommandContext } from "../../../../src/contracts/command.ts";
import { bash, call, oneProcess, sessionIn } from "../../../support/app-harness.ts";
import { deepTest } from "../../../support/deep.ts";
import { until } from "../../../support/engine-harness.ts";
import { tempProject } from "../../../support/temp-project.ts";

const RULES = { answerer: "nobody", deny: ["Read"] } as const;

test("changed variables, tool limits and caps count in the running session, and one line says so", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({});
  const settings = (value: object) => here.home.write(".config/quoll/settings.json", JSON.stringify(value));
  const off = { sandbox: { enabled: false } };
  await settings({ ...off, env: { FIRST: "one" }, tools: { defer: "auto" } });
  const { session, warnings } = await sessionIn(here.app, project.dir, RULES);
  const said = async (command: string) => (await session.main.engine.submit({ prompt: bash(command) })).text;
  expect(await said(`echo "[$FIRST$SECOND]"`)).toContain("[one]");
  await settings({
    ...{ ...off, env: { SECOND: "two" }, tools: { bashMaxOutputChars: 1_000, defer: "never" } },
    spend: { sessionTokens: 1_000_000 },
  });
  await said(`echo "[$FIRST$SECOND]"; seq 1000 2000`);
  const request = JSON.stringify(here.twin.requests.at(-1)?.body);
  expect(request).toContain("[two]");
  expect(request).not.toContain("1500");
  expect(warnings).toEqual([
    expect.stringContaining(
      "In effect now: env.FIRST, env.SECOND, tools.bashMaxOutputChars, spend.sessionTokens. At the next start: tools.defer.",
    ),
  ]);
  const asked = here.twin.requests.length;
  await settings({ ...off, spend: { sessionTokens: 100 } });
  const { outcome } = await session.main.engine.submit({ prompt: "more" });
  expect(outcome).toMatchObject({ reason: "budget", message: expect.stringContaining("spend.sessionTokens") });
  expect(here.twin.requests).toHaveLength(asked);
});

deepTest(
  "changed settings of agents count in the running session: the model of Explore, limits, and waking",
  async () => {
    await using here = await oneProcess();
    await using project = await tempProject({});
    const settings = (agents: object) => here.home.write(".config/quoll/settings.json", JSON.stringify({ agents }));
    const { session, events } = await sessionIn(here.app, project.dir, { answerer: "person" });
    const ask = (more: object = {}) =>
      session.main.engine.submit({
        prompt: call("Agent", { description: "look", prompt: "Look.", subagent_type: "Explore", ...more }),
      });
    await ask();
    await settings({ exploreModel: "claude-haiku-4-5", turnLimit: 1, wake: true, maxRunning: 2 });
    await ask({ prompt: call("Glob", { pattern: "*" }) });
    const models = here.twin.requests.map(({ body }) => (body as { model: string }).model);
    expect([models[1], models[4]]).toEqual(["claude-sonnet-4-5", "claude-haiku-4-5"]);
    expect(session.tasks.list()[1]?.state).toContain("its limit of 1 request");
    expect(events.flatMap(({ event }) => (event.type === "notice" ? [event.message] : [])).join()).toContain(
      "In effect now: agents.exploreModel, agents.turnLimit, agents.wake. At the next start: agents.maxRunning.",
    );
    const before = here.twin.requests.length;
    await ask({ run_in_background: true });
    // The call, the agent, its result for the model, and the turn that its answer starts.
    await until(() => here.twin.requests.length >= before + 4);
  },
);

test("a section that /config sets as a whole waits for the next start only if a changed part of it does", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({});
  const { session } = await sessionIn(here.app, project.dir, { answerer: "person" });
  const view = await settingsView({ environment: session.environment, config: session.config, context: {} });
  const context = { settings: async () => view } as unknown as CommandContext;
  const waits = async (argument: string) => {
    const result = await configCommand.run(argument, context, new AbortController().signal);
    if (result.kind !== "choose") throw new Error(`It is ${result.kind}.`);
    return result.before?.some((line) => line.includes("from the next start on"));
  };
  const waiting = [
    await waits('env {"FIRST":"one"}'),
    await waits('env {"FIRST":"one","PATH":"/bin"}'),
    await waits('agents {"stallMs":5}'),
    await waits('agents {"stallMs":5,"maxRunning":2}'),
    await waits('agents {"stallMs":6,"maxRunning":2}'),
    await waits("agents --unset"),
    await waits("env.SECOND two"),
  ];
  expect(waiting).toEqual([false, true, false, true, false, true, false]);
});

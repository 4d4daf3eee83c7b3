import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { reply, type ScenarioRequest, toolUse } from "@quoll/model-twin/scenario";
import { oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { until } from "../../support/engine-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

const start = toolUse("Agent", { description: "look around", prompt: "go", run_in_background: true });
const scenario = ({ body }: ScenarioRequest) => {
  const { system, messages } = body as { system: unknown; messages: unknown[] };
  if (JSON.stringify(system).includes("You are an agent")) return reply("done");
  return JSON.stringify(messages.at(-1)).includes("begin") ? reply([start]) : reply("ok");
};
const manifestIn = (folder: string, id: string) => JSON.parse(readFileSync(join(folder, `${id}.json`), "utf8"));

/** Runs one agent to its end. @returns the folder of its records. */
async function oneAgent(here: Awaited<ReturnType<typeof oneProcess>>, cwd: string, more: object = {}) {
  const { session, warnings } = await sessionIn(here.app, cwd, more);
  await session.main.engine.submit({ prompt: "begin" });
  await until(() => session.tasks.list().every(({ status }) => status === "completed"));
  const [task] = session.tasks.list();
  await session.close();
  const outputFile = task?.outputFile ?? "";
  return { folder: join(outputFile, ".."), id: task?.id ?? "", warnings, session };
}

test("an agent leaves a private manifest and its private output, and a resumed session continues with the next number", async () => {
  await using here = await oneProcess(scenario);
  await using project = await tempProject();
  const { folder, session } = await oneAgent(here, project.dir);
  const { sessionId } = session.conversation.log;
  const manifest = manifestIn(folder, "a1");
  expect(manifest).toMatchObject({
    ...{ id: "a1", type: "general-purpose", model: "claude-sonnet-4-5", description: "look around", error: null },
    ...{ status: "completed", output: join(folder, "a1.log"), transcript: `${join(folder, "..")}.jsonl` },
  });
  expect(manifest.endedAt >= manifest.startedAt).toBe(true);
  expect(manifest.usage.contextTokens).toBeGreaterThan(0);
  expect(manifest.cost).toBeGreaterThan(0);
  const modes = [folder, join(folder, "a1.json"), join(folder, "a1.log")].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600, 0o600]);
  expect(readdirSync(here.home.path(`.local/state/quoll/agents/${session.environment.project.id}`))).toEqual([]);
  const again = await oneAgent(here, project.dir, { conversation: { kind: "saved", id: sessionId } });
  expect([again.id, again.folder]).toEqual(["a2", folder]);
});

deepTest("a setting keeps the records of agents in the project, left out of git", async () => {
  await using here = await oneProcess(scenario);
  await using project = await tempProject();
  const { folder } = await oneAgent(here, project.dir, { settings: '{"agents":{"keepInProject":true}}' });
  expect(folder).toStartWith(project.path(".quoll/agents-out/"));
  expect(manifestIn(folder, "a1").status).toBe("completed");
  expect(readFileSync(project.path(".quoll/agents-out/.gitignore"), "utf8")).toBe("*\n");
});

deepTest("an agent continues if its records can't be written, and one line says so", async () => {
  await using here = await oneProcess(scenario);
  await using project = await tempProject();
  await here.home.write(".local/state/quoll/agents", "a file in the way");
  const { session, events } = await sessionIn(here.app, project.dir);
  await Bun.write(join(session.conversation.artifacts.path, "agents"), "another one");
  await session.main.engine.submit({ prompt: "begin" });
  await until(() => session.tasks.list().every(({ status }) => status === "completed"));
  await session.close();
  const notices = events.flatMap(({ event }) => (event.type === "notice" ? [event.message] : []));
  expect(notices.filter((line) => line.includes("can't be written"))).toHaveLength(1);
});

import { expect, test } from "bun:test";
import { appendFile, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { followTask } from "../../../../src/app/session/notices/follow-agent.ts";
import type { TaskInfo } from "../../../../src/contracts/task.ts";
import { until } from "../../../support/engine-harness.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import { agentTask } from "../../../support/shown-tasks.ts";
import { tempProject } from "../../../support/temp-project.ts";

const STEP_MS = 250;

async function follower(file: string) {
  let task: TaskInfo = agentTask("a1", "Explore", "look", { outputFile: file });
  await mkdir(dirname(file), { recursive: true });
  const clock = fakeClock();
  const stop = new AbortController();
  const reports: (readonly string[])[] = [];
  const parts = { tasks: { list: () => [task] }, id: "a1", clock, signal: stop.signal };
  const over = followTask(parts, (lines) => reports.push(lines));
  const step = async () => {
    await until(() => clock.sleeping === 1);
    await clock.advance(STEP_MS);
  };
  return { clock, stop, reports, over, step, end: () => (task = { ...task, status: "completed" }) };
}

test("an output is reported again when it has grown, and its end is read before the task is left", async () => {
  await using project = await tempProject();
  const file = `${project.dir}/out/a1.log`;
  const { reports, over, step, end } = await follower(file);
  await step();
  await appendFile(file, "one\n");
  await step();
  await step();
  expect(reports).toEqual([["one"]]);
  await appendFile(file, "two\n");
  end();
  await step();
  await over;
  expect(reports.at(-1)).toEqual(["one", "two"]);
});

test("of a long output only the end is reported, and a line says where the rest is", async () => {
  await using project = await tempProject();
  const file = `${project.dir}/out/a1.log`;
  const { reports, over, stop, step } = await follower(file);
  await appendFile(file, Array.from({ length: 60_000 }, (_, at) => `line ${at}\n`).join(""));
  await step();
  await until(() => reports.length > 0);
  expect(reports[0]?.[0]).toContain(file);
  expect(reports[0]?.at(-1)).toBe("line 59999");
  expect(reports[0]?.join("\n").length).toBeLessThan(300_000);
  stop.abort();
  await over;
});

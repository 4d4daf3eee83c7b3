import { expect, test } from "bun:test";
import { bash, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

/** Replaces the folder of its own output by a file. */
const REPLACE = 'd="$(dirname "$(readlink /proc/$$/fd/2)")"; rm -rf "$d"; : > "$d"; echo replaced';

test("a command that replaces the folder of its output keeps its own result", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({ "replace.sh": REPLACE });
  const settings = JSON.stringify({ sandbox: { enabled: false } });
  const { session, events } = await sessionIn(here.app, project.dir, { allow: ["Bash(*)"], settings });
  await session.main.engine.submit({ prompt: bash("echo one") });
  await session.main.engine.submit({ prompt: bash("bash replace.sh") });
  const results = events.flatMap(({ event }) => (event.type === "tool_finished" ? [event.result] : []));
  expect(results.map(({ isError }) => isError)).toEqual([false, false]);
  expect(JSON.stringify(results[1]?.content)).toContain("replaced");
  await session.close();
});

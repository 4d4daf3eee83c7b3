import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { call, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { ROOT } from "../../support/built.ts";
import { eventually } from "../../support/eventually.ts";
import { tempProject } from "../../support/temp-project.ts";

const SERVER = join(ROOT, "tests/services/mcp/servers/raw-server.ts");

test("a turn ends at once although a server ignores the cancellation, and its late answer is dropped and named", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({ log: "" });
  const log = project.path("log");
  const stubborn = { command: process.execPath, args: [SERVER, "ignores-cancel"], env: { QUOLL_TEST_LOG: log } };
  const configs = [JSON.stringify({ mcpServers: { stubborn } })];
  const { session } = await sessionIn(here.app, project.dir, {
    mcp: { configs, inProcess: [] },
    allow: ["mcp__stubborn"],
    answerer: "nobody",
  });
  const { engine } = session.main;
  const turn = engine.submit({ prompt: call("mcp__stubborn__echo", { text: "one" }) });
  await eventually("the call", () => readFileSync(log, "utf8").includes("tools/call"));
  const startedAt = performance.now();
  engine.interrupt();
  expect((await turn).outcome).toMatchObject({ reason: "aborted" });
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  const warnings = () => session.servers.client?.states[0]?.warnings ?? [];
  await eventually("the late answer", () => warnings().length > 0);
  expect(warnings()).toEqual(["warning: it answered a request that no longer waits, or never did"]);
  const next = await engine.submit({ prompt: call("mcp__stubborn__echo", { text: "two" }) });
  expect(next.text).toContain("two");
  expect(next.text).not.toContain("late");
  await session.close();
});

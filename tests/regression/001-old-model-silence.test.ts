import { expect, test } from "bun:test";
import { join } from "node:path";
import { reply } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { ROOT } from "../support/built.ts";
import { runCommand } from "../support/run-command.ts";
import { tempProject } from "../support/temp-project.ts";

test("a model that the SDK calls deprecated is used without the SDK writing to our terminal", async () => {
  await using twin = await startTwin({ scenario: [reply("Still here.")] });
  await using project = await tempProject();
  await using home = await tempProject();
  const env = { HOME: home.dir, ANTHROPIC_BASE_URL: twin.url, ANTHROPIC_API_KEY: "test" };
  const command = [process.execPath, join(ROOT, "src/main.ts"), "-p", "hello", "--model", "claude-sonnet-4-5"];

  const result = await runCommand(command, { cwd: project.dir, env });

  expect(result).toEqual({ code: 0, out: "Still here.\n", err: "" });
});

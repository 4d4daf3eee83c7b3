import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { reply, text, toolUse } from "@quoll/model-twin/scenario";
import { statuslineCommand } from "../../src/commands/statusline.ts";
import type { CommandContext } from "../../src/contracts/command.ts";
import type { StatusLineState } from "../../src/contracts/status-line.ts";
import { oneProcess, sessionIn } from "../support/app-harness.ts";
import { partsOf } from "../support/question.ts";
import { tempProject } from "../support/temp-project.ts";

const NEVER = new AbortController().signal;
const STATE: StatusLineState = { lines: [], problems: [], settingsFile: "/h/settings.json", folder: "/h/status-line" };

const run = (argument: string, state: StatusLineState) =>
  statuslineCommand.run(argument, { statusLine: async () => state } as CommandContext, NEVER);

test("without words it says what counts, from which file, and why nothing is shown", async () => {
  const source = { type: "command", text: "cat\u001b[2J x", file: "/h/settings.json" } as const;
  const failing = { ...STATE, source, problems: ["The last run showed nothing: exit code 3."] };
  const result = await run("", failing);
  expect(result.kind === "text" && result.lines.slice(0, 4)).toEqual([
    "command: cat␛[2J x",
    "set in /h/settings.json",
    "The status line shows nothing at the moment.",
    "The last run showed nothing: exit code 3.",
  ]);
  const none = await run(" ", STATE);
  expect(none.kind === "text" && none.lines[0]).toContain("No setting");
});

test("with words the model starts the agent, which writes the settings but nothing in the project", async () => {
  await using project = await tempProject({});
  await using here = await oneProcess((request) => {
    const { messages } = request.body as { messages: { content: unknown }[] };
    const said = JSON.stringify(messages);
    const results = said.split("tool_result").length - 1;
    const home = /Settings file: ([^\\]+)/.exec(said)?.[1] ?? "";
    if (!said.includes("You are an agent") && !JSON.stringify(request.body).includes("You set up the status line")) {
      const prompt = /<task>(.*)<\/task>/s.exec(said)?.[1]?.replaceAll("\\n", "\n") ?? "";
      const use = toolUse("Agent", { description: "set it up", prompt, subagent_type: "statusline-setup" });
      return results === 0 ? reply([use]) : reply([text("Set.")]);
    }
    const files = [project.path("mine.txt"), home];
    const content = JSON.stringify({ statusLine: { template: "{model}" } });
    const file = files[results];
    return file === undefined ? reply([text("Done.")]) : reply([toolUse("Write", { file_path: file, content })]);
  });
  const { session } = await sessionIn(here.app, project.dir, { answerer: "person" });
  const { questions } = session.main.engine;
  const asked: string[] = [];
  // A person who says yes to everything.
  questions.subscribe(() => {
    for (const { id, preview } of questions.pending.map(partsOf)) {
      asked.push(preview.kind);
      questions.reply(id, { decision: "once" });
    }
  });
  const state = await session.statusLine.state();
  const result = await run("the model", state);
  if (result.kind !== "prompt") throw new Error("It is no prompt.");
  await session.main.engine.submit({ prompt: result.prompt });
  expect(existsSync(project.path("mine.txt"))).toBe(false);
  expect(asked).toEqual(["diff"]);
  expect(JSON.parse(readFileSync(state.settingsFile, "utf8"))).toEqual({ statusLine: { template: "{model}" } });
});

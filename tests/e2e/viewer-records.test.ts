import { expect } from "bun:test";
import { reply, type ScenarioRequest, text, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

const IDLE = "? for keys";
const CTRL_O = "\u000f";
const isChild = ({ body }: ScenarioRequest) =>
  JSON.stringify((body as { system: unknown }).system).includes("an agent that explores");

deepTest("the transcript holds every line of a long output, and the calls of an agent", async () => {
  const scenario = (request: ScenarioRequest) => {
    const last = JSON.stringify((request.body as { messages: unknown[] }).messages.at(-1));
    if (isChild(request))
      return reply([last.includes("tool_result") ? text("Found it.") : toolUse("Read", { file_path: "north.txt" })]);
    if (last.includes("go and look"))
      return reply([
        toolUse("Bash", { command: "seq -f 'number %.0f' 20000", description: "count" }),
        toolUse("Agent", { description: "look north", prompt: "look north", subagent_type: "Explore" }),
      ]);
    return reply([text("The turn is over.")]);
  };
  await using place = await quollPlace({ scenario, files: { "north.txt": "north\n" } });
  await using terminal = terminalProcess([...QUOLL, "--trust", "--allowed-tools", "Bash(seq *)"], {
    cwd: place.project.dir,
    env: place.environmentOf({}),
  });
  await terminal.shows(IDLE);
  terminal.type("go and look\r");
  await terminal.shows("The turn is over.");
  terminal.type(CTRL_O);
  await terminal.shows(/look north[\s\S]*read +north\.txt[\s\S]*Found it\./);
  terminal.type("/");
  await terminal.shows(/^ +\/$/m);
  terminal.type("number 9876");
  await terminal.shows("number 9877");
  expect(terminal.screen).not.toContain("loading …");
});

import { expect } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { reply, type ScenarioRequest, text, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { shortestTime } from "../support/shortest-time.ts";
import { terminalProcess } from "../support/terminal-process.ts";

const IDLE = "? for keys";
const ESC = "\u001b";
const DELETE = "\u001b[3~";
const DOWN = `${ESC}[B`;
const CTRL_B = "\u0002";
const TASKS = ["north", "south", "west"];
const lastOf = ({ body }: ScenarioRequest) => JSON.stringify((body as { messages: unknown[] }).messages.at(-1));
const isChild = ({ body }: ScenarioRequest) =>
  JSON.stringify((body as { system: unknown }).system).includes("an agent that explores");

/** A model that starts three agents at once. Each reads a file, then waits until its gate opens. */
function threeAgents() {
  const gates = new Map(TASKS.map((name) => [name, Promise.withResolvers<void>()]));
  const scenario = async (request: ScenarioRequest) => {
    const last = lastOf(request);
    if (!isChild(request))
      return last.includes("explore all")
        ? reply(
            TASKS.map((name) =>
              toolUse("Agent", {
                ...{ description: `look ${name}`, prompt: `look ${name}`, subagent_type: "Explore" },
                ...(name === "west" && { expect: { files: ["report.md"] } }),
              }),
            ),
          )
        : reply([text("The turn is over.")]);
    const name = TASKS.find((one) => JSON.stringify(request.body).includes(`look ${one}`)) ?? "";
    if (last.includes("also east")) return reply([text("Found east as well.")]);
    if (last.includes("report.md does not exist")) return reply([text("I can't write it.")]);
    if (!last.includes("tool_result"))
      return reply([text(`I look at ${name}.`), toolUse("Read", { file_path: `${name}.txt` })]);
    await gates.get(name)?.promise;
    return reply([text(`Found ${name}.`)]);
  };
  return { scenario, open: (name: string) => gates.get(name)?.resolve() };
}

deepTest(
  "of three agents side by side one is watched, one stopped, and one steered, whose broken contract is said",
  async () => {
    const { scenario, open } = threeAgents();
    const files = Object.fromEntries(TASKS.map((name) => [`${name}.txt`, `${name}\n`]));
    await using place = await quollPlace({ scenario, files });
    await using terminal = terminalProcess([...QUOLL, "--trust"], {
      cwd: place.project.dir,
      env: place.environmentOf({}),
    });
    await terminal.shows(IDLE);
    terminal.type("explore all\r");
    for (const [at, name] of TASKS.entries())
      await terminal.shows(new RegExp(`◐ a${at + 1} Explore {2}look ${name} +· Read ${name}\\.txt +\\d+s`));
    terminal.type(DOWN);
    await terminal.shows(/❯ ◐ a1/);
    terminal.type(DOWN);
    await terminal.shows(/❯ ◐ a2/);
    terminal.type("\r");
    await terminal.shows("I look at south.");
    expect(terminal.screen).toContain("› look south");
    await terminal.shows(/read +south\.txt/);
    open("south");
    await terminal.shows("Found south.");
    await terminal.shows(/a2 completed · \d+s/);
    terminal.type(ESC);
    await terminal.shows(/❯ ✓ a2/);
    // It stands behind those that run now.
    terminal.type(`${ESC}[A${ESC}[A`);
    await terminal.shows(/❯ ◐ a1/);
    terminal.type(DELETE);
    await terminal.shows(/■ a1 Explore {2}look north +· was stopped by the user/);
    terminal.type(ESC);
    await terminal.shows(() => !terminal.screen.includes("enter watch"));
    terminal.type(CTRL_B);
    await terminal.shows("The turn is over.");
    await terminal.shows(IDLE);
    expect(terminal.screen).toMatch(/◐ a3 Explore {2}look west/);
    const ofMain = place.sent().filter(({ system }) => !JSON.stringify(system).includes("an agent that explores"));
    const results = JSON.stringify(ofMain.at(-1)?.messages.at(-1)?.content);
    expect(results).toContain("Found south.");
    expect(results).toContain("was stopped by the user");
    expect(results).toContain("a3 was moved to the background");
    terminal.type(DOWN);
    await terminal.shows(/❯ ◐ a3/);
    terminal.type("\t");
    await terminal.shows("Message to a3");
    terminal.type("also east\r");
    await terminal.shows("a3 gets your message.");
    open("west");
    await terminal.shows(/✗ a3 .* broke its contract/);
    terminal.type("\r");
    await terminal.shows("Found east as well.");
    expect(place.refused()).toEqual([]);
  },
  60_000,
);

deepTest(
  "ctrl+b moves a running command to the background, and the turn goes on",
  async () => {
    const wait = "while [ ! -e go ]; do sleep 0.05; done; echo built";
    const scenario = (request: ScenarioRequest) =>
      lastOf(request).includes("tool_result")
        ? reply([text("I go on meanwhile.")])
        : reply([toolUse("Bash", { command: wait, description: "Build" })]);
    const settings = { sandbox: { enabled: false }, permissions: { allow: ["Bash"] } };
    await using place = await quollPlace({ scenario, settings });
    await using terminal = terminalProcess([...QUOLL, "--trust"], {
      cwd: place.project.dir,
      env: place.environmentOf({}),
    });
    await terminal.shows(IDLE);
    terminal.type("build\r");
    await terminal.shows(/\$ +while/);
    terminal.type(CTRL_B);
    await terminal.shows("I go on meanwhile.");
    await terminal.shows(/◐ b1 shell {2}while/);
    expect(JSON.stringify(place.sent().at(-1)?.messages.at(-1))).toContain("moved to the background by the user");
    await writeFile(join(place.project.dir, "go"), "");
    await terminal.shows(/✓ b1 shell/);
  },
  60_000,
);

deepTest(
  "a command that an agent left running has a row, and x ends it",
  async () => {
    const gate = Promise.withResolvers<void>();
    const scenario = async (request: ScenarioRequest) => {
      const last = lastOf(request);
      if (!JSON.stringify(request.body).includes("serve it"))
        return reply([
          toolUse("Agent", { description: "serve", prompt: "serve it", subagent_type: "general-purpose" }),
        ]);
      if (!last.includes("tool_result"))
        return reply([toolUse("Bash", { command: "sleep 77", description: "Serve", run_in_background: true })]);
      await gate.promise;
      return reply([text("It served.")]);
    };
    const settings = { sandbox: { enabled: false }, permissions: { allow: ["Bash"] } };
    await using place = await quollPlace({ scenario, settings });
    await using terminal = terminalProcess([...QUOLL, "--trust"], {
      cwd: place.project.dir,
      env: place.environmentOf({}),
    });
    await terminal.shows(IDLE);
    terminal.type("go\r");
    await terminal.shows(/└ ◐ b1 shell +sleep 77/);
    terminal.type(DOWN + DOWN);
    await terminal.shows(/❯ (?:└ )?◐ b1/);
    terminal.type(DELETE);
    await terminal.shows(/■ b1 shell .*was stopped/);
    gate.resolve();
    await terminal.shows("It served.");
  },
  60_000,
);

deepTest(
  "a command that ignores signals is shown as being stopped within 0.3 s, and as stopped when it has ended",
  async () => {
    const command = "trap '' INT TERM; while :; do sleep 0.1; done";
    const scenario = (request: ScenarioRequest) =>
      lastOf(request).includes("tool_result")
        ? reply([text("It serves.")])
        : reply([toolUse("Bash", { command, description: "Serve", run_in_background: true })]);
    const settings = { sandbox: { enabled: false }, permissions: { allow: ["Bash"] } };
    const stops = async () => {
      await using place = await quollPlace({ scenario, settings });
      await using terminal = terminalProcess([...QUOLL, "--trust"], {
        cwd: place.project.dir,
        env: place.environmentOf({}),
      });
      await terminal.shows(IDLE);
      terminal.type("serve\r");
      await terminal.shows("It serves.");
      await terminal.shows(/◐ b1 shell/);
      terminal.type(DOWN);
      await terminal.shows(/❯ (?:└ )?◐ b1/);
      const pressedAt = performance.now();
      terminal.type(DELETE);
      await terminal.shows(/◐ b1 shell .*is being stopped/);
      const tookMs = performance.now() - pressedAt;
      await terminal.shows(/■ b1 shell .*was stopped by/);
      expect(performance.now() - pressedAt).toBeGreaterThan(1_000);
      return tookMs;
    };
    expect(await shortestTime(300, stops)).toBeLessThan(300);
  },
  60_000,
);

deepTest(
  "a plain terminal says when agents start and end, and /tasks lists, steers and stops them",
  async () => {
    const { scenario, open } = threeAgents();
    const files = Object.fromEntries(TASKS.map((name) => [`${name}.txt`, `${name}\n`]));
    await using place = await quollPlace({ scenario, files });
    await using terminal = terminalProcess([...QUOLL, "--trust"], {
      cwd: place.project.dir,
      env: { ...place.environmentOf({}), TERM: "dumb" },
    });
    await terminal.shows(/^You:/m);
    terminal.type("explore all\n");
    await terminal.shows("Agent a3 started: Explore: look west");
    terminal.type("/tasks\n");
    await terminal.shows(/^1: a1, .*look north.*is running[\s\S]*\nChoose:$/m);
    terminal.type("/tasks stop a1\n");
    await terminal.shows("Agent a1 was stopped by the user");
    terminal.type("/tasks message a3 also east\n");
    await terminal.shows("a3 gets your message.");
    open("south");
    await terminal.shows(/Agent a2 completed/);
    open("west");
    await terminal.shows(/Agent a3 broke its contract/);
    await terminal.shows("The turn is over.");
  },
  60_000,
);

import { expect } from "bun:test";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { isAlive, startTimeOf } from "../../src/platform/processes/process-table.ts";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

/** The extension starts a program, whose pid it writes, and never comes back. */
const LOOP = `import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
export const extension = { apiVersion: 1, setup(quoll) {
  quoll.defineTool({ name: "Spin", description: "x", input: { type: "object" }, level: "none", run: () => {
    writeFileSync("spawned", String(spawn("sleep", ["600"], { stdio: "ignore", detached: true }).pid));
    for (;;);
  } });
} };`;

deepTest(
  "an endless loop in an extension ends the session with a line that names it, and the session continues",
  async () => {
    await using place = await quollPlace({ scenario: [reply([toolUse("ext__Spin", {})]), reply("Back again.")] });
    await place.home.write("own/config/extensions/loop.js", LOOP);
    await using terminal = terminalProcess(["sh", "-c", `"$0" --trust; echo "exit $?"; stty -a`, ...QUOLL], {
      cwd: place.project.dir,
      env: place.environmentOf({}),
    });
    await terminal.shows("? for keys");
    terminal.type("go on\r");
    await terminal.child.exited;
    await terminal.shows(/exit 137(?:.|\n)*[^-]icanon/);
    const pid = Number(await place.project.read("spawned"));
    expect(isAlive({ pid, startTime: startTimeOf(pid) })).toBe(false);
    const [, id = ""] =
      /extensions\/loop\.js has computed.*--resume ([0-9a-f-]{36})/.exec(terminal.all.replaceAll("\n", "")) ?? [];
    expect(await place.run(["-p", "--resume", id, "And now?"])).toMatchObject({ code: 0, out: "Back again.\n" });
  },
);

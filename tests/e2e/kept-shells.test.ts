import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { sandboxPlace } from "../services/sandbox/sandbox-fixture.ts";
import { deepTest } from "../support/deep.ts";
import { eventually } from "../support/eventually.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { shortestTime } from "../support/shortest-time.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const machine = await sandboxPlace();
const { kind: sandbox } = await machine.sandbox.state();
await machine[Symbol.asyncDispose]();

const IDLE = "? for keys";
// The watch that ends what Quoll leaves behind is done after 0.4 s.
const WORK = "until test -e go; do sleep 0.05; done; sleep 0.6; touch made";

/** Quoll in a shell, with a command in the background. */
async function withCommand(settings: object) {
  const place = await quollPlace({
    settings,
    scenario: [reply([toolUse("Bash", { command: WORK, run_in_background: true })]), reply("Started.")],
  });
  const shell = terminalProcess(["bash", "--norc", "--noprofile", "-i"], {
    ...{ columns: 100, rows: 30, cwd: place.project.dir },
    env: { ...place.environmentOf({}), PS1: "sh> " },
  });
  await shell.shows("sh>");
  shell.type(`clear; ${QUOLL.join(" ")} --trust --allowed-tools Bash\r`);
  await shell.shows(IDLE);
  shell.type("start it\r");
  await shell.shows("Started.");
  await shell.shows(IDLE);
  return { place, shell };
}

deepTest(
  "a command that ignores signals is named within 0.3 s after leaving, and again when it has ended",
  async () => {
    const command = "trap '' INT TERM; while :; do sleep 0.1; done";
    const leaves = async () => {
      await using place = await quollPlace({
        scenario: [
          reply([toolUse("Bash", { command, description: "Serve", run_in_background: true })]),
          reply("Started."),
        ],
        settings: { sandbox: { enabled: false } },
      });
      await using terminal = terminalProcess([...QUOLL, "--trust", "--allowed-tools", "Bash"], {
        cwd: place.project.dir,
        env: place.environmentOf({}),
      });
      await terminal.shows(IDLE);
      terminal.type("start it\r");
      await terminal.shows("Started.");
      await terminal.shows(/◐ b1 shell/);
      // The turn has ended, which leaving would end too.
      await terminal.shows(/ tok · \$[\s\S]*\? for keys/);
      terminal.type("/exit\r");
      await terminal.shows("enter again ends 1 task, and leaves");
      const leftAt = performance.now();
      terminal.type("\r");
      await terminal.shows("Ending background tasks, which can take seconds: b1");
      const tookMs = performance.now() - leftAt;
      await terminal.shows("Ended background tasks: b1");
      expect(performance.now() - leftAt).toBeGreaterThan(1_000);
      return tookMs;
    };
    expect(await shortestTime(300, leaves)).toBeLessThan(300);
  },
);

describe("/tasks keep", () => {
  deepTest("lets a command continue when Quoll ends, and a line says how to end the command", async () => {
    const { place, shell } = await withCommand({ sandbox: { enabled: false } });
    await using _ = place;
    await using __ = shell;
    shell.type("/tasks keep b1\r");
    await shell.shows("b1 keeps running when Quoll ends");
    shell.type("/exit\r");
    await shell.shows(/keeps running as process \d+/);
    await shell.shows(/sh> *$/);
    expect(shell.screen).toMatch(/kill -- -\d+/);
    expect(shell.screen).not.toContain("Ended background tasks");
    await place.project.write("go", "");
    await eventually("the command has ended by itself", () => existsSync(place.project.path("made")));
  });

  test.if(sandbox === "bubblewrap")("says that a confined command can't be kept", async () => {
    const { place, shell } = await withCommand({ sandbox: { enabled: true } });
    await using _ = place;
    await using __ = shell;
    shell.type("/tasks keep b1\r");
    await shell.shows("runs in the sandbox");
    shell.type("/exit\r");
    await shell.shows("enter again ends 1 task, and leaves");
    shell.type("\r");
    await shell.shows("Ended background tasks: b1");
  });
});

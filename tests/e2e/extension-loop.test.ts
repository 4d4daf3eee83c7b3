import { expect } from "bun:test";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

const LOOP = `export const extension = { apiVersion: 1, setup(quoll) {
  quoll.defineTool({ name: "Spin", description: "x", input: { type: "object" }, level: "none", run: () => { for (;;); } });
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
    const [, id = ""] =
      /extensions\/loop\.js has computed.*--resume ([0-9a-f-]{36})/.exec(terminal.all.replaceAll("\n", "")) ?? [];
    expect(await place.run(["-p", "--resume", id, "And now?"])).toMatchObject({ code: 0, out: "Back again.\n" });
  },
);

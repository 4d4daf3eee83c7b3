import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { notificationSequence } from "../../../../src/faces/repl/person-alert.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { terminalProcess } from "../../../support/terminal-process.ts";

const FORMS = ["osc9", "osc777", "osc99"] as const;
const MESSAGE = { title: "quoll (shop)", text: "asks: Run this?" };

test("tmux passes every form on to its terminal if allow-passthrough is on, and rings its bell in any case", async () => {
  const wrapped = FORMS.map((form) => notificationSequence(form, MESSAGE, "tmux")).join("");
  await using files = await tempProject({ sent: `${wrapped}\u0007shown`, conf: "set -g allow-passthrough on\n" });
  const shown = async (conf: string) => {
    // A server that still ends would take the next client with it.
    const server = ["tmux", "-L", `quoll-test-${randomUUID()}`, "-f", conf];
    // A pane that no terminal shows yet passes nothing on.
    const command = `echo ready; read -r line; cat ${files.path("sent")}; sleep 60`;
    await using terminal = terminalProcess([...server, "new-session", command], { env: { TMUX: "" } });
    try {
      await terminal.shows("ready");
      terminal.type("\r");
      await terminal.shows("shown");
      return terminal.output;
    } finally {
      await Bun.spawn([...server, "kill-server"], { stderr: "ignore" }).exited;
    }
  };
  const passed = await shown(files.path("conf"));
  for (const form of FORMS) expect(passed).toContain(notificationSequence(form, MESSAGE));
  const dropped = await shown("/dev/null");
  expect(dropped).not.toContain("asks: Run this?");
  expect(dropped).toContain("\u0007");
});

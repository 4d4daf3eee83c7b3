import { expect, setDefaultTimeout } from "bun:test";
import { readdirSync, readlinkSync } from "node:fs";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { eachOrDeep } from "../support/deep.ts";
import { until } from "../support/eventually.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { tmuxProcess } from "../support/tmux-process.ts";

setDefaultTimeout(60_000);

const PORT = 8191;
const SERVE = `python3 -m http.server ${PORT} --bind 127.0.0.1`;
const LOOK = `for i in $(seq 100); do curl -sf http://127.0.0.1:${PORT}/page && break; sleep 0.1; done`;

/** The processes whose working folder this is. */
function runningWith(folder: string): readonly string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder && pid !== String(process.pid);
    } catch {
      return false;
    }
  });
}

const outside = () =>
  fetch(`http://127.0.0.1:${PORT}/page`).then(
    (answer) => answer.text(),
    () => "nothing",
  );

eachOrDeep(
  "a server that one command starts is reached by the next, and by the person after a yes, until Quoll ends (%j, it %s)",
  1,
  [
    [{ columns: 80, rows: 24 }, "leaves"],
    [{ columns: 120, rows: 40 }, "is killed"],
  ] as const,
  async (size, end) => {
    const step = (command: string, more: object = {}) =>
      reply([toolUse("Bash", { command, description: "A step", ...more })]);
    await using here = await quollPlace({
      files: { page: "the page\n" },
      settings: { permissions: { allow: ["Bash"] } },
      scenario: [step(SERVE, { run_in_background: true }), step(LOOK), reply("It serves.")],
    });
    await using terminal = await tmuxProcess([...QUOLL, "--trust"], {
      ...size,
      cwd: here.project.dir,
      env: here.environmentOf({}),
    });
    await terminal.shows("? for keys");
    await terminal.type("serve it");
    await terminal.press("Enter");
    await terminal.shows(`Open port ${PORT} to you?`);
    await terminal.shows("It serves.");
    expect(JSON.stringify(here.sent().at(-1))).toContain("the page");
    expect(await outside()).toBe("nothing");
    await terminal.pressUntil("1", `is open to you at http://127.0.0.1:${PORT}`);
    expect(await outside()).toBe("the page\n");
    await terminal.type("/ports");
    await terminal.press("Enter");
    await terminal.shows(`port ${PORT} of b1`);
    if (end === "is killed") process.kill(await terminal.pid(), "SIGKILL");
    else {
      await terminal.type("/exit");
      await terminal.press("Enter");
      await terminal.shows("enter again ends 1 task, and leaves");
      await terminal.press("Enter");
    }
    await until(async () => (await outside()) === "nothing");
    await until(() => runningWith(here.project.dir).length === 0);
  },
);

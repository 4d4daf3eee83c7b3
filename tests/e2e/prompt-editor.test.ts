import { expect } from "bun:test";
import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { reply, text } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

const LEFT = "\u001b[D";
const CTRL_G = "\u0007";
const CTRL_R = "\u0012";
const CTRL_S = "\u0013";

deepTest(
  "the prompt of the program: the person's editor, the history, the stash, and the cursor behind wide text",
  async () => {
    await using place = await quollPlace({
      files: { "editor.sh": 'printf "%s, edited" "$(cat "$1")" > "$1"\n', "tmp/empty": "" },
      scenario: () => reply([text("Done.")]),
    });
    const editor = `sh ${place.project.path("editor.sh")}`;
    const env = place.environmentOf({ env: { EDITOR: editor, VISUAL: "", TMPDIR: place.project.path("tmp") } });
    const open = () => terminalProcess([...QUOLL, "--trust"], { cwd: place.project.dir, env });
    {
      await using terminal = open();
      await terminal.shows("? for keys");
      terminal.type("漢字 a");
      await terminal.shows(() => terminal.cursor.x === 2 + 2 + 2 + 2);
      terminal.type(LEFT.repeat(3));
      await terminal.shows(() => terminal.cursor.x === 2 + 2);
      terminal.type(CTRL_G);
      await terminal.shows("› 漢字 a, edited");
      terminal.type("\r");
      await terminal.shows("● Done.");
      terminal.type(`later${CTRL_S}`);
      await terminal.shows("stashed");
      terminal.type(`${CTRL_R}edi`);
      await terminal.shows("❯ 漢字 a, edited");
      terminal.type("\r\r");
      await terminal.shows("› later");
    }
    await using terminal = open();
    await terminal.shows("? for keys");
    terminal.type("漢");
    await terminal.shows("› 漢字 a, edited");
    expect(readdirSync(place.project.path("tmp"))).toEqual(["empty"]);
  },
);

deepTest(
  "a prompt of an earlier version with a folded paste comes back without it, and is not filled with another paste",
  async () => {
    await using place = await quollPlace({ scenario: () => reply([text("Done.")]) });
    const open = () => terminalProcess([...QUOLL, "--trust"], { cwd: place.project.dir, env: place.environmentOf({}) });
    {
      await using terminal = open();
      await terminal.shows("? for keys");
      terminal.type("hello\r");
      await terminal.shows("● Done.");
    }
    const [history = ""] = place.ownFiles().flatMap(([path]) => (path.startsWith("state/history/") ? [path] : []));
    appendFileSync(place.home.path(join("own", history)), `${JSON.stringify("see [pasted 12 lines] and fix it")}\n`);
    await using terminal = open();
    await terminal.shows("? for keys");
    terminal.type(`\u001b[200~${"other\n".repeat(12)}\u001b[201~`);
    await terminal.shows("› [pasted 12 lines]");
    terminal.type("\u001b[A\r");
    await terminal.shows("● Done.");
    const asked = place.sent().at(-1)?.messages.at(-1)?.content.at(-1)?.text;
    expect(asked).toBe("see [pasted 12 lines, not kept] and fix it");
  },
);

deepTest("/vim switches the keys of the prompt, shows the mode, and lasts", async () => {
  await using place = await quollPlace({ scenario: () => reply([text("Done.")]) });
  const env = place.environmentOf({});
  const open = () => terminalProcess([...QUOLL, "--trust"], { cwd: place.project.dir, env });
  {
    await using terminal = open();
    await terminal.shows("? for keys");
    terminal.type("/vim\r");
    await terminal.shows(/^ {2}INSERT · /m);
    terminal.type("fix the login test");
    await terminal.shows("› fix the login test");
    terminal.type("\u001b");
    await terminal.shows(/^ {2}NORMAL · /m);
    terminal.type("bciw");
    await terminal.shows(/^ {2}INSERT · /m);
    terminal.type("page\u001b");
    await terminal.shows("› fix the login page");
    await terminal.shows(() => terminal.cursor.x === 2 + "fix the login pag".length);
    terminal.type("V");
    await terminal.shows(/^ {2}V-LINE · /m);
    terminal.type("\u001b");
    await terminal.shows(/^ {2}NORMAL · /m);
    terminal.type("\r");
    await terminal.shows("● Done.");
  }
  await using terminal = open();
  await terminal.shows(/^ {2}INSERT · /m);
  terminal.type("/vim off\r");
  await terminal.shows("no vim keys");
  await terminal.shows(() => !terminal.screen.includes("INSERT · "));
});

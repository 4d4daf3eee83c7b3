import { describe, expect, test } from "bun:test";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { GUARD_MS } from "../../../src/faces/repl/layers/question.ts";
import { builtDemo } from "../../support/built.ts";
import { deepTest, eachOrDeep } from "../../support/deep.ts";
import { tempProject } from "../../support/temp-project.ts";
import { terminalProcess } from "../../support/terminal-process.ts";

const DEMO = [await builtDemo()];
const IDLE = "? for keys";
const ESC = "\u001b";

type Options = Parameters<typeof terminalProcess>[1];

async function demo(options: Options = {}) {
  const terminal = terminalProcess(DEMO, options);
  await terminal.shows(IDLE);
  return terminal;
}

/** Longer than keys are ignored; nothing can be waited for but time. */
const afterGuard = () => Bun.sleep(GUARD_MS + 50);
const count = (text: string, part: string) => text.split(part).length - 1;

describe("questions in a real terminal", () => {
  eachOrDeep(
    "a script of 60 lines is read to its end at %dx%d, without a flicker of the whole screen",
    1,
    [
      [80, 24],
      [120, 40],
      [40, 24],
    ],
    async (columns, rows) => {
      await using terminal = await demo({ columns, rows });
      terminal.type("script it\r");
      await terminal.shows("Outside the sandbox.");
      await terminal.asks();
      if (!terminal.screen.includes("▲ eval")) terminal.type(" ");
      await terminal.shows('▲ eval "$INSTALL" ⟨U+200B⟩--yes');
      terminal.type(`${ESC}[F`);
      await terminal.shows(/not understood: it runs what/);
      await terminal.shows(() => count(terminal.screen, "╭") === 1 && count(terminal.screen, "╰") === 1);
      // A stray enter approves nothing that is dangerous.
      terminal.type("\r");
      await terminal.shows("No: ");
      terminal.type("\r");
      await terminal.shows("You said reject.");
      expect(terminal.output).not.toContain("\u001b[2J");
      expect(terminal.output).not.toContain("\u200b");
    },
  );

  deepTest("parts of a long change are left out and the rest is applied", async () => {
    await using terminal = await demo();
    terminal.type("hunks of it\r");
    await terminal.shows("☑ 1 of 5");
    expect(terminal.screen).toContain("src/店/カート 🛒.ts");
    await terminal.asks();
    terminal.type(`${ESC}[B`);
    await terminal.shows("▎ ☑ 2 of 5");
    terminal.type(" ");
    await terminal.shows("▎ ☐ 2 of 5");
    await terminal.shows("1 Yes, 4 of 5 parts");
    terminal.type("\r");
    await terminal.shows('You said {"decision":"once","hunks":[0,2,3,4]}.');
  });

  deepTest("a queue of questions continues when rules settle some of them", async () => {
    await using terminal = await demo();
    terminal.type("three of them\r");
    await terminal.shows(/Run the first command\?.*1 of 3/);
    await terminal.asks();
    terminal.type("use bun");
    await terminal.shows("No: use bun");
    await terminal.shows(/Run the first command\?.*1 of 2/);
    // The first is settled while its no is being explained: the words are kept, and answer nothing else.
    await terminal.shows("Run the third command?");
    await terminal.shows("› use bun");
    terminal.type("1\r");
    await terminal.asks();
    expect(terminal.screen).toContain("Run the third command?");
    expect(terminal.screen).toContain("› draft kept: use bun1");
    terminal.type("0");
    await terminal.shows("You said once, once, reject.");
    await terminal.shows("› use bun1");
  });

  test("a plan is edited in the person's editor, shown anew, and answered", async () => {
    await using project = await tempProject({ "plan.md": "# Old\n" });
    const editor = join(project.dir, "editor.sh");
    await writeFile(editor, '#!/bin/sh\necho "the terminal is mine"\nread -r line\necho "# Plan of $line" > "$1"\n');
    await chmod(editor, 0o755);
    await using terminal = await demo({ env: { EDITOR: editor, VISUAL: "" } });
    terminal.type(`plan ${join(project.dir, "plan.md")}\r`);
    await terminal.shows("Wait for the cart");
    await terminal.asks();
    terminal.type("\u0007");
    await terminal.shows("the terminal is mine");
    // Keys are the editor's now, and a line is read as a line.
    terminal.type("Robin 123\r");
    await terminal.shows(/│ Plan of Robin 123 +│/);
    expect(terminal.screen).not.toContain("Wait for the cart");
    expect(await readFile(join(project.dir, "plan.md"), "utf8")).toBe("# Plan of Robin 123\n");
    await afterGuard();
    terminal.type("2");
    await terminal.shows('You said {"decision":"session"}.');
    terminal.type("still here");
    await terminal.shows("› still here");
  });

  deepTest("an editor that fails leaves the plan, and says why in the question", async () => {
    await using project = await tempProject({});
    await using terminal = await demo({ env: { EDITOR: "false", VISUAL: "" } });
    terminal.type(`plan ${join(project.dir, "plan.md")}\r`);
    await terminal.shows("ctrl+g edit the text");
    await terminal.asks();
    terminal.type("\u0007");
    await terminal.shows("✗ The editor (false) ended with exit code 1");
    await afterGuard();
    terminal.type("3");
    await terminal.shows("No:");
    terminal.type("smaller steps\r");
    await terminal.shows('"message":"smaller steps"');
  });

  deepTest("Ctrl+C, a resize and the last keys in the editor are the editor's", async () => {
    await using project = await tempProject({ "plan.md": "# Old\n" });
    const editor = join(project.dir, "editor.sh");
    await writeFile(editor, '#!/bin/sh\ntrap "echo interrupted" INT\necho "mine"\nread -r line\nread -r line\ntrue\n');
    await chmod(editor, 0o755);
    await using terminal = await demo({ columns: 100, env: { EDITOR: editor, VISUAL: "" } });
    terminal.type(`plan ${join(project.dir, "plan.md")}\r`);
    await terminal.shows("ctrl+g edit the text");
    await terminal.asks();
    terminal.type("\u0007");
    await terminal.shows("mine");
    const written = terminal.output.length;
    terminal.type("\u0003");
    await terminal.shows("interrupted");
    terminal.resize(60, 20);
    // One more than it reads: that one is no answer either.
    terminal.type("\r\r\r");
    await terminal.shows(() => terminal.screen.split("\n").some((line) => line.startsWith("╭") && line.length === 60));
    // Nothing asked the terminal where its cursor stands while the editor had it.
    expect(terminal.output.slice(written, terminal.output.indexOf("╭", written))).not.toContain("\u001b[6n");
    await terminal.shows(() => count(terminal.screen, "╭") === 1 && count(terminal.screen, "╰") === 1);
    await terminal.rests();
    expect(terminal.screen).toContain("g edit the text");
  });

  test("shift+tab goes through the modes that can be used, and says once why one can't", async () => {
    await using terminal = await demo({ env: { DEMO_SANDBOX: "sandbox" } });
    for (const mode of ["± acceptEdits", "≡ plan", "default", "± acceptEdits", "≡ plan", "default"]) {
      terminal.type(`${ESC}[Z`);
      await terminal.shows(`  ${mode} · sandbox · sonnet-5`);
    }
    expect(count(terminal.all, "▲ Mode auto needs a model that can be reached.")).toBe(1);
  });

  test("a mode in which nobody is asked is marked", async () => {
    await using terminal = await demo({ env: { DEMO_MODE: "bypassPermissions" } });
    expect(terminal.screen).toContain("  ▲ bypassPermissions · sonnet-5");
  });

  deepTest("growing a window that was too small shows the question again", async () => {
    await using terminal = await demo({ columns: 80, rows: 8 });
    terminal.type("script it\r");
    await terminal.shows("This window is too small for the question.");
    terminal.type("1");
    await terminal.rests();
    expect(terminal.screen).toContain("This window is too small");
    terminal.resize(80, 24);
    await terminal.shows("2 No, and say what to do instead");
    await terminal.asks();
    terminal.type("1");
    await terminal.shows("You said once.");
  });
});

describe("whether a folder is trusted", () => {
  const TITLE = "Do you trust this folder?";
  async function asked(options: Options = {}) {
    const terminal = terminalProcess(DEMO, { ...options, env: { DEMO_TRUST: "20", ...options.env } });
    await terminal.shows(TITLE);
    return terminal;
  }

  eachOrDeep(
    "key %j gives %s, and the REPL comes on a clean screen",
    1,
    [
      ["1", "trust: session"],
      [`${ESC}[A\r`, "trust: trust"],
    ],
    async (keys, answer) => {
      await using terminal = await asked();
      await afterGuard();
      terminal.type(keys);
      await terminal.shows(answer);
      await terminal.shows(IDLE);
      expect(terminal.all).not.toContain(TITLE);
      expect(count(terminal.all, "quoll 0.1.0")).toBe(1);
      terminal.type("hello\r");
      await terminal.shows("You said 5 characters");
    },
  );

  eachOrDeep(
    "%s leaves, with the terminal as it was",
    1,
    [
      ["escape", ESC],
      ["Ctrl+C", "\u0003"],
    ],
    async (_, key) => {
      await using terminal = await asked();
      await afterGuard();
      terminal.type(key);
      await terminal.shows("left before the start");
      expect(await terminal.child.exited).toBe(0);
      expect(terminal.xterm.buffer.active.type).toBe("normal");
      expect(terminal.screen).toBe("left before the start");
      const last = (on: string, off: string) => terminal.output.lastIndexOf(on) > terminal.output.lastIndexOf(off);
      expect([last("\u001b[?25h", "\u001b[?25l"), last("\u001b[?2004h", "\u001b[?2004l")]).toEqual([true, false]);
    },
  );

  test("keys typed before the question was readable are no answer, and are not lost", async () => {
    await using terminal = terminalProcess(DEMO, { env: { DEMO_TRUST: "1" } });
    terminal.type("1\r");
    await terminal.shows(TITLE);
    terminal.type("2");
    // The early key begins the wait anew when it is read, which a busy machine does late.
    await Bun.sleep(3 * GUARD_MS);
    expect(terminal.screen).toContain(TITLE);
    terminal.type("3");
    await terminal.shows("trust: no");
    // The 1 is sent, the 2 stands in the prompt.
    await terminal.shows("You said 1 characters in 1 lines.");
    await terminal.shows(/› 2\n/);
  });

  deepTest("is drawn anew in each size, all of it by scrolling", async () => {
    await using terminal = await asked();
    await afterGuard();
    for (const [columns, rows] of [
      [40, 24],
      [120, 40],
      [50, 10],
      [80, 24],
    ] as const) {
      terminal.resize(columns, rows);
      // A frame may come in pieces: what is on the screen in the end counts.
      await terminal.shows(() => {
        const isWide = terminal.screen.split("\n").some((line) => line.startsWith("╭") && line.length === columns);
        return isWide && count(terminal.screen, "╭") === 1 && count(terminal.screen, "╰") === 1;
      });
    }
    expect(terminal.screen).not.toContain("漢字-19.sh");
    terminal.type(" ");
    await terminal.shows("漢字-19.sh");
  });
});

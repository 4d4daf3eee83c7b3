import { expect, setDefaultTimeout } from "bun:test";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { EMPTY_PROMPT, terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const ESC = "\u001b";

deepTest(
  "/diff shows the session's changes and those against the last commit, side by side, and runs no program of the repository",
  async () => {
    await using here = await quollPlace({
      files: {
        "a.ts": "const one = 1;\nconst two = 2;\n",
        "other.txt": "before\n",
        ".gitattributes": "*.txt diff=evil\n",
      },
      scenario: [
        reply([toolUse("Read", { file_path: "a.ts" })]),
        reply([toolUse("Edit", { file_path: "a.ts", old_string: "one = 1", new_string: "one = 11" })]),
        reply("Done."),
      ],
    });
    const git = (...args: readonly string[]) =>
      Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: here.project.dir });
    git("add", ".");
    git("commit", "-qm", "first");
    git("config", "diff.evil.textconv", `touch ${here.project.path("ran")}; cat`);
    git("config", "diff.external", `touch ${here.project.path("ran")}; cat`);
    await Bun.write(here.project.path("other.txt"), "after\n");
    await Bun.write(here.project.path("new.md"), "fresh\n");
    await using terminal = terminalProcess([...QUOLL, "--trust", "--permission-mode", "acceptEdits"], {
      ...{ cwd: here.project.dir, columns: 130, rows: 40 },
      env: here.environmentOf({}),
    });
    await terminal.shows("? for keys");
    terminal.type("edit it\r");
    await terminal.shows("Done.");
    terminal.type("/diff\r");
    await terminal.shows("Changed in this session: 1 file +1 −1");
    await terminal.shows(/Against the last commit: 3 files \+3 −2/);
    await terminal.shows(/− before.*│.*\+ after/);
    expect(terminal.screen).toContain("+ fresh");
    terminal.type("/fresh\r");
    await terminal.shows(/^ {2}Changes · .*search/m);
    terminal.type(ESC);
    await terminal.shows(EMPTY_PROMPT);
    expect(await Bun.file(here.project.path("ran")).exists()).toBe(false);
  },
);

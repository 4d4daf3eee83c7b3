import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";
import { tmuxProcess } from "../support/tmux-process.ts";

setDefaultTimeout(60_000);

const IDLE = "? for keys";
const FILES = { "src/cart.ts": "const answer = 42;\n", "src/other.ts": "", ".gitignore": "dist\n", "dist/cart.js": "" };
const place = () => quollPlace({ files: FILES, scenario: [reply("It is 42.")] });
type Place = Awaited<ReturnType<typeof place>>;

/** The texts of the first prompt that was sent. */
const sentTexts = (here: Place) =>
  here
    .sent()[0]
    ?.messages.at(-1)
    ?.content.map(({ text }) => text) ?? [];

test("-p sends the content of a mentioned file, and says so on stderr", async () => {
  await using here = await place();
  const { code, out, err } = await here.run(["-p", "explain @src/cart.ts"]);
  expect({ code, out }).toEqual({ code: 0, out: "It is 42.\n" });
  expect(err).toContain("Attached src/cart.ts");
  expect(sentTexts(here).at(-1)).toBe("explain @src/cart.ts");
  expect(sentTexts(here).at(-2)).toContain("const answer = 42;");
});

describe("the list after @", () => {
  deepTest("offers the files that git sees; Tab takes one, and its content goes with the message", async () => {
    await using here = await place();
    await using terminal = terminalProcess([...QUOLL, "--trust"], {
      ...{ columns: 80, rows: 24, cwd: here.project.dir, env: here.environmentOf({}) },
    });
    await terminal.shows(IDLE);
    terminal.type("explain @crt");
    await terminal.shows("❯ @src/cart.ts");
    expect(terminal.screen).not.toContain("dist/");
    terminal.type("\t");
    await terminal.shows("› explain @src/cart.ts");
    terminal.type("\r");
    await terminal.shows("It is 42.");
    await terminal.shows("Attached src/cart.ts (1 line).");
    expect(sentTexts(here).at(-2)).toContain("const answer = 42;");
  });

  deepTest("follows the session into a worktree", async () => {
    await using here = await quollPlace({
      files: FILES,
      settings: { sandbox: { enabled: false } },
      scenario: [
        reply([toolUse("EnterWorktree", { name: "fix" })]),
        reply([toolUse("Write", { file_path: "made-there.txt", content: "" })]),
        reply("Moved."),
      ],
    });
    for (const words of [
      ["add", "-A"],
      ["commit", "-qm", "one"],
    ])
      Bun.spawnSync(["git", ...words], { cwd: here.project.dir, env: here.environmentOf({}) });
    const rules = ["--permission-mode", "acceptEdits", "--allowed-tools", "EnterWorktree"];
    await using terminal = terminalProcess([...QUOLL, "--trust", ...rules], {
      ...{ columns: 80, rows: 24, cwd: here.project.dir, env: here.environmentOf({}) },
    });
    await terminal.shows(IDLE);
    terminal.type("@cart");
    await terminal.shows("❯ @src/cart.ts");
    terminal.type("\u0015work in a worktree\r");
    await terminal.shows("Moved.");
    terminal.type("see @made");
    await terminal.shows("❯ @made-there.txt");
  });

  deepTest("goes on inside a folder in tmux, and leaves nothing on the screen", async () => {
    await using here = await place();
    await using terminal = await tmuxProcess([...QUOLL, "--trust"], {
      cwd: here.project.dir,
      env: here.environmentOf({}),
    });
    await terminal.shows(IDLE);
    await terminal.type("see @");
    await terminal.shows("@src/");
    await terminal.shows("@agent-Explore");
    await terminal.type("src");
    await terminal.press("Tab");
    await terminal.shows("@src/other.ts");
    await terminal.type("oth");
    await terminal.press("Tab");
    await terminal.shows("› see @src/other.ts");
    const screen = await terminal.screen();
    expect(screen.split("@src/")).toHaveLength(2);
    expect(await terminal.historySize()).toBe(0);
  });
});

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { reply, text } from "@quoll/model-twin/scenario";
import { type Palette, UNKNOWN_BACKGROUND } from "../../src/contracts/auto-palettes.ts";
import { colorCode } from "../../src/contracts/color-code.ts";
import { PALETTES } from "../../src/contracts/palettes.ts";
import { ASK_BACKGROUND } from "../../src/faces/repl/terminal/screen-theme.ts";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

const DOWN = "\u001b[B";
const WHITE = "\u001b]11;rgb:ffff/ffff/ffff\u001b\\";
const NOW_DARK = "\u001b[?997;1n";
/** A sign in the accent of a palette. */
const accent = (palette: Palette, sign: string) =>
  `\u001b[${palette.accent ? colorCode(palette.accent, 3) : ""}m${sign}`;
/** The prompt's mark. */
const UNKNOWN = accent(UNKNOWN_BACKGROUND, "›");
const DARK = accent(PALETTES.dark, "›");
const LIGHT = accent(PALETTES.light, "›");
const SEA = "\u001b[38;2;1;2;3m›";

deepTest(
  "the colours follow the background that the terminal reports; /theme shows, keeps and restores one",
  async () => {
    await using place = await quollPlace({ scenario: () => reply([text("Done.")]) });
    const config = place.home.path("own/config");
    mkdirSync(`${config}/themes`);
    writeFileSync(`${config}/themes/sea.json`, '{ "extends": "light", "accent": "#010203" }');
    writeFileSync(`${config}/themes/bad.json`, '{ "dim": "grey" }');
    const env = place.environmentOf({ env: { COLORTERM: "truecolor" } });
    const open = () => terminalProcess([...QUOLL, "--trust"], { cwd: place.project.dir, env });
    {
      await using terminal = open();
      const drawn = () => {
        const from = terminal.output.length;
        return (code: string) => terminal.shows(() => terminal.output.slice(from).includes(code));
      };
      await terminal.shows("? for keys");
      expect(terminal.output).toContain("\u001b]11;?\u001b\\");
      expect(terminal.output).toContain(UNKNOWN);
      expect(terminal.output).not.toContain(DARK);
      let since = drawn();
      terminal.type(WHITE);
      await since(LIGHT);
      since = drawn();
      terminal.type(NOW_DARK);
      await since(DARK);
      terminal.type("/theme\r");
      await terminal.shows("❯ auto");
      await terminal.shows("bad.json: dim");
      await terminal.shows(/41 − .*\n.*41 \+ /);
      await terminal.shows("a warning");
      since = drawn();
      terminal.type(DOWN.repeat(2));
      await since(accent(PALETTES.light, "❯"));
      since = drawn();
      terminal.type("\u001b");
      await since(DARK);
      terminal.type("/theme sea\r");
      await terminal.shows("The theme is sea now");
      await terminal.shows(() => terminal.output.includes(SEA));
      expect(terminal.screen).not.toContain("rgb:");
    }
    expect(JSON.parse(readFileSync(`${config}/settings.json`, "utf8")).terminal).toEqual({ theme: "sea" });
    await using terminal = open();
    await terminal.shows("? for keys");
    expect(terminal.output).toContain(SEA);
    expect(terminal.output).not.toContain(LIGHT);
  },
);

deepTest("without colours, the list of themes says the same in signs", async () => {
  await using place = await quollPlace({ scenario: () => reply([text("Done.")]) });
  const env = place.environmentOf({ env: { NO_COLOR: "1" } });
  await using terminal = terminalProcess([...QUOLL, "--trust"], { cwd: place.project.dir, env, columns: 40 });
  await terminal.shows("? for keys");
  terminal.type("/theme\r");
  await terminal.shows("❯ auto");
  for (const sign of ["−", "+", "▲ warning", "✓ passed"]) expect(terminal.screen).toContain(sign);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences.
  expect(terminal.output).not.toMatch(/\u001b\[(?:38|3[0-7]|9[0-7])[;m]/);
});

deepTest(
  "a light terminal is asked at the trust question, and remembered for the first paint of the next start",
  async () => {
    await using place = await quollPlace();
    const env = place.environmentOf({ env: { COLORTERM: "truecolor", TERM_PROGRAM: "paper" } });
    const open = () => terminalProcess([...QUOLL], { cwd: place.project.dir, env });
    const [unknownBox, lightBox] = [accent(UNKNOWN_BACKGROUND, "╭"), accent(PALETTES.light, "╭")];
    {
      await using terminal = open();
      await terminal.shows("Do you trust this folder?");
      expect(terminal.output).toContain(unknownBox);
      terminal.type(WHITE);
      await terminal.shows(() => terminal.output.includes(lightBox));
      expect(terminal.screen).toContain("❯ 3 No, continue without trust");
      await terminal.shows(() => existsSync(place.home.path("own/state/terminal-backgrounds.json")));
    }
    await using terminal = open();
    await terminal.shows("Do you trust this folder?");
    expect(terminal.output).toContain(LIGHT);
    expect(terminal.output).not.toContain(UNKNOWN);
    expect(terminal.output).not.toContain(unknownBox);
  },
);

test("a resumed conversation is printed in the colours for the background that the terminal reports", async () => {
  await using place = await quollPlace({ scenario: () => reply([text("Done.")]) });
  await place.run(["-p", "paint it"]);
  const env = place.environmentOf({ env: { COLORTERM: "truecolor", TERM_PROGRAM: "paper" } });
  let isAsked = false;
  await using terminal = terminalProcess([...QUOLL, "--trust", "-c"], {
    cwd: place.project.dir,
    env,
    onOutput(written) {
      if (isAsked || !written.includes(ASK_BACKGROUND)) return;
      isAsked = true;
      // The answer comes before xterm.js answers what it was asked in the same piece, and a key before both.
      terminal.type(`a${WHITE}b`);
    },
  });
  await terminal.shows("● Done.");
  await terminal.shows("› ab");
  expect(terminal.output).toContain(accent(PALETTES.light, "●"));
  expect(terminal.output).not.toContain(accent(UNKNOWN_BACKGROUND, "●"));
  expect(terminal.all.split("● Done.")).toHaveLength(2);
});

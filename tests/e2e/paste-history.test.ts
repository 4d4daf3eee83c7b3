import { expect, setDefaultTimeout } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const ESC = "\u001b";
const UP = `${ESC}[A`;
const LINES = "a line of the log\n".repeat(700);
const OTHER = "a line of another log\n".repeat(700);

type Place = Awaited<ReturnType<typeof quollPlace>>;

async function repl(place: Place, ...args: readonly string[]) {
  const terminal = terminalProcess([...QUOLL, "--trust", ...args], {
    ...{ columns: 80, rows: 24, cwd: place.project.dir, env: place.environmentOf({}) },
  });
  await terminal.shows("? for keys");
  return terminal;
}

const paste = (text: string) => `${ESC}[200~${text}${ESC}[201~`;
const sentTexts = (place: Place) => JSON.stringify(place.sent().at(-1)?.messages.at(-1));

deepTest(
  "pastes of more than 10,000 characters are whole again after a resume, and go with their session",
  async () => {
    await using place = await quollPlace({ scenario: (_, at) => reply(`Answer ${at}.`) });
    const id = "11111111-1111-4111-8111-111111111111";
    {
      await using terminal = await repl(place, "--session-id", id);
      terminal.type(`first ${paste(LINES)}`);
      await terminal.shows("› first [pasted 700 lines]");
      terminal.type("\r");
      await terminal.shows("Answer 0.");
      terminal.type(`second ${paste(OTHER)}`);
      await terminal.shows("› second [pasted 700 lines #2]");
      terminal.type("\r");
      await terminal.shows("Answer 1.");
    }
    {
      await using terminal = await repl(place, "--resume", id);
      terminal.type(UP);
      await terminal.shows(/› second \[pasted 700 lines/);
      terminal.type(UP);
      await terminal.shows(/› first \[pasted 700 lines/);
      terminal.type("\r");
      await terminal.shows("Answer 2.");
      expect(sentTexts(place)).toContain(JSON.stringify(`first ${LINES}`).slice(1, -1));
    }
    expect((await place.run(["sessions", "rm", id])).code).toBe(0);
    await using terminal = await repl(place);
    terminal.type(UP);
    await terminal.shows("› first [pasted 700 lines, not kept]");
  },
);

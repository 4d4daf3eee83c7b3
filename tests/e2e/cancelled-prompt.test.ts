import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { failing, fault, reply, type Scenario, text, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { eventually } from "../support/eventually.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { control, said, streamClient } from "../support/stream-client.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const IDLE = "? for keys";
const ESC = "\u001b";
const PASTE = (words: string) => `${ESC}[200~${words}${ESC}[201~`;
const BACK = "back in the editor";

type Place = Awaited<ReturnType<typeof quollPlace>>;

/** Quoll on a terminal of 80×24. */
async function onScreen(place: Place, ...options: readonly string[]) {
  const terminal = terminalProcess([...QUOLL, "--trust", ...options], {
    columns: 80,
    rows: 24,
    cwd: place.project.dir,
    env: place.environmentOf({}),
  });
  await terminal.shows(IDLE);
  return terminal;
}

const waitsFirst = (...rest: Extract<Scenario, readonly unknown[]>): Scenario => [failing(fault.silence()), ...rest];

/** The texts of the last message that was sent, without the description of the session. */
function lastTexts(place: Place): readonly string[] {
  const texts =
    place
      .sent()
      .at(-1)
      ?.messages.at(-1)
      ?.content.map((block) => block.text ?? block.type) ?? [];
  return texts.filter((words) => !words.includes("<environment>"));
}

describe("a prompt that is cancelled before its answer begins", () => {
  deepTest("returns to the editor, and the next request does not have it", async () => {
    await using place = await quollPlace({ scenario: waitsFirst(reply("Hello.")) });
    await using terminal = await onScreen(place);
    terminal.type("rm -rf everything\r");
    await terminal.shows(() => place.sent().length === 1);
    terminal.type(ESC);
    await terminal.shows(BACK);
    await terminal.shows("› rm -rf everything");
    // Ctrl+U clears the line.
    terminal.type("\u0015hello\r");
    await terminal.shows("● Hello.");
    expect(lastTexts(place)).toEqual(["hello"]);
    expect(place.refused()).toEqual([]);
  });

  deepTest("comes before the words that were typed meanwhile, with its paste folded", async () => {
    await using place = await quollPlace({ scenario: waitsFirst(reply("Hello.")) });
    await using terminal = await onScreen(place);
    const pasted = Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\n");
    terminal.type(PASTE(pasted));
    terminal.type(" explain\r");
    await terminal.shows(() => place.sent().length === 1);
    terminal.type("and more");
    await terminal.shows("› and more");
    terminal.type(ESC);
    await terminal.shows(BACK);
    await terminal.shows("[pasted 30 lines] explain");
    terminal.type("\r");
    await terminal.shows("● Hello.");
    expect(lastTexts(place)).toEqual([`${pasted} explain\nand more`]);
  });

  deepTest("returns after its request failed", async () => {
    await using place = await quollPlace({ scenario: [failing(fault.badRequest("not today")), reply("Hello.")] });
    await using terminal = await onScreen(place);
    terminal.type("first try\r");
    await terminal.shows("not today");
    await terminal.shows(BACK);
    terminal.type(" again\r");
    await terminal.shows("● Hello.");
    expect(lastTexts(place)).toEqual(["first try again"]);
  });

  test("is not part of the resumed session", async () => {
    await using place = await quollPlace({ scenario: [reply("One."), failing(fault.silence()), reply("Hello.")] });
    {
      await using terminal = await onScreen(place);
      terminal.type("first\r");
      await terminal.shows("● One.");
      await terminal.rests();
      terminal.type("rm -rf everything\r");
      await terminal.shows(() => place.sent().length === 2);
      terminal.type(ESC);
      await terminal.shows(BACK);
      terminal.type("\u0015");
      await terminal.leaves();
    }
    await using terminal = await onScreen(place, "-c");
    expect(terminal.all).not.toContain("rm -rf everything");
    terminal.type("hello\r");
    await terminal.shows("● Hello.");
    expect(JSON.stringify(place.sent().at(-1)?.messages)).not.toContain("rm -rf");
    expect(lastTexts(place)).toEqual(["hello"]);
  });

  deepTest("leaves the files known that were read before", async () => {
    const edit = toolUse("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" });
    await using place = await quollPlace({
      files: { "a.txt": "one\n" },
      scenario: [
        reply([toolUse("Read", { file_path: "a.txt" })]),
        reply("Read it."),
        failing(fault.silence()),
        reply([edit]),
        reply("Changed it."),
      ],
    });
    await using terminal = await onScreen(place, "--permission-mode", "acceptEdits");
    terminal.type("read\r");
    await terminal.shows("● Read it.");
    await terminal.rests();
    terminal.type("rm -rf everything\r");
    await terminal.shows(() => place.sent().length === 3);
    terminal.type(ESC);
    await terminal.shows(BACK);
    terminal.type("\u0015change it\r");
    await terminal.shows("● Changed it.");
    expect(await readFile(place.project.path("a.txt"), "utf8")).toBe("two\n");
  });

  deepTest("comes back as the command that the person typed", async () => {
    await using place = await quollPlace({
      scenario: waitsFirst(reply("Hello.")),
      files: { ".quoll/commands/greet.md": "Greet everybody in this project.\n" },
    });
    await using terminal = await onScreen(place);
    terminal.type("/greet\r");
    await terminal.shows(() => place.sent().length === 1);
    terminal.type(ESC);
    await terminal.shows(BACK);
    await terminal.shows("› /greet");
  });
});

test("a session that is left while the model has not answered yet keeps the prompt, and says that it was stopped", async () => {
  await using place = await quollPlace({ scenario: waitsFirst(reply("Hello.")) });
  {
    await using terminal = await onScreen(place);
    terminal.type("go on\r");
    await terminal.shows(() => place.sent().length === 1);
    terminal.type("/exit\r");
    await terminal.shows("enter again ends the turn, and leaves");
    terminal.type("\r");
    await terminal.child.exited;
  }
  await using terminal = await onScreen(place, "-c");
  terminal.type("hello\r");
  await terminal.shows("● Hello.");
  expect(lastTexts(place)).toEqual(["go on", expect.stringContaining("stopped your last turn"), "hello"]);
});

deepTest("the prompt of a -p whose request failed stays, and the next message says that its turn failed", async () => {
  await using place = await quollPlace({ scenario: [failing(fault.badRequest("not today")), reply("Hello.")] });
  expect((await place.run(["-p", "first"])).code).toBe(1);
  expect((await place.run(["-c", "-p", "hello"])).out).toBe("Hello.\n");
  expect(lastTexts(place)).toEqual(["first", expect.stringContaining("last turn failed"), "hello"]);
});

deepTest("an answer that was broken off is marked for the model", async () => {
  await using place = await quollPlace({
    scenario: [{ ...reply([text("word ".repeat(60))]), deltaChars: 5, paceMs: 20 }, reply("Hello.")],
  });
  await using terminal = await onScreen(place);
  terminal.type("go\r");
  await terminal.shows("◐ writing");
  terminal.type(ESC);
  await terminal.shows("Interrupted.");
  terminal.type("hello\r");
  await terminal.shows("● Hello.");
  expect(terminal.screen).not.toContain(BACK);
  expect(lastTexts(place)).toEqual([expect.stringContaining("stopped your last turn"), "hello"]);
});

test("an interrupt of a program keeps the prompt, and the next message says that the user stopped the turn", async () => {
  await using place = await quollPlace({ scenario: waitsFirst(reply("Hello.")) });
  await using quoll = streamClient(place);
  quoll.send(said("go on"));
  await eventually("the request", () => place.sent().length === 1);
  quoll.send(control("stop", { subtype: "interrupt" }));
  await quoll.until("the result", ({ type }) => type === "result");
  quoll.send(said("hello"));
  await eventually("the next request", () => place.sent().length === 2);
  expect(lastTexts(place)).toEqual(["go on", expect.stringContaining("stopped your last turn"), "hello"]);
});

deepTest(
  "an attached screen leaves the prompt in the conversation, and the next message says that it was stopped",
  async () => {
    await using place = await quollPlace({ scenario: waitsFirst(reply("Hello.")) });
    const { out } = await place.run(["--bg", "--trust", "go on"]);
    await eventually("the request", () => place.sent().length === 1);
    await using screen = terminalProcess([...QUOLL, "attach"], {
      columns: 80,
      rows: 24,
      cwd: place.project.dir,
      env: place.environmentOf({}),
    });
    await screen.shows("esc to interrupt");
    screen.type(ESC);
    await screen.shows("Interrupted.");
    expect(screen.screen).not.toContain(BACK);
    screen.type("hello\r");
    await screen.shows("● Hello.");
    expect(lastTexts(place)).toEqual(["go on", expect.stringContaining("stopped your last turn"), "hello"]);
    await place.run(["stop", out.split(" ")[0] ?? ""]);
  },
);

deepTest("a command that the person ran before a cancelled prompt goes with the next prompt", async () => {
  await using place = await quollPlace({ scenario: waitsFirst(reply("Hello.")) });
  await using terminal = await onScreen(place);
  terminal.type("!echo NUM-$((40+2))\r");
  await terminal.shows("NUM-42");
  await terminal.rests();
  terminal.type("rm -rf everything\r");
  await terminal.shows(() => place.sent().length === 1);
  terminal.type(ESC);
  await terminal.shows(BACK);
  terminal.type("\u0015hello\r");
  await terminal.shows("● Hello.");
  expect(lastTexts(place)).toEqual([expect.stringContaining("NUM-42"), "hello"]);
});

deepTest("a prompt that a hook refused returns to the editor", async () => {
  const block = { type: "command", command: "echo no secrets here >&2; exit 2" };
  await using place = await quollPlace({
    scenario: [reply("Hello.")],
    settings: { sandbox: { enabled: false }, hooks: { UserPromptSubmit: [{ hooks: [block] }] } },
  });
  await using terminal = await onScreen(place);
  terminal.type("my key is 123\r");
  await terminal.shows("no secrets here");
  await terminal.shows(BACK);
  await terminal.shows("› my key is 123");
  expect(place.sent()).toHaveLength(0);
});

import { expect } from "bun:test";
import { dirname, join } from "node:path";
import { reply } from "@quoll/model-twin/scenario";
import { writeLargeSession } from "../../scripts/bench/large-session.ts";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

const ID = "5000feed-0000-4000-8000-000000000000";
const PROMPT = "›";
const LETTER = "λ";
const CTRL_O = "\u000f";
const CTRL_C = "\u0003";
/** Reading it takes several times as long as drawing a letter. */
const BYTES = 40_000_000;

/** A project with a session of many turns and some compactions. */
async function placeWithSession() {
  const place = await quollPlace({ scenario: [reply("Saved."), reply("More.")] });
  await place.run(["--trust", "-p", "Begin."]);
  const [log = ""] = place
    .ownFiles()
    .flatMap(([path]) => (path?.endsWith(".jsonl") && /sessions/.test(path) ? [path] : []));
  const file = join(dirname(place.home.path(`own/${log}`)), `${ID}.jsonl`);
  const turns = writeLargeSession({ file, sessionId: ID, cwd: place.project.dir, bytes: BYTES });
  return { place, turns };
}

const resume = (place: Awaited<ReturnType<typeof placeWithSession>>["place"]) =>
  terminalProcess([...QUOLL, "--trust", "--resume", ID], { cwd: place.project.dir, env: place.environmentOf({}) });

deepTest("while a large session is read, letters are drawn at once and stay in the prompt", async () => {
  const { place, turns } = await placeWithSession();
  await using _ = place;
  await using terminal = resume(place);
  await terminal.shows(PROMPT);
  terminal.type(LETTER);
  await terminal.shows("? for keys");
  const { output } = terminal;
  // The mode is known once the session is open.
  expect(output.indexOf(LETTER)).toBeGreaterThan(0);
  expect(output.indexOf(LETTER)).toBeLessThan(output.indexOf("default"));
  await terminal.shows(`answer ${turns - 1}`);
  await terminal.shows(new RegExp(`${PROMPT} ${LETTER}`));
  expect(terminal.all).toContain("the model still has");
  terminal.type(CTRL_O);
  await terminal.shows("Transcript · end");
  terminal.type("g");
  await terminal.shows("question 0");
});

deepTest("while a large session is read, Ctrl+C ends the program", async () => {
  const { place, turns } = await placeWithSession();
  await using _ = place;
  await using terminal = resume(place);
  await terminal.shows(PROMPT);
  terminal.type(CTRL_C);
  expect(await terminal.child.exited).toBe(130);
  expect(terminal.output).not.toContain(`answer ${turns - 1}`);
});

deepTest("the model gets what follows the last compaction of a large session", async () => {
  const { place, turns } = await placeWithSession();
  await using _ = place;
  const { code, out } = await place.run(["-p", "go on", "--resume", ID]);
  expect([code, out.trim(), place.refused()]).toEqual([0, "More.", []]);
  const texts =
    place
      .sent()
      .at(-1)
      ?.messages.flatMap(({ content }) => content.map(({ text = "" }) => text)) ?? [];
  expect(texts[0]).toStartWith("Summary of the work up to turn ");
  expect(texts.filter((text) => text.startsWith("question "))).toEqual(
    Array.from({ length: 25 }, (_, at) => `question ${turns - 25 + at}`),
  );
});

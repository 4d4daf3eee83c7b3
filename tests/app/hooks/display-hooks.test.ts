import { expect, test } from "bun:test";
import { reply, type Scenario, text, toolUse } from "@quoll/model-twin/scenario";
import type { HeadlessProps } from "../../../src/faces/headless/run-headless.ts";
import { runHeadless } from "../../../src/faces/headless/run-headless.ts";
import { transcriptText } from "../../../src/faces/repl/view/transcript-text.ts";
import { reduce } from "../../../src/protocol/transcript/reduce.ts";
import { emptyTranscript, type Transcript } from "../../../src/protocol/transcript/transcript.ts";
import { deepTest } from "../../support/deep.ts";
import { countedIds } from "../../support/engine-harness.ts";
import { eventually } from "../../support/eventually.ts";
import { json, on, playing } from "../../support/hooked-session.ts";
import { programSession } from "../../support/program-session.ts";

const ANSWER = "The key is 1234.";
const SHOWN = "The key is hidden.";
const showing = (more: object = {}) =>
  on("MessageDisplay", { command: json({ hookSpecificOutput: { displayContent: SHOWN } }), ...more });

type Play = Awaited<ReturnType<typeof playing>>;

const play = (hooks: object, scenario: Scenario = () => reply(ANSWER)) => playing(hooks, {}, scenario);

/** The screen's text after each event of the session. */
function frames({ events }: Play): readonly string[] {
  let state: Transcript = emptyTranscript;
  return events.map(({ event }) => {
    state = reduce(state, event, 0);
    return transcriptText(state).join("\n");
  });
}

/** The lines on stdout of a run without a screen. */
async function printed({ session }: Play, format: HeadlessProps["format"]): Promise<string> {
  let out = "";
  await runHeadless({
    ...{
      engine: session.main.engine,
      session: programSession(session.main.engine, { agents: session.agents }),
      input: { prompt: "go" },
      format,
      verbose: false,
    },
    ...{ ids: countedIds(), err: () => undefined, init: {} },
    limits: () => ({ contextWindow: 1, maxOutputTokens: 1 }),
    out: (text) => {
      out += text;
    },
  });
  return out;
}

test("the text of a hook is shown, and the model, the report and the log keep the answer", async () => {
  await using here = await play(showing());
  const { text } = await here.say("one");
  expect(text).toBe(ANSWER);
  const seen = frames(here);
  expect(seen.join()).not.toContain("1234");
  expect(seen.at(-1)).toContain(SHOWN);
  await here.say("two");
  expect(JSON.stringify(here.here.twin.requests[1])).toContain(ANSWER);
  const { sessionId } = here.session.conversation.log;
  const [file = ""] = await Array.fromAsync(
    new Bun.Glob(`**/*${sessionId}*.jsonl`).scan({ cwd: here.here.home.dir, dot: true, absolute: true }),
  );
  const saved = await Bun.file(file).text();
  expect([saved.includes(ANSWER), saved.includes(SHOWN)]).toEqual([true, false]);
});

test("without such a hook the answer is shown while it streams", async () => {
  await using here = await play(on("Stop", { command: "true" }));
  await here.say("one");
  const complete = here.events.findIndex(({ event }) => event.type === "assistant_message");
  expect(frames(here)[complete - 1]).toContain("The key is");
});

deepTest("a run without a screen prints the text of the hook", async () => {
  await using here = await play(showing());
  expect(await printed(here, "text")).toBe(`${SHOWN}\n`);
  const lines = (await printed(here, "stream-json")).trim().split("\n");
  const [answer, result] = ["assistant", "result"].map((type) =>
    lines.map((line) => JSON.parse(line)).find((line) => line.type === type),
  );
  expect(answer.message.content).toEqual([{ type: "text", text: SHOWN }]);
  expect(result.result).toBe(SHOWN);
});

deepTest("an empty text hides the answer, and a failed hook shows it unless the hook fails closed", async () => {
  const last = async (hooks: object) => {
    await using here = await play(hooks);
    await here.say("one");
    return frames(here).at(-1);
  };
  const command = json({ hookSpecificOutput: { displayContent: "" } });
  expect(await last(on("MessageDisplay", { command }))).not.toContain("1234");
  const failed = { command: "exit 3" };
  expect(await last(on("MessageDisplay", failed))).toContain(ANSWER);
  const closed = await last(on("MessageDisplay", { ...failed, onFailure: "block" }));
  expect(closed).not.toContain("1234");
  expect(closed).toContain("exit 3");
});

/** A session whose hook does not answer, and a way to wait for the hook and interrupt it. */
async function silentHook(hook: object) {
  const here = await play(on("MessageDisplay", { command: "touch asked; exec sleep 60", ...hook }));
  const asked = () => Bun.file(here.place.path("asked"));
  const interrupt = async () => {
    await eventually("the hook runs", () => asked().exists());
    await asked().delete();
    here.session.main.engine.interrupt();
  };
  return { here, interrupt };
}

test("an interrupted answer whose hook fails closed stays hidden, after a wait of a moment", async () => {
  const { here: made, interrupt } = await silentHook({ onFailure: "block" });
  await using here = made;
  const startedAt = performance.now();
  const [{ outcome }] = await Promise.all([here.say("one"), interrupt()]);
  expect(outcome.reason).toBe("aborted");
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect(frames(here).join()).not.toContain("1234");
  expect(frames(here).at(-1)).toContain("interrupted before it answered");
  const [lines] = await Promise.all([printed(here, "stream-json"), interrupt()]);
  expect(lines).not.toContain("1234");
  const listed = await here.session.commands.run("/hooks", new AbortController().signal);
  expect(JSON.stringify(listed)).toContain("interrupted in");
});

deepTest("an interrupted answer whose hook did not answer is shown, as after a failed hook", async () => {
  const { here: made, interrupt } = await silentHook({});
  await using here = made;
  await Promise.all([here.say("one"), interrupt()]);
  expect(frames(here).at(-1)).toContain(ANSWER);
});

test("calls stand below the text before them, though they run while the hook decides about the text", async () => {
  const command = `until [ -e go ]; do sleep 0.02; done; ${json({ hookSpecificOutput: { displayContent: SHOWN } })}`;
  const steps = [reply([text(ANSWER), toolUse("Read", { file_path: "a.txt" })]), reply("Done.")];
  const read = { command: "touch go" };
  await using here = await play({ ...on("MessageDisplay", { command }), ...on("PostToolUse", read, "Read") }, steps);
  await here.say("one");
  const shown = ["assistant_message", "tool_started", "tool_finished"];
  const order: readonly string[] = here.events.map(({ event }) => event.type).filter((type) => shown.includes(type));
  const call = ["tool_started", "tool_finished"];
  expect(order).toEqual(["assistant_message", ...call, "assistant_message"]);
  const last = frames(here).at(-1) ?? "";
  expect(last.indexOf("a.txt")).toBeGreaterThan(last.indexOf(SHOWN));
});

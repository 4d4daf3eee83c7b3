import { expect, test } from "bun:test";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import type { SessionLog } from "../../src/contracts/session.ts";
import { textResult } from "../../src/contracts/tool.ts";
import { unsavedSessionLog } from "../../src/services/session/unsaved-session-log.ts";
import { engineHarness, testTool } from "../support/engine-harness.ts";

type Harness = Awaited<ReturnType<typeof engineHarness>>;

const NOTE = "Background task b1 completed with exit code 0.";
const notices = ({ events }: Harness) => events.flatMap((event) => (event.type === "notice" ? [event.message] : []));
const lastBody = ({ twin }: Harness) => JSON.stringify(twin.requests.at(-1)?.body);

/** A log in memory that takes no entry while `isFull()`. */
function fillingLog(isFull: () => boolean): SessionLog {
  const kept = unsavedSessionLog({ sessionId: "s" });
  return {
    ...kept,
    append(body, place) {
      if (isFull()) throw new Error("ENOSPC");
      return kept.append(body, place);
    },
  };
}

test("a note on background work does not outlive the conversation", async () => {
  await using h = await engineHarness({ scenario: [reply("One."), reply("Two."), reply("Three.")] });
  await h.engine.submit({ prompt: "first" });
  const here = h.engine.conversation.lastId ?? "";
  h.engine.taskNews.addNote("b1", NOTE);
  h.engine.clear();
  await h.engine.submit({ prompt: "second" });
  expect(lastBody(h)).not.toContain(NOTE);
  const there = h.engine.conversation.lastId ?? "";
  expect(there).not.toBe(here);
  await h.engine.submit({ prompt: "a dead end" });
  h.engine.taskNews.addNote("b1", NOTE);
  h.engine.moves.moveTo(there);
  await h.engine.submit({ prompt: "another way" });
  expect(lastBody(h)).not.toContain(NOTE);
});

test("notes of an input that could not be saved go with the next one", async () => {
  let isFull = true;
  await using h = await engineHarness({
    session: { log: fillingLog(() => isFull) },
    scenario: [reply("One.")],
  });
  h.engine.taskNews.addNote("b1", NOTE);
  expect((await h.engine.submit({ prompt: "first" })).outcome.reason).toBe("failed");
  isFull = false;
  await h.engine.submit({ prompt: "again" });
  expect(lastBody(h)).toContain(NOTE);
});

test("a note that could not be saved in the middle of a turn goes with the next input", async () => {
  let isFull = false;
  const look = testTool("Look", {
    run: async () => {
      h.engine.taskNews.addNote("b1", NOTE);
      return textResult("ok");
    },
  });
  await using h: Harness = await engineHarness({
    tools: [look],
    session: { log: fillingLog(() => isFull) },
    scenario: [reply([toolUse("Look", { text: "a" })]), reply("Done.")],
  });
  h.engine.subscribe(({ event }) => {
    if (event.type === "tool_results") isFull = true;
  });
  expect((await h.engine.submit({ prompt: "go" })).outcome.reason).toBe("failed");
  isFull = false;
  await h.engine.submit({ prompt: "again" });
  expect(lastBody(h)).toContain(NOTE);
});

test("the person hears of a task that ended during a turn when the turn rests, unless the model looked at it", async () => {
  const look = testTool("Look", {
    run: async () => {
      h.engine.taskNews.addNote("b1", NOTE);
      h.engine.taskNews.addNote("b2", "Background task b2 failed.");
      h.engine.taskNews.withdrawNote("b2");
      expect(notices(h)).toEqual([]);
      return textResult("ok");
    },
  });
  await using h: Harness = await engineHarness({
    tools: [look],
    scenario: [reply([toolUse("Look", { text: "a" })]), reply("Done."), reply("Again.")],
  });
  await h.engine.submit({ prompt: "go" });
  expect(notices(h)).toEqual([NOTE]);
  expect(h.types().slice(-3)).toEqual(["notice", "turn_finished", "busy_changed"]);
  await h.engine.submit({ prompt: "more" });
  expect(notices(h)).toEqual([NOTE]);
});

test("a note that replaces another one while a prompt is opened reaches the model", async () => {
  const gate = Promise.withResolvers<string>();
  const describing = Promise.withResolvers<void>();
  await using h: Harness = await engineHarness({
    scenario: [reply("One."), reply("Two.")],
    describeSession: () => {
      describing.resolve();
      return gate.promise;
    },
  });
  const { taskNews } = h.engine;
  taskNews.addModelNote("rules", "the old rules");
  const turn = h.engine.submit({ prompt: "go" });
  await describing.promise;
  taskNews.addModelNote("rules", "the new rules");
  gate.resolve("");
  await turn;
  await h.engine.submit({ prompt: "more" });
  const sent = JSON.stringify(h.twin.requests.at(-1)?.body);
  expect(sent.split("the new rules")).toHaveLength(2);
});

test("a note that replaces another note during its delivery to the running turn reaches the model", async () => {
  const look = testTool("Look", {
    run: async () => {
      h.engine.taskNews.addModelNote("rules", "the old rules");
      return textResult("ok");
    },
  });
  await using h: Harness = await engineHarness({
    tools: [look],
    scenario: [reply([toolUse("Look", { text: "a" })]), reply("Done."), reply("Again.")],
  });
  h.engine.subscribe(({ event }) => {
    if (event.type === "words_added" && event.prompt === "the old rules")
      h.engine.taskNews.addModelNote("rules", "the new rules");
  });
  await h.engine.submit({ prompt: "go" });
  await h.engine.submit({ prompt: "more" });
  expect(JSON.stringify(h.twin.requests.at(-1)?.body).split("the new rules")).toHaveLength(2);
});

import { expect, test } from "bun:test";
import { type AssistantMessage, NO_USAGE } from "../../../src/contracts/message.ts";
import type { ProviderRequest } from "../../../src/contracts/provider.ts";
import { CallMatcher } from "../../../src/services/replay/call-matcher.ts";
import { Playback } from "../../../src/services/replay/playback.ts";
import type { Step } from "../../../src/services/replay/recording.ts";

const REQUEST: ProviderRequest = { model: "m", system: "", messages: [], tools: [], maxTokens: 1 };
const message = (id: string): AssistantMessage => ({
  role: "assistant",
  id,
  model: id,
  content: [],
  stopReason: "end_turn",
  usage: NO_USAGE,
});
const answer = (id: string): Step => ({ kind: "answer", message: message(id) });
const said = (prompt: string, by: "user" | "hook" | "harness" = "user"): Step => ({ kind: "said", by, prompt });
const begun: Step = { kind: "setup", isStart: true, cwd: "/p" };

function playing(...steps: readonly Step[]) {
  const playback = new Playback(steps, new CallMatcher(steps, { unplayable: () => undefined, hide: (text) => text }));
  const ask = async () => {
    const models: string[] = [];
    try {
      for await (const event of playback.provider.stream(REQUEST, new AbortController().signal))
        if (event.type === "done") models.push(event.message.model);
    } catch (error) {
      return error instanceof Error ? error.message : "?";
    }
    return models.join();
  };
  const take = () => playback.note({ kind: "assistant", message: message("taken") });
  return { playback, ask, take };
}

const OVER = "The recorded turn has no further answer.";

test("an answer is given until it is taken into the history, then the next of the turn", async () => {
  const { playback, ask, take } = playing(said("go"), answer("one"), said("fix", "harness"), answer("two"));
  expect(playback.next()).toEqual({ kind: "input", prompt: "go" });
  expect([await ask(), await ask(), playback.left]).toEqual(["one", "one", 2]);
  take();
  expect([await ask(), playback.left]).toEqual(["two", 1]);
  take();
  expect([await ask(), playback.left, playback.next()]).toEqual([OVER, 0, undefined]);
});

test("no answer of another turn is given: not past somebody's words, a hook's, or the end of the process", async () => {
  for (const border of [said("more"), said("on", "hook"), begun]) {
    const { playback, ask, take } = playing(said("go"), answer("one"), border, answer("two"));
    playback.next();
    take();
    expect(await ask()).toBe(OVER);
    const move = playback.next();
    if (move?.kind === "setup") expect(playback.next()).toEqual({ kind: "input", prompt: "Go on." });
    else expect(move).toEqual({ kind: "input", prompt: border.kind === "said" ? border.prompt : "" });
    expect(await ask()).toBe("two");
  }
});

test("where the engine stops before the recording, it is sent on; words without an answer are passed over", () => {
  const { playback, take } = playing(begun, said("lost"), said("go"), answer("one"), answer("two"), said("last"));
  expect(playback.next()).toMatchObject({ kind: "setup" });
  expect(playback.next()).toEqual({ kind: "input", prompt: "go" });
  take();
  expect(playback.next()).toEqual({ kind: "input", prompt: "Go on." });
  take();
  expect(playback.next()).toBeUndefined();
});

test("an abort ends a request at once", async () => {
  const { playback } = playing(answer("one"));
  const events = playback.provider.stream(REQUEST, AbortSignal.abort(new Error("stop")));
  expect(await Array.fromAsync(events).catch((error: Error) => error.message)).toBe("stop");
});

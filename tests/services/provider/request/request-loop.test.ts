import { describe, expect, test } from "bun:test";
import { ProviderError } from "../../../../src/contracts/errors.ts";
import type { ProviderEvent } from "../../../../src/contracts/provider.ts";
import {
  BrokenStreamError,
  HttpError,
  RequestFailedError,
} from "../../../../src/services/provider/request/broken-stream.ts";
import { tryUntilAnswered } from "../../../../src/services/provider/request/request-loop.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import { reading, throughTime } from "../anthropic/support.ts";

const DONE: ProviderEvent = {
  type: "done",
  message: {
    role: "assistant",
    model: "m",
    content: [],
    stopReason: "end_turn",
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  },
};
const http = (status: number, message = "No.", headers: Record<string, string> = {}) =>
  new RequestFailedError(new HttpError(status, { error: { message } }, new Headers(headers)));

/** Tries that end one after another as given: an error, or an answer. @returns what happened, and how many tries there were. */
async function tried(outcomes: readonly (Error | "answer")[], maxOverloads?: number) {
  const clock = fakeClock();
  let tries = 0;
  async function* attempt(): AsyncGenerator<ProviderEvent, void> {
    const outcome = outcomes[Math.min(tries, outcomes.length - 1)]!;
    tries += 1;
    if (outcome !== "answer") throw outcome;
    yield DONE;
  }
  const failureContext = () => ({
    model: "m",
    host: "api.example.com",
    endpoint: "https://api.example.com/v1/chat",
    api: "API",
    addressFrom: "X_BASE_URL",
    keyVariable: "X_API_KEY",
    secrets: [],
    nowMs: clock.now(),
  });
  const loop = tryUntilAnswered(
    { attempt, failureContext, clock, random: () => 0.5, maxOverloads },
    new AbortController().signal,
  );
  const read = reading(loop);
  const error = await throughTime(read, clock);
  return { events: read.events, error, tries };
}

describe("an overloaded server", () => {
  test("is left after as many times in a row as were asked for", async () => {
    const { error, tries } = await tried([http(529)], 3);
    expect(tries).toBe(3);
    expect(error).toBeInstanceOf(ProviderError);
    expect(error).toMatchObject({ kind: "overloaded", status: 529 });
    expect((error as Error).message).toBe("api.example.com is overloaded (529): No. This happened 3 times in a row.");
  });

  test("that fails otherwise in between is counted anew", async () => {
    const { tries, error } = await tried([http(529), http(529), http(500), http(529), http(529), "answer"], 3);
    expect([tries, error]).toEqual([6, undefined]);
  });

  test("is recognised by its text if a vendor sends another status", async () => {
    const { tries, error } = await tried([http(503, "The model is overloaded. Please try again later.")], 2);
    expect(tries).toBe(2);
    expect(error).toMatchObject({ kind: "overloaded", status: 503 });
  });

  test("by an event in the stream counts as well", async () => {
    const { tries, error } = await tried([new BrokenStreamError("Overloaded", "overloaded_error")], 1);
    expect(tries).toBe(1);
    expect(error).toMatchObject({ kind: "overloaded", status: 529 });
  });

  test("is asked ten times where no number was given", async () => {
    const { tries, error } = await tried([http(529)]);
    expect(tries).toBe(10);
    expect(error).toMatchObject({ kind: "overloaded" });
  });
});

test.each([
  ["429 that asks for more than a minute", [http(429, "Slow.", { "retry-after": "61" })], "overloaded", 1],
  ["503 that asks for more than a minute", [http(503, "Later.", { "retry-after": "600" })], "overloaded", 1],
  ["429 ten times", [http(429)], "overloaded", 10],
  ["500 ten times", [http(500)], "overloaded", 10],
  ["a broken stream ten times", [new BrokenStreamError("Cut.")], "other", 10],
  ["400", [http(400)], "other", 1],
  ["no credit", [http(429, "You exceeded your current quota, check your billing.")], "other", 1],
  ["a prompt that is too long", [http(400, "prompt is too long: 9 tokens > 8 maximum")], "too_long", 1],
  ["413", [http(413)], "too_long", 1],
  [
    "a 500 of a local server that means the same",
    [http(500, "the request exceeds the available context size")],
    "too_long",
    1,
  ],
  ["a picture that is too large", [http(400, "image exceeds 5 MB maximum: 6 MB")], "image_too_large", 1],
] as const)("%s is an error of the kind that says what can be done", async (_name, outcomes, kind, expected) => {
  const { tries, error } = await tried(outcomes);
  expect([tries, (error as ProviderError).kind]).toEqual([expected, kind]);
});

test("an error of our own code is thrown unchanged", async () => {
  const bug = new TypeError("x is not a function");
  expect(await tried([bug])).toEqual({ events: [], error: bug, tries: 1 });
});

import { expect, test } from "bun:test";
import { deepTest } from "../../../tests/support/deep.ts";
import { failing, fault, reply, text, toolUse } from "../src/scenario.ts";
import { startTwin } from "../src/server.ts";
import { ask, body, errorMessage, HEADERS, post, READ_TOOL } from "./support/ask.ts";

const COUNT = { path: "/v1/messages/count_tokens" };

test("every request is recorded as it came, rejected ones too", async () => {
  await using twin = await startTwin({ scenario: [reply("Hi.")] });
  const content = body();
  await ask(twin, content);
  await ask(twin, { ...content, max_tokens: 0 });
  await ask(twin, body({ max_tokens: undefined }), COUNT);
  await twin.answered(2);

  const seen = twin.requests.map(({ index, method, path, status, rejected }) => ({
    index,
    method,
    path,
    status,
    rejected,
  }));
  expect(seen).toEqual([
    { index: 0, method: "POST", path: "/v1/messages", status: 200, rejected: [] },
    {
      index: 1,
      method: "POST",
      path: "/v1/messages",
      status: 400,
      rejected: ["max_tokens: must be at least 1, not 0"],
    },
    { index: 2, method: "POST", path: "/v1/messages/count_tokens", status: 200, rejected: [] },
  ]);
  expect(twin.requests[0]).toMatchObject({ body: content, bodyText: JSON.stringify(content), headers: HEADERS });
  const times = twin.requests.flatMap(({ receivedAtMs, endedAtMs }) => [receivedAtMs, endedAtMs!]);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test("the nth request can be awaited before and after it comes", async () => {
  await using twin = await startTwin({ scenario: () => reply("Hi.") });
  const second = twin.request(1);
  await ask(twin, body({ max_tokens: 1 }));
  await ask(twin, body({ max_tokens: 2 }));

  expect(await second).toBe(twin.requests[1]!);
  expect((await twin.request(0)).body).toMatchObject({ max_tokens: 1 });
  expect((await twin.answered(1)).endedAtMs).toBeNumber();
});

test("a listener gets each request until it is removed", async () => {
  await using twin = await startTwin({ scenario: () => reply("Hi.") });
  const heard: number[] = [];
  const stop = twin.onRequest(({ index }) => heard.push(index));
  await ask(twin, body());
  await ask(twin, body({ max_tokens: 0 }));
  stop();
  await ask(twin, body());

  expect(heard).toEqual([0, 1]);
});

test("a scenario function sees the request and its turn, and may wait for what the test does next", async () => {
  const gate = Promise.withResolvers<void>();
  await using twin = await startTwin({
    scenario: async ({ body: content }, index) => {
      await gate.promise;
      return reply(`${index}: ${(content as { model: string }).model}`);
    },
  });
  const answer = ask(twin, body());
  expect((await twin.request(0)).endedAtMs).toBeUndefined();
  gate.resolve();

  expect((await answer).json).toMatchObject({ content: [{ text: "0: claude-test" }] });
  expect((await ask(twin, body())).json).toMatchObject({ content: [{ text: "1: claude-test" }] });
});

test("an error of a scenario function is sent to the client, and the twin keeps running", async () => {
  await using twin = await startTwin({
    scenario: (_request, index) => {
      if (index === 0) throw new Error("no idea");
      return reply("Hi.");
    },
  });
  const answer = await ask(twin, body());

  expect(answer.status).toBe(500);
  expect(errorMessage(answer)).toBe("model-twin: the scenario function failed: no idea");
  expect((await ask(twin, body())).status).toBe(200);
});

test("closing ends every connection at once and frees the port", async () => {
  const twin = await startTwin({ scenario: () => failing(fault.silence()) });
  const outcomes = [0, 1, 2].map(() =>
    post(twin, body()).then(
      () => "answered",
      () => "broken",
    ),
  );
  await twin.request(2);
  await twin.close();

  expect(await Promise.all(outcomes)).toEqual(["broken", "broken", "broken"]);
  const port = Number(new URL(twin.url).port);
  await using next = await startTwin({ scenario: [reply("Hi.")], port });
  expect(next.url).toBe(twin.url);
  await twin.close();
});

test("a caller that waits for a request learns that the twin was closed", async () => {
  const twin = await startTwin({ scenario: [] });
  const waiting = twin.request(0);
  await twin.close();

  await expect(waiting).rejects.toThrow("The twin was closed before request 0 came or ended; it had 0.");
  await expect(twin.answered(3)).rejects.toThrow("closed before request 3");
});

test("a taken port rejects the start instead of emitting an unheard event", async () => {
  await using twin = await startTwin({ scenario: [] });

  await expect(startTwin({ scenario: [], port: Number(new URL(twin.url).port) })).rejects.toThrow(/EADDRINUSE|in use/);
});

test("a client that disconnects during a paced stream ends only its own answer", async () => {
  await using twin = await startTwin({
    scenario: [reply("x".repeat(1000), { deltaChars: 1, paceMs: 50 }), reply("Next.")],
  });
  const leaving = new AbortController();
  const response = await post(twin, body({ stream: true }), { signal: leaving.signal });
  const reader = response.body!.getReader();
  await reader.read();
  leaving.abort();
  await reader.read().catch(() => {});

  const { receivedAtMs, endedAtMs } = await twin.answered(0);
  expect(endedAtMs! - receivedAtMs).toBeLessThan(5000);
  expect((await ask(twin, body())).status).toBe(200);
});

deepTest("a client that reads slowly slows the twin down, and gets everything", async () => {
  const long = "Zeile für Zeile. ".repeat(200_000);
  await using twin = await startTwin({ scenario: [reply(long, { deltaChars: 4096 })] });
  const response = await post(twin, body({ stream: true }));
  const events = (await response.text()).split("\n").filter((line) => line.startsWith("data: "));
  const words = events.map((line) => (JSON.parse(line.slice(6)) as { delta?: { text?: string } }).delta?.text ?? "");

  expect(words.join("")).toBe(long);
});

test("a looped scenario begins anew, and its own call ids stay unique", async () => {
  await using twin = await startTwin({
    scenario: [reply([text("Look."), toolUse("Read", {}, "toolu_a")]), reply("Done.")],
    loop: true,
  });
  const ids: unknown[] = [];
  for (let round = 0; round < 4; round += 1) {
    const { content } = (await ask(twin, body({ tools: [READ_TOOL] }))).json as { content: { id?: string }[] };
    ids.push(content.at(-1)!.id);
  }

  expect(ids).toEqual(["toolu_a", undefined, "toolu_a_r1", undefined]);
});

test("old bodies are let go when only some are kept", async () => {
  await using twin = await startTwin({ scenario: () => reply("Hi."), keptBodies: 2 });
  for (let index = 0; index < 3; index += 1) await ask(twin, body());

  expect(twin.requests.map((request) => request.body === undefined)).toEqual([true, false, false]);
  expect(twin.requests.map(({ bodyText }) => bodyText === "")).toEqual([true, false, false]);
});

test("many requests at once each get their own reply", async () => {
  await using twin = await startTwin({ scenario: (_request, index) => reply(`${index}`, { cutBytes: [7] }) });
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(twin, body())));
  const texts = answers.map(({ json }) => (json as { content: { text: string }[] }).content[0]!.text);

  expect(texts.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index));
});

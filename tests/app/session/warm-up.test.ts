import { expect, test } from "bun:test";
import { WarmUp } from "../../../src/app/session/warm-up.ts";
import { ModelTools } from "../../../src/engine/model-tools.ts";
import { toolRegistry } from "../../../src/services/inventory/create-registry.ts";
import { testTool } from "../../support/engine-harness.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const ALL = ["Bash", "questions", "redactor", "sandbox", "checkpoints"];

/** A warm-up whose parts note that they are loaded, and a server whose answers begin when the test says so. */
function warmUp() {
  const loaded: string[] = [];
  const gate = Promise.withResolvers<void>();
  const answer = async (request: Request) => {
    if (new URL(request.url).pathname === "/slow") await gate.promise;
    return new Response("answer");
  };
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
  const clock = fakeClock();
  const warm = new WarmUp(clock);
  const bash = { ...testTool("Bash"), load: async () => void loaded.push("Bash") };
  const redact = (text: string) => {
    loaded.push("redactor");
    return text;
  };
  const redactor = async () => ({ redact, restore: async (text: string) => text, placeholdersIn: () => [] });
  const sandbox = { prepare: async () => void loaded.push("sandbox") };
  const prepareCheckpoints = async () => void loaded.push("checkpoints");
  const questions = async () => loaded.push("questions");
  warm.prepare({ registry: new ModelTools(toolRegistry([bash])), questions, redactor, sandbox, prepareCheckpoints });
  const fetch = (path: string) => warm.fetch(new URL(path, server.url));
  const end = async () => {
    gate.resolve();
    await server.stop(true);
  };
  return { warm, fetch, clock, loaded, gate, [Symbol.asyncDispose]: end };
}

test("parts are loaded one after the other while an answer is awaited", async () => {
  await using one = warmUp();
  const answer = one.fetch("/slow");
  await one.clock.advance(9);
  expect(one.loaded).toEqual([]);
  await one.clock.advance(1);
  expect(one.loaded).toEqual(["Bash"]);
  for (let turn = 0; turn < 5; turn += 1) await one.clock.advance(0);
  expect(one.loaded).toEqual(ALL);
  one.gate.resolve();
  await answer;
});

test("nothing is loaded while an answer is read and its calls run", async () => {
  await using one = warmUp();
  await one.fetch("/");
  await one.clock.advance(100);
  expect(one.loaded).toEqual([]);
  await one.fetch("/");
  await one.clock.advance(100);
  expect(one.loaded).toEqual([]);
  const answer = one.fetch("/slow");
  await one.clock.advance(0);
  await one.clock.advance(10);
  expect(one.loaded).toEqual(["Bash"]);
  one.gate.resolve();
  await answer;
  await one.clock.advance(0);
  expect(one.loaded).toEqual(["Bash"]);
});

test("behind fast answers everything is loaded in the end, and nothing after the session was closed", async () => {
  await using one = warmUp();
  await one.fetch("/");
  await one.clock.advance(10);
  await one.clock.advance(240);
  for (let turn = 0; turn < 6; turn += 1) await one.clock.advance(10);
  expect(one.loaded).toEqual(ALL);
  await using other = warmUp();
  await other.fetch("/");
  other.warm.stop();
  await other.clock.advance(1_000);
  expect(other.loaded).toEqual([]);
  expect(other.clock.sleeping).toBe(0);
});

test("the code can be loaded before the first request, and what starts programs waits for the request", async () => {
  await using one = warmUp();
  one.warm.begin();
  one.warm.begin();
  for (let turn = 0; turn < 5; turn += 1) await one.clock.advance(0);
  expect([one.loaded, one.clock.sleeping]).toEqual([["Bash", "questions", "redactor"], 0]);

  const answer = one.fetch("/slow");
  await one.clock.advance(10);
  await one.clock.advance(0);
  expect(one.loaded).toEqual(ALL);
  one.gate.resolve();
  await answer;
  one.warm.begin();
  await one.clock.advance(1_000);
  expect(one.loaded).toEqual(ALL);
});

test("a request in the middle of the loading is connected first, and its answer is read first", async () => {
  await using one = warmUp();
  one.warm.begin();
  await one.clock.advance(0);
  expect(one.loaded).toEqual(["Bash"]);
  await one.fetch("/");
  await one.clock.advance(0);
  const before = [...one.loaded];
  await one.clock.advance(100);
  expect(one.loaded).toEqual(before);
  const answer = one.fetch("/slow");
  await one.clock.advance(0);
  for (let turn = 0; turn < 5; turn += 1) await one.clock.advance(10);
  expect(one.loaded).toEqual(ALL);
  one.gate.resolve();
  await answer;
});

test("a closed session loads nothing more of what was begun", async () => {
  await using one = warmUp();
  one.warm.begin();
  await one.clock.advance(0);
  one.warm.stop();
  await one.clock.advance(1_000);
  expect([one.loaded, one.clock.sleeping]).toEqual([["Bash"], 0]);
});

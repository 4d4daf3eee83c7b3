import { expect, test } from "bun:test";
import type { CommandResult } from "../../src/contracts/command-result.ts";
import type { EventEnvelope } from "../../src/contracts/event.ts";
import type { ProgramEvent } from "../../src/protocol/session-port.ts";
import { until } from "../support/engine-harness.ts";
import { programSession } from "../support/program-session.ts";
import { type Script, scriptedEngine } from "../support/scripted-engine.ts";

const COMMANDS: Readonly<Record<string, (signal: AbortSignal) => Promise<CommandResult>>> = {
  "/text": async () => ({ kind: "text", lines: ["two", "lines"] }),
  "/prompt": async () => ({ kind: "prompt", prompt: "the command's text" }),
  "/fails": () => Promise.reject(new Error("no such thing")),
  "/works": async () => ({
    kind: "operation",
    title: "Working",
    run: (report, signal) => {
      report({ text: "half" });
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  }),
};

function program(script: Script = async () => undefined) {
  const scripted = scriptedEngine({ script });
  const session = programSession(scripted.engine, {
    commands: { run: (text, signal) => COMMANDS[text]?.(signal) },
  });
  const told: ProgramEvent[] = [];
  session.subscribe((event) => void told.push(event));
  const ask = (id: string, prompt: string, mayBeCommand = true) =>
    session.send({ type: "ask", id, input: { prompt }, when: "next", mayBeCommand });
  const steps = () =>
    told.flatMap((event) => {
      if (event.type === "begun") return [`${event.id} begun`];
      if (event.type === "answered") return [`${event.id} ${event.report.outcome.reason}`];
      return [];
    });
  const answer = (id: string) => told.find((event) => event.type === "answered" && event.id === id);
  return { ...scripted, session, told, ask, steps, answer };
}

test("inputs of a program begin one after another, each after the answer to the one before", async () => {
  const { ask, steps, prompts } = program();
  for (const id of ["a", "b", "c"]) ask(id, `prompt ${id}`);
  expect(steps()).toEqual(["a begun"]);
  await until(() => steps().length === 6);
  expect(steps()).toEqual(["a begun", "a completed", "b begun", "b completed", "c begun", "c completed"]);
  expect(prompts).toEqual(["prompt a", "prompt b", "prompt c"]);
});

test("a withdrawn input never begins, and its receipt has the id that the program chose", async () => {
  const { ask, session, steps, told } = program();
  ask("a", "one");
  ask("b", "two");
  session.send({ type: "withdraw", id: "b" });
  await until(() => steps().length === 2);
  expect(steps()).toEqual(["a begun", "a completed"]);
  const receipts = told.flatMap((one) => (one.type === "engine" && "receipt" in one.event ? [one.event.receipt] : []));
  expect(receipts.flatMap(({ id, state }) => (id === "b" ? [state] : []))).toEqual(["queued", "cancelled"]);
});

test("a slash command is answered without a turn, a failed one too, and its prompt begins a turn", async () => {
  const { ask, answer, steps, prompts } = program();
  ask("text", "/text");
  ask("fails", "/fails");
  ask("prompt", "/prompt");
  await until(() => steps().length === 6);
  expect(answer("text")).toMatchObject({ report: { text: "two\nlines", steps: 0, outcome: { reason: "completed" } } });
  expect(answer("fails")).toMatchObject({ report: { outcome: { reason: "failed", message: "no such thing" } } });
  expect(prompts).toEqual(["the command's text"]);
});

test("a text that may be no command goes to the model", async () => {
  const { ask, steps, prompts } = program();
  ask("a", "/text", false);
  await until(() => steps().length === 2);
  expect(prompts).toEqual(["/text"]);
});

test("an interrupt ends the running command, and the next input begins", async () => {
  const { ask, session, steps, told } = program();
  ask("a", "/works");
  ask("b", "after");
  await until(() => told.some((event) => event.type === "operation" && event.progress?.text === "half"));
  session.send({ type: "interrupt" });
  await until(() => steps().length === 4);
  expect(steps()).toEqual(["a begun", "a aborted", "b begun", "b completed"]);
});

test("an input that can't begin is answered with the fault", async () => {
  const { engine } = scriptedEngine({ script: async () => undefined });
  const session = programSession({ ...engine, submit: () => Promise.reject(new Error("closed")) });
  const answered = new Promise((resolve) => {
    session.subscribe((event) => event.type === "answered" && resolve(event.report.outcome));
  });
  session.send({ type: "ask", id: "a", input: { prompt: "one" }, when: "next", mayBeCommand: false });
  expect(await answered).toEqual({ reason: "failed", message: "closed" });
});

test("a program gets the events of every agent, each with its agent, until it leaves", () => {
  const { engine } = scriptedEngine({ script: async () => undefined });
  const readers = new Set<(envelope: EventEnvelope) => void>();
  const session = programSession(engine, {
    agents: {
      subscribe(reader) {
        readers.add(reader);
        return () => readers.delete(reader);
      },
    },
  });
  const told: ProgramEvent[] = [];
  const leave = session.subscribe((event) => void told.push(event));
  const child = { sessionId: "s", agentId: "a1", parentAgentId: "main", parentToolUseId: "call-1" };
  for (const reader of readers) reader({ ...child, event: { type: "notice", message: "hi" } });
  expect(told).toEqual([{ type: "engine", ...child, event: { type: "notice", message: "hi" } }]);
  leave();
  expect(readers.size).toBe(0);
});

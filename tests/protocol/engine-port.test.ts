import { expect, test } from "bun:test";
import { SlashCommands } from "../../src/protocol/commands/slash-commands.ts";
import { EnginePort, enterMode } from "../../src/protocol/engine-port.ts";
import type { SessionEvent } from "../../src/protocol/session-port.ts";
import { commandRegistry } from "../../src/services/inventory/create-registry.ts";
import { until } from "../support/engine-harness.ts";
import { scriptedEngine } from "../support/scripted-engine.ts";

const MODES = ["default", "acceptEdits", "plan", "auto"] as const;
const script = async () => undefined;

function entered(wanted: (typeof MODES)[number], unusable: Partial<Record<(typeof MODES)[number], string>>) {
  const { engine } = scriptedEngine({ script, state: { mode: "plan" }, unusable });
  const obstacles = enterMode(engine, MODES, wanted);
  return { mode: engine.state.mode, obstacles };
}

test("the wanted mode is entered where it can be", () => {
  expect(entered("auto", {})).toEqual({ mode: "auto", obstacles: [] });
});

test("a mode that can't be used is passed by, and the person is told why", () => {
  expect(entered("auto", { auto: "no model" })).toEqual({ mode: "default", obstacles: ["no model"] });
  expect(entered("auto", { auto: "no model", default: "policy" })).toEqual({
    mode: "acceptEdits",
    obstacles: ["no model", "policy"],
  });
});

test("where no other can be used, the mode stays as it is", () => {
  const unusable = { auto: "a", default: "b", acceptEdits: "c" };
  expect(entered("auto", unusable)).toEqual({ mode: "plan", obstacles: ["a", "b", "c"] });
});

test("a bug in Quoll is not ignored", () => {
  const { engine } = scriptedEngine({ script });
  const broken = {
    ...engine,
    setMode() {
      throw new TypeError("x");
    },
  };
  expect(() => enterMode(broken, MODES, "auto")).toThrow(TypeError);
});

test("a port takes one screen at a time", () => {
  const { engine } = scriptedEngine({ script: async () => {} });
  const commands = new SlashCommands(commandRegistry([]), "full", {} as never);
  const port = new EnginePort({ session: { engine }, screen: {}, commands, failed: () => {} });
  const end = port.subscribe(() => {});
  expect(() => port.subscribe(() => {})).toThrow("another port");
  end();
  port.subscribe(() => {})();
});

/** Two screens on one engine, whose turn runs until `free` is called. */
function twoScreens() {
  const gate = Promise.withResolvers<void>();
  const { engine } = scriptedEngine({ script: () => gate.promise, shell: async () => undefined });
  const commands = new SlashCommands(commandRegistry([]), "full", {} as never);
  const failed = (error: unknown) => {
    throw error;
  };
  const screens = ["a", "b"].map(() => {
    const port = new EnginePort({ session: { engine }, screen: {}, commands, failed });
    const events: SessionEvent[] = [];
    port.subscribe((event) => void events.push(event));
    const receipts = () =>
      events.flatMap((event) =>
        event.type === "engine" && event.event.type === "input_receipt"
          ? [`${event.event.receipt.prompt} ${event.event.receipt.state}`]
          : [],
      );
    return { port, receipts };
  });
  const [one, other] = screens as [(typeof screens)[0], (typeof screens)[0]];
  return { engine, one, other, free: gate.resolve };
}

test("the inputs of all screens wait in one queue, and each screen gets every receipt", async () => {
  const { engine, one, other, free } = twoScreens();
  one.port.send({ type: "submit", input: { prompt: "first" } });
  one.port.send({ type: "shell", command: "ls" });
  other.port.send({ type: "submit", input: { prompt: "second" } });
  expect(engine.state.queue).toMatchObject([
    { prompt: "second", when: "steer" },
    { prompt: "!ls", when: "shell" },
  ]);
  one.port.send({ type: "withdraw", id: engine.state.queue[0]?.id ?? "" });
  free();
  await until(() => one.receipts().includes("!ls taken"));
  const receipts = ["!ls queued", "second queued", "second edited", "!ls taken"];
  expect([one.receipts(), other.receipts()]).toEqual([receipts, receipts]);
});

test("a prompt that waits for tools begins when a screen says so, and only once", async () => {
  const { engine, one, other, free } = twoScreens();
  free();
  one.port.send({ type: "enqueue", prompt: "early", when: "early" });
  expect(engine.state.busy).toBe(false);
  other.port.send({ type: "start_queued" });
  one.port.send({ type: "start_queued" });
  await until(() => !engine.state.busy);
  expect(one.receipts()).toEqual(["early queued", "early taken", "early sent"]);
});

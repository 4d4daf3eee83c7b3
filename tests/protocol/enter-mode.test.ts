import { expect, test } from "bun:test";
import { enterMode } from "../../src/protocol/enter-mode.ts";
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

test("one that can't be used is passed by, and it is said why", () => {
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

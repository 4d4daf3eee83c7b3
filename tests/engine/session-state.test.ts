import { expect, test } from "bun:test";
import { SessionState } from "../../src/engine/session-state.ts";
import { offlineProvider } from "../../src/services/provider/offline/offline-provider.ts";

const model = { provider: offlineProvider({ fails: false }), model: "offline" };

function stateIn(workspace = { cwd: "/w" }) {
  return new SessionState({ mode: "default", model, workspace });
}

test("a state tells each change once, and nothing after the subscription has ended", () => {
  const state = stateIn();
  const told: string[] = [];
  const end = state.onChanged((change) => told.push(change));
  state.mode = "acceptEdits";
  state.model = { ...model, model: "another" };
  state.effort = "low";
  state.thinking = 1_000;
  state.addPrompt("one", "m1");
  end();
  state.effort = undefined;
  expect(told).toEqual(["mode", "model", "effort", "thinking", "prompts"]);
  const { mode, effort, thinking, prompts } = state;
  expect({ mode, effort, thinking, prompts }).toEqual({
    ...{ mode: "acceptEdits", effort: undefined, thinking: 1_000 },
    prompts: ["one"],
  });
});

test("the mode before plan mode is the last other one, however plan mode began", () => {
  const state = stateIn();
  expect(state.modeBeforePlan).toBe("default");
  state.mode = "acceptEdits";
  state.mode = "plan";
  state.mode = "plan";
  expect(state.modeBeforePlan).toBe("acceptEdits");
});

test("prompts are forgotten with their messages, and the oldest beyond twenty", () => {
  const state = stateIn();
  for (let n = 1; n <= 25; n += 1) state.addPrompt(`${n}`, `m${n}`);
  expect(state.prompts).toHaveLength(20);
  expect(state.prompts[0]).toBe("6");
  state.keepPrompts((id) => id === "m24" || id === "m1");
  expect(state.prompts).toEqual(["24"]);
});

test("the working folder is the workspace's, also after a move", () => {
  const workspace = { cwd: "/w" };
  const state = stateIn(workspace);
  workspace.cwd = "/w/sub";
  expect(state.cwd).toBe("/w/sub");
});

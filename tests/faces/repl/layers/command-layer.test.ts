import { describe, expect, test } from "bun:test";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { openLayers } from "../../../../src/faces/repl/layers/layer-stack.ts";
import { HOLD_MS } from "../../../../src/faces/repl/layers/question.ts";
import type { Ui, UiContext } from "../../../../src/faces/repl/layers/ui-state.ts";
import { ReplState } from "../../../../src/faces/repl/repl-state.ts";
import { FramePacer } from "../../../../src/faces/repl/terminal/frame-pacer.ts";
import type { SessionEvent } from "../../../../src/protocol/session-port.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import { noColors } from "../../../support/no-colors.ts";
import { pressKeys } from "../../../support/press-keys.ts";

const START_MS = 10_000;

/** A screen's state with a draft that was typed just now, before a command's layer opens. */
async function stage() {
  const clock = fakeClock();
  await clock.advance(START_MS);
  const pacer = new FramePacer(clock, new AbortController().signal, () => undefined);
  const info = { version: "", cwd: "", branch: () => undefined, notices: [] };
  const state = new ReplState({ clock, info }, pacer, noColors());
  const context = (): UiContext => ({
    isBusy: false,
    isStopping: false,
    nowMs: clock.monotonicMs(),
    columns: 40,
    commands: [],
    mode: "default",
    modes: ["default"],
    preview: { from: 0, maxScroll: 0, rows: 6, anchors: [], isReadable: true, isSeen: true },
    canEdit: false,
    questionCount: 0,
    keymap: DEFAULT_KEYMAP,
  });
  const press = (...keys: readonly string[]) => {
    const { ui, effects } = pressKeys(state.ui, context(), ...keys);
    state.ui = ui;
    return effects;
  };
  return { clock, state, press, context };
}

const choices = ["No", "Yes"].map((label) => ({ label, detail: "dream undo", input: `/dream ${label}` }));
const yesNo: SessionEvent = { type: "choose", list: { title: "Change the notes?", choices, isYesNo: true } };
const OPENED: readonly (readonly [string, Parameters<ReplState["show"]>[0], keyof Ui])[] = [
  ["a list", yesNo, "picker"],
  [
    "a list of parts to mark",
    { type: "mark", list: { title: "t", lines: [], rows: [], input: "/x", accepts: "goes" } },
    "marking",
  ],
  ["a form", { type: "field", title: "Key", isShown: false }, "hidden"],
  ["a text", { type: "view", title: "t", lines: ["a", "b"] }, "view"],
];

describe.each(OPENED)("%s that opens while a person types", (_, event, key) => {
  test("leaves the keys to the draft until the person pauses", async () => {
    const { clock, state, press } = await stage();
    press("run the tests");
    state.show(event);
    await clock.advance(HOLD_MS - 1);
    press(" now");
    await clock.advance(HOLD_MS - 1);
    expect(press("!", "\r")).toMatchObject([{ type: "submit", text: "run the tests now!" }]);
    expect(state.ui[key]).toBeDefined();
  });

  test("takes the keys after the pause and keeps the draft", async () => {
    const { clock, state, press, context } = await stage();
    press("run the tests");
    state.show(event);
    expect(openLayers(state.ui, context())[0]?.place).toBe("above");
    await clock.advance(HOLD_MS);
    expect(openLayers(state.ui, context())[0]?.place).toBe("whole");
    press("\u001b");
    expect([state.ui[key], state.ui.editor.text]).toEqual([undefined, "run the tests"]);
  });
});

test("a list takes the keys at once when nothing is typed", async () => {
  const { state, press } = await stage();
  state.show(yesNo);
  expect(press("\r")).toMatchObject([{ text: "/dream No" }]);
});

test("a list that follows a choice takes the keys at once, although a draft is set aside", async () => {
  const { clock, state, press } = await stage();
  press("later");
  state.show(yesNo);
  await clock.advance(HOLD_MS);
  press("\r");
  state.show({ type: "field", title: "Key", isShown: false });
  press("secret");
  expect([state.ui.hidden?.text, state.ui.editor.text]).toEqual(["secret", "later"]);
});

test("letters do not move the mark of a yes or no", async () => {
  const { state, press } = await stage();
  state.show(yesNo);
  expect(press("yes", "\u001b[200~Yes\u001b[201~", "\r")).toMatchObject([{ text: "/dream No" }]);
});

describe("a / typed into a list", () => {
  const list = (label: string, isYesNo = false) =>
    ({
      type: "choose",
      list: {
        title: "Models",
        choices: [{ label, detail: "fast", input: `/model ${label}` }],
        ...(isYesNo && { isYesNo: true as const }),
      },
    }) as const;

  test.each(OPENED.filter(([, , key]) => key === "marking" || key === "view"))(
    "closes %s and begins a command in the prompt",
    async (_, event, key) => {
      const { state, press } = await stage();
      state.show(event);
      press("/");
      expect([state.ui[key], state.ui.editor.text]).toEqual([undefined, "/"]);
    },
  );

  test("changes nothing in a list in which something is marked", async () => {
    const { state, press } = await stage();
    const rows = [{ id: "1", line: "    a", keys: { d: "drop" } }];
    state.show({ type: "mark", list: { title: "t", lines: [], rows, input: "/x", accepts: "goes" } });
    press("d", "/");
    expect([state.ui.marking?.marks, state.ui.editor.text]).toEqual([{ "1": "drop" }, ""]);
  });

  test.each([false, true])("closes the list and begins a command in the prompt (yes or no: %p)", async (isYesNo) => {
    const { state, press } = await stage();
    state.show(list("sonnet", isYesNo));
    press("/con");
    expect([state.ui.picker, state.ui.editor.text]).toEqual([undefined, "/con"]);
    expect(press("text", "\r")).toMatchObject([{ type: "submit", text: "/context" }]);
  });

  test("filters if it is not the first key, if the list holds paths or commands, or if the prompt has a draft", async () => {
    const { clock, state, press } = await stage();
    state.show(list("org/sonnet"));
    press("g", "/");
    expect(state.ui.picker?.filter).toBe("g/");
    state.show(list("/home/ann"));
    press("/");
    expect(state.ui.picker?.filter).toBe("/");
    press("\x1b", "\x1b", "draft");
    await clock.advance(START_MS);
    state.show(list("sonnet"));
    await clock.advance(HOLD_MS);
    press("/");
    expect([state.ui.picker?.filter, state.ui.editor.text]).toEqual(["/", "draft"]);
  });
});

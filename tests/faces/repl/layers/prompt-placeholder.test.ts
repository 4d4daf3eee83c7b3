import { expect, test } from "bun:test";
import { stripVTControlCharacters } from "node:util";
import { editorWith } from "../../../../src/faces/repl/editor/editor-state.ts";
import type { Room } from "../../../../src/faces/repl/layers/layer.ts";
import { placeholderOf } from "../../../../src/faces/repl/layers/prompt-placeholder.ts";
import { emptyUi, type Ui, type UiContext } from "../../../../src/faces/repl/layers/ui-state.ts";
import { promptLines } from "../../../../src/faces/repl/view/prompt-lines.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";

const typed = (text: string): Ui => ({ ...emptyUi, editor: editorWith(text) });
const room = (columns: number, theme = themeFor(1)) => ({ theme, columns, rows: 24 }) as Room;
const idle = (state: Partial<UiContext>) => ({ isBusy: false, isStopping: false, ...state }) as UiContext;

/** The rows of the prompt without styles. */
function shown(ui: Ui, placeholder: readonly string[] = [], columns = 40): readonly string[] {
  const { lines } = promptLines(ui, room(columns), { placeholder });
  return lines.slice(1).map(stripVTControlCharacters);
}

test("an empty prompt tells one thing for each state of the session", () => {
  const texts = [{ isFresh: true }, { isResumed: true }, { isBusy: true }, {}].map(
    (state) => placeholderOf(emptyUi, idle(state))[0],
  );
  expect(new Set(texts).size).toBe(4);
  expect(texts.every((text) => text !== undefined)).toBe(true);
});

test("the prompt tells nothing beside a typed letter, a waiting input, a question or a stop", () => {
  const waiting = { id: "1", when: "next", shown: "a", pastes: new Map() } as const;
  const of = (ui: Partial<Ui>, state = {}) => placeholderOf({ ...emptyUi, ...ui }, idle(state));
  expect(of({ editor: editorWith("a") })).toEqual([]);
  expect(of({ editor: editorWith(" ") })).toEqual([]);
  expect(of({ queue: [waiting] })).toEqual([]);
  expect(of({ strip: "a1" })).toEqual([]);
  expect(of({}, { isBusy: true, isStopping: true })).toEqual([]);
});

test("the longest text that fits stands behind the cursor, which stays in the first column", () => {
  const texts = ["a longer text for a prompt", "a text"];
  expect(shown(emptyUi, texts)).toEqual(["› a longer text for a prompt"]);
  expect(shown(emptyUi, texts, 24)).toEqual(["› a text"]);
  expect(shown(emptyUi, ["much too long"], 12)).toEqual(["› "]);
  expect(promptLines(emptyUi, room(40), { placeholder: texts }).cursor).toEqual({ x: 2, y: 1 });
});

test.each([
  ["fix it", "›"],
  ["/", "»"],
  ["/model", "»"],
  ["/compact keep the plan\nand the names", "»"],
  ["# use bun", "»"],
  ["/usr/bin/env is a path", "›"],
  ["!", "$"],
  ["  !npm test \\\n -- cart", "$"],
  ["no! never", "›"],
])("the sign before %j is %s", (text, sign) => {
  expect(shown(typed(text))[0]?.[0]).toBe(sign);
  expect(shown(typed(text)).slice(1).join("")).not.toContain(sign);
});

test("the sign of a command is bold, because some terminals have no colours", () => {
  const [, row = ""] = promptLines(typed("!ls"), room(40, themeFor(0, true))).lines;
  expect(row).toStartWith("\u001b[1m$\u001b[22m !ls");
});

import { expect, test } from "bun:test";
import { editorWith } from "../../../../src/faces/repl/editor/editor-state.ts";
import { Suggestions } from "../../../../src/faces/repl/prompt/suggestions.ts";
import { ReplState } from "../../../../src/faces/repl/repl-state.ts";
import { FramePacer } from "../../../../src/faces/repl/terminal/frame-pacer.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import { noColors } from "../../../support/no-colors.ts";

test("a server is asked after a pause for what continues a typed mention, once for each text", async () => {
  const clock = fakeClock();
  const pacer = new FramePacer(clock, new AbortController().signal, () => undefined);
  const info = { version: "", cwd: "", branch: () => undefined, notices: [] };
  const state = new ReplState({ clock, info }, pacer, noColors());
  const changed = Promise.withResolvers<void>();
  const suggestions = new Suggestions({ state, port: { send: () => undefined }, clock, changed: changed.resolve });
  const template = { name: "@docs:page://{id}", summary: "A page" };
  const asked: string[] = [];
  suggestions.take([template], async (word) => {
    asked.push(word);
    return [{ name: `${word}1`, summary: "" }];
  });
  for (const text of ["@docs:page://", "@docs:page://4", "@docs:page://4"]) {
    state.ui = { ...state.ui, editor: editorWith(text) };
    suggestions.look();
  }
  expect(suggestions.context).toEqual({ mentions: [template] });
  await clock.advance(100);
  await changed.promise;
  expect(asked).toEqual(["@docs:page://4"]);
  expect(suggestions.context).toEqual({
    mentions: [template],
    suggested: { word: "@docs:page://4", mentions: [{ name: "@docs:page://41", summary: "" }] },
  });
  suggestions.end();
});

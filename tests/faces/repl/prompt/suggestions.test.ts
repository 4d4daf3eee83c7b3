import { expect, test } from "bun:test";
import { editorWith } from "../../../../src/faces/repl/editor/editor-state.ts";
import { Suggestions } from "../../../../src/faces/repl/prompt/suggestions.ts";
import { ReplState } from "../../../../src/faces/repl/repl-state.ts";
import { FramePacer } from "../../../../src/faces/repl/terminal/frame-pacer.ts";
import type { SessionCommand } from "../../../../src/protocol/session-port.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import { noColors } from "../../../support/no-colors.ts";

test("a server is asked after a pause for what continues a typed mention, once for each text", async () => {
  const clock = fakeClock();
  const pacer = new FramePacer(clock, new AbortController().signal, () => undefined);
  const info = { version: "", cwd: "", branch: () => undefined, notices: [] };
  const state = new ReplState({ clock, info }, pacer, noColors());
  const sent: SessionCommand[] = [];
  const port = { send: (command: SessionCommand) => void sent.push(command) };
  const suggestions = new Suggestions({ state, port, clock, changed: () => undefined });
  const template = { name: "@docs:page://{id}", summary: "A page" };
  suggestions.takeOffer({ type: "mentions", names: [template], canContinue: true });
  for (const text of ["@docs:page://", "@docs:page://4", "@docs:page://4"]) {
    state.ui = { ...state.ui, editor: editorWith(text) };
    suggestions.look();
  }
  expect(suggestions.context).toEqual({ mentions: [template] });
  await clock.advance(100);
  const word = "@docs:page://4";
  expect(sent.filter(({ type }) => type === "continue_mention")).toEqual([{ type: "continue_mention", word }]);
  const mentions = [{ name: `${word}1`, summary: "" }];
  suggestions.takeOffer({ type: "continued_mentions", word, mentions });
  expect(suggestions.context).toEqual({ mentions: [template], suggested: { word, mentions } });
  suggestions.end();
});

test("files are found at once for a typed path, and late ones of an older path are left out", () => {
  const clock = fakeClock();
  const pacer = new FramePacer(clock, new AbortController().signal, () => undefined);
  const info = { version: "", cwd: "", branch: () => undefined, notices: [] };
  const state = new ReplState({ clock, info }, pacer, noColors());
  const sent: SessionCommand[] = [];
  const port = { send: (command: SessionCommand) => void sent.push(command) };
  const suggestions = new Suggestions({ state, port, clock, changed: () => undefined });
  for (const text of ["look at @s", "look at @sr", "look"]) {
    state.ui = { ...state.ui, editor: editorWith(text) };
    suggestions.look();
    suggestions.takeOffer({ type: "files", typed: "s", found: [{ path: "src/", marks: [0] }] });
    expect(suggestions.context.files?.typed).toBe(text === "look" ? undefined : "s");
  }
  expect(sent).toEqual([
    { type: "find_files", typed: "s" },
    { type: "find_files", typed: "sr" },
    { type: "find_files" },
  ]);
  suggestions.end();
});

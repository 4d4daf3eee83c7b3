import { describe, expect, test } from "bun:test";
import { withKeyChange } from "../../../../src/faces/repl/keymap/change-keybindings.ts";
import {
  captureOf,
  changesFor,
  type KeysWish,
  keysWish,
  removalList,
} from "../../../../src/faces/repl/keymap/key-changes.ts";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { keysList } from "../../../../src/faces/repl/keymap/keys-list.ts";
import { readKeybindings } from "../../../../src/faces/repl/keymap/read-keybindings.ts";

const FILE = `{
    // The keys of the office.
    "$schema": "x",
    "bindings": [
        { "context": "prompt", "bindings": { "Control+E": "prompt.openEditor", "ctrl+s": null } },
        { "context": "app", "bindings": { "f5": "app.redraw" } },
    ],
}
`;

describe("a change of the file", () => {
  test("replaces a binding however it is written, and keeps all else", () => {
    const changed = withKeyChange(FILE, { context: "prompt", keys: "ctrl+e", action: "prompt.stash" });
    expect(changed).toBe(FILE.replace('"Control+E": "prompt.openEditor"', '"Control+E": "prompt.stash"'));
  });

  test("adds a key to its context, or the context", () => {
    const added = withKeyChange(FILE, { context: "app", keys: "f6", action: "app.suspend" });
    const further = withKeyChange(added, { context: "view", keys: "x", action: null });
    expect(further).toContain("// The keys of the office.");
    const { entries, problems } = readKeybindings(further, "f");
    expect(entries.map(({ context, keys, action }) => [context, keys, action])).toEqual([
      ["prompt", "ctrl+e", "prompt.openEditor"],
      ["prompt", "ctrl+s", undefined],
      ["app", "f5", "app.redraw"],
      ["app", "f6", "app.suspend"],
      ["view", "x", undefined],
    ]);
    expect(problems).toEqual([expect.stringContaining("no binding")]);
  });

  test("takes a binding out of the file, and begins a missing one", () => {
    expect(withKeyChange(FILE, { context: "prompt", keys: "ctrl+e" })).not.toContain("Control+E");
    expect(JSON.parse(withKeyChange("", { context: "app", keys: "f5", action: "app.redraw" }))).toEqual({
      bindings: [{ context: "app", bindings: { f5: "app.redraw" } }],
    });
    expect(withKeyChange("", { context: "app", keys: "f5" })).toBe("");
  });

  test.each(["{", "[]", '{ "bindings": 1 }'])("is refused for a file that is not valid: %s", (text) => {
    expect(() => withKeyChange(text, { context: "app", keys: "f5", action: null })).toThrow("Fix it first");
  });
});

const fileText = (context: string, bindings: object) => JSON.stringify({ bindings: [{ context, bindings }] });

describe("what is chosen in /keys", () => {
  const wish = (argument: string) => keysWish(argument) as KeysWish;
  /** The bindings of the prompt that open the editor after each choice. */
  const after = (...wishes: readonly string[]) => {
    const text = wishes.reduce(
      (before, argument) => changesFor(wish(argument), readKeybindings(before, "f")).reduce(withKeyChange, before),
      "",
    );
    const { keymap, problems } = readKeybindings(text, "f");
    expect(problems).toEqual([]);
    return keymap
      .filter(({ context, action }) => context === "prompt" && action === "prompt.openEditor")
      .map(({ key }) => key);
  };

  test("gives an action other keys, further ones, none, or those of the start", () => {
    const editor = "prompt prompt.openEditor";
    expect(after()).toEqual(["ctrl+g", "ctrl+x ctrl+e"]);
    expect(after(`save ${editor} alt+g`)).toEqual(["alt+g"]);
    expect(after(`save ${editor} ctrl+g`)).toEqual(["ctrl+g"]);
    expect(after(`save-more ${editor} ctrl+x g`)).toEqual(["ctrl+x g", "ctrl+g", "ctrl+x ctrl+e"]);
    expect(after(`unbind ${editor}`)).toEqual([]);
    expect(after(`save ${editor} alt+g`, `save ${editor} alt+h`)).toEqual(["alt+h"]);
    expect(after(`save ${editor} alt+g`, `reset ${editor}`)).toEqual(["ctrl+g", "ctrl+x ctrl+e"]);
    expect(after(`unbind ${editor}`, `reset ${editor}`)).toEqual(["ctrl+g", "ctrl+x ctrl+e"]);
  });

  test("removes one of several keys, and brings it back", () => {
    const editor = "prompt prompt.openEditor";
    expect(after(`unbind ${editor} ctrl+x ctrl+e`)).toEqual(["ctrl+g"]);
    expect(after(`unbind ${editor} ctrl+x ctrl+e`, `reset ${editor}`)).toEqual(["ctrl+g", "ctrl+x ctrl+e"]);
    const own = `save-more ${editor} alt+g alt+e`;
    expect(after(own)).toEqual(["alt+g alt+e", "ctrl+g", "ctrl+x ctrl+e"]);
    expect(after(own, `unbind ${editor} alt+g alt+e`)).toEqual(["ctrl+g", "ctrl+x ctrl+e"]);
    expect(after(own, `unbind ${editor} ctrl+y`)).toEqual(["alt+g alt+e", "ctrl+g", "ctrl+x ctrl+e"]);
  });

  test("lists the keys that can be removed, of which those that always stop are none", () => {
    const bound = fileText("prompt", { "alt+g alt+e": "prompt.openEditor" });
    expect(removalList(wish("remove prompt prompt.openEditor"), readKeybindings(bound, "f"))).toEqual({
      title: "Remove keys: opens the draft in your editor",
      choices: [
        {
          label: "alt+g alt+e",
          detail: "your own",
          input: "/keys unbind prompt prompt.openEditor alt+g alt+e",
        },
        { label: "ctrl+g", detail: "", input: "/keys unbind prompt prompt.openEditor ctrl+g" },
        { label: "ctrl+x ctrl+e", detail: "", input: "/keys unbind prompt prompt.openEditor ctrl+x ctrl+e" },
        { label: "all", detail: "the action has no key then", input: "/keys unbind prompt prompt.openEditor" },
      ],
      back: "/keys",
    });
    const stops = removalList(wish("remove turn turn.interrupt"), readKeybindings("", "f"));
    expect(stops.choices.map(({ label }) => label)).toEqual(["esc", "all"]);
  });

  test("gives a key back that the first key of an own chord delays, also one of another context", () => {
    const bound = fileText("prompt", { "alt+o alt+g": "prompt.openEditor", "ctrl+a ctrl+g": "prompt.openEditor" });
    const reset = (argument: string) => changesFor(wish(argument), readKeybindings(bound, "f"));
    expect(reset("reset prompt prompt.openPaste")).toEqual([{ context: "prompt", keys: "alt+o alt+g" }]);
    expect(reset("reset text text.lineStart")).toEqual([{ context: "prompt", keys: "ctrl+a ctrl+g" }]);
    expect(reset("reset viewer viewer.copy")).toEqual([]);
  });

  test("marks in the list what differs from the default: own keys, removed keys, delayed keys", () => {
    const bound = fileText("prompt", { "alt+o alt+g": "prompt.stash", "ctrl+x ctrl+e": null });
    const marked = keysList(readKeybindings(bound, "f"), "f").choices.filter(({ label }) => label.endsWith(" *"));
    expect(marked.map(({ label, also }) => [label, also?.["delete"]])).toEqual([
      ["ctrl+g *", "/keys unbind prompt prompt.openEditor"],
      ["alt+o alt+g · ctrl+s *", "/keys remove prompt prompt.stash"],
      ["alt+o *", "/keys unbind prompt prompt.openPaste"],
    ]);
  });

  test("never takes the keys away that always stop", () => {
    const changes = changesFor(wish("unbind turn turn.interrupt"), readKeybindings("", "f"));
    expect(changes).toEqual([{ context: "turn", keys: "esc", action: null }]);
  });

  test.each([
    "",
    "set",
    "set prompt viewer.copy",
    "set trust trust.accept",
    "save prompt prompt.openEditor",
    "save prompt prompt.openEditor ctrl+c",
    "save prompt prompt.openEditor x",
    "steal prompt prompt.openEditor x",
    "unbind prompt prompt.openEditor ctrl+nokey",
  ])("refuses %j", (argument) => expect(keysWish(argument)).toBeUndefined());

  test("says what new keys would take from others, before they are saved", () => {
    const { check } = captureOf(wish("set prompt prompt.openEditor"), DEFAULT_KEYMAP);
    expect(check("alt+g")).toEqual({ problem: undefined, notes: [] });
    expect(check("ctrl+s").notes).toEqual([expect.stringContaining("stashes the draft")]);
    expect(check("ctrl+x").notes[0]).toContain("never acts alone");
    expect(check("ctrl+c").problem).toContain("stops");
    expect(check("x").problem).toContain("typed");
  });
});

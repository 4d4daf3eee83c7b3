import { describe, expect, test } from "bun:test";
import { boundAction, DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { parseKeys } from "../../../../src/faces/repl/keymap/parse-keys.ts";
import { readKeybindings } from "../../../../src/faces/repl/keymap/read-keybindings.ts";

/** A file with one binding a line, from line 3 on. */
const read = (context: string, bindings: Readonly<Record<string, string | null>>) => {
  const lines = Object.entries(bindings).map((one) => one.map((part) => JSON.stringify(part)).join(": "));
  return readKeybindings(
    `{ "bindings": [\n{ "context": "${context}", "bindings": {\n${lines.join(",\n")}\n} }] }`,
    "keys.json",
  );
};

describe("keys as a person writes them", () => {
  test.each([
    ["ctrl+e", "ctrl+e"],
    ["Shift+Control+Left", "ctrl+shift+left"],
    ["option+Return", "alt+enter"],
    ["escape", "esc"],
    ["ctrl+X  ctrl+K", "ctrl+x ctrl+k"],
    ["shift+g", "G"],
    ["G", "G"],
    ["ctrl++", "ctrl++"],
    ["space", "space"],
    ["F5", "f5"],
  ])("%s is %s", (text, keys) => expect(parseKeys(text)).toEqual({ keys }));

  test.each(["hyper+x", "cmd+k", "nokey", "", "ctrl+", "a b c d"])("%j is none", (text) => {
    expect(parseKeys(text)).toHaveProperty("problem");
  });
});

describe("a file of key bindings", () => {
  test("puts its keys before the default ones, and takes some away", () => {
    const { keymap, problems } = read("prompt", {
      "ctrl+e": "prompt.openEditor",
      "alt+g": "prompt.openEditor",
      "ctrl+s": null,
      "ctrl+x ctrl+e": null,
    });
    const action = (key: string) => boundAction(keymap, key, ["idle", "prompt", "text", "app"], "typed");
    expect(["ctrl+e", "alt+g", "ctrl+g"].map(action)).toEqual(Array(3).fill("prompt.openEditor"));
    expect(["ctrl+s", "ctrl+x ctrl+e", "ctrl+x ctrl+k"].map(action)).toEqual([undefined, undefined, "agents.stopAll"]);
    expect(problems).toEqual([]);
  });

  test("may be empty, or have comments, other members and commas at the end", () => {
    expect(readKeybindings("", "f")).toMatchObject({ keymap: DEFAULT_KEYMAP, problems: [] });
    const text = '{ "$schema": "x", // why\n"bindings": [{ "context": "app", "bindings": { "f5": "app.redraw", } }] }';
    expect(readKeybindings(text, "f")).toMatchObject({
      own: [{ context: "app", key: "f5", action: "app.redraw" }],
      problems: [],
    });
  });

  test.each([
    ["prompt", "ctrl+e", "prompt.openEditr", "did you mean prompt.openEditor?"],
    ["prompt", "ctrl+e", "viewer.copy", "does nothing in prompt"],
    ["prompt", "x", "prompt.submit", "is typed"],
    ["prompt", "ctrl+c", "prompt.submit", "can't be changed"],
    ["view", "ctrl+x ctrl+d", "view.close", "can't be changed"],
    ["idle", "ctrl+d", null, "can't be changed"],
    ["prompt", "ctrl+i", "prompt.submit", "tab"],
    ["prompt", "cmd+k", "prompt.submit", "cmd"],
    ["prompt", "ctrl+9", null, "no binding"],
  ] as const)("tells with its line why %s: %s can't be %s", (context, keys, action, why) => {
    const { keymap, problems } = read(context, { "alt+9": null, [keys]: action });
    expect(problems.filter((one) => one.startsWith("keys.json:4: "))).toEqual([expect.stringContaining(why)]);
    expect(keymap).toEqual(DEFAULT_KEYMAP);
  });

  test.each([
    ["Chat", "no context"],
    ["promt", "did you mean prompt?"],
    ["trust", "can't be changed"],
    ["guarded", "can't be changed"],
  ])("tells that %s is no place for own keys", (context, why) => {
    expect(read(context, { "ctrl+e": "prompt.submit" }).problems).toEqual([
      expect.stringMatching(new RegExp(`^keys\\.json:2: .*${why.replace("?", "\\?")}`)),
    ]);
  });

  test.each([
    ["{", 1],
    ["\n\n[", 3],
    ["[]", 1],
    ['{ "bindings": 1 }', 1],
    ['{ "bindings": [\n1] }', 2],
    ['{ "bindings": [{ "context": "app",\n"bindings": { "f5": 1 } }] }', 2],
  ])("keeps the default keys if it is no such file: %j", (text, line) => {
    const { keymap, problems } = readKeybindings(text, "f");
    expect([keymap, problems]).toEqual([DEFAULT_KEYMAP, [expect.stringMatching(new RegExp(`^f:${line}: `))]]);
  });

  test("tells a key that is bound twice; the last binding counts", () => {
    const text = `{ "bindings": [
      { "context": "prompt", "bindings": { "ctrl+e": "prompt.submit" } },
      { "context": "prompt", "bindings": { "Control+E": "prompt.stash" } } ] }`;
    const { keymap, problems } = readKeybindings(text, "f");
    expect(boundAction(keymap, "ctrl+e", ["prompt"], "typed")).toBe("prompt.stash");
    expect(problems).toEqual([expect.stringMatching(/^f:2: .*line 3/)]);
  });

  test.each([
    ["prompt", "ctrl+x", "prompt.submit", "never acts alone"],
    ["prompt", "ctrl+g ctrl+s", "prompt.submit", "ctrl\\+g waits"],
    ["text", "ctrl+b", "text.paste", "a turn runs"],
    ["app", "ctrl+k", "app.redraw", "text.cutLineEnd"],
  ])("tells a conflict of %s: %s", (context, keys, action, why) => {
    const { own, problems } = read(context, { [keys]: action });
    expect(own).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^keys\\.json:3: .*${why}`));
  });
});

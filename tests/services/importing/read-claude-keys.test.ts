import { expect, test } from "bun:test";
import { actionsOf } from "../../../src/faces/repl/keymap/bindable.ts";
import { KEY_CONTEXTS } from "../../../src/faces/repl/keymap/keymap.ts";
import { CLAUDE_ACTIONS, CLAUDE_CONTEXTS } from "../../../src/services/importing/read-claude-keys.ts";

test("every action and context that keys of Claude Code become is one of the keymap", () => {
  const contexts: readonly string[] = Object.keys(KEY_CONTEXTS);
  expect(
    Object.values(CLAUDE_CONTEXTS)
      .flat()
      .filter((name) => !contexts.includes(name)),
  ).toEqual([]);
  const wrong = Object.values(CLAUDE_ACTIONS).filter(
    ([context, action]) => !([...actionsOf(context as keyof typeof KEY_CONTEXTS)] as string[]).includes(action),
  );
  expect(wrong).toEqual([]);
});

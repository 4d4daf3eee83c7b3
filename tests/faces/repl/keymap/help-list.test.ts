import { expect, test } from "bun:test";
import { BUILTIN_COMMANDS } from "../../../../src/commands/builtin-commands.ts";
import { helpList } from "../../../../src/faces/repl/keymap/keys-list.ts";
import { shownChoices } from "../../../../src/faces/repl/layers/picker.ts";

const commands = BUILTIN_COMMANDS.map(({ name, summary, argumentHint = "", aliases }) => ({
  ...{ name, summary, argumentHint },
  ...(aliases && { aliases }),
}));

test.each(["undo", "rewind", "revert", "go back"])("the help finds the way back by the words %s", (filter) => {
  const { choices } = helpList({ keymap: [], commands, rows: [] });
  const found = shownChoices({ choices, filter }).map(({ input }) => input);
  expect(found).toContain("/rewind");
});

test.each(["new", "plugin", "stats", "quit", "checkpoint"])(
  "the help finds a command by its other name %s",
  (filter) => {
    const { choices } = helpList({ keymap: [], commands, rows: [] });
    const command = commands.find(({ aliases }) => aliases?.includes(filter));
    expect(shownChoices({ choices, filter }).map(({ input }) => input)).toContain(`/${command?.name}`);
  },
);

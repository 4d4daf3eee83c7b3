import { expect, test } from "bun:test";
import { vimCommand } from "../../src/commands/vim.ts";
import type { CommandContext, EditorModes } from "../../src/contracts/command.ts";

const NEVER = new AbortController().signal;

function modes(): EditorModes & { current: EditorModes["current"] } {
  return {
    current: "plain",
    async choose(mode) {
      this.current = mode;
    },
    use(mode) {
      this.current = mode;
    },
  };
}

test("/vim switches to and fro, and its argument says which", async () => {
  const editorModes = modes();
  const context = { editorModes } as unknown as CommandContext;
  const seen: string[] = [];
  for (const argument of ["", "", "on", "ON", "off"]) {
    await vimCommand.run(argument, context, NEVER);
    seen.push(editorModes.current);
  }
  expect(seen).toEqual(["vim", "plain", "vim", "vim", "plain"]);
});

test("/vim refuses other words, and a screen without a prompt", async () => {
  const context = { editorModes: modes() } as unknown as CommandContext;
  await expect(vimCommand.run("emacs", context, NEVER)).rejects.toThrow("/vim off");
  await expect(vimCommand.run("", {} as CommandContext, NEVER)).rejects.toThrow("no prompt");
});

import { expect, test } from "bun:test";
import { rememberCommand } from "../../src/commands/remember.ts";
import type { CommandContext } from "../../src/contracts/command.ts";
import type { SessionMemory } from "../../src/contracts/memory.ts";

const NEVER = new AbortController().signal;

function typing() {
  const saved: (readonly [string, string])[] = [];
  const memory: Pick<SessionMemory, "proposals" | "remember"> = {
    proposals: () => [],
    remember: async (type, words) => {
      saved.push([type, words]);
      return ["Remembered."];
    },
  };
  const context = { memory } as unknown as CommandContext;
  return { saved, type: (argument: string) => rememberCommand.run(argument, context, NEVER) };
}

test.each(["--foo bar", "--no-verify is forbidden", "--proposal x", "--"])(
  "/remember %s saves nothing and names the types",
  async (argument) => {
    const { saved, type } = typing();
    await expect(type(argument)).rejects.toThrow("--feedback");
    expect(saved).toEqual([]);
  },
);

test("a type before the text is the note's type, and a text after it may begin with --", async () => {
  const { saved, type } = typing();
  await type("--feedback --no-verify is forbidden");
  await type("use bun");
  expect(saved).toEqual([
    ["feedback", "--no-verify is forbidden"],
    ["project", "use bun"],
  ]);
});

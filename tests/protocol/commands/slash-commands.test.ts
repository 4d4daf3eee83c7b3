import { expect, test } from "bun:test";
import type { Command, CommandContext } from "../../../src/contracts/command.ts";
import { UserFacingError } from "../../../src/contracts/errors.ts";
import { SlashCommands } from "../../../src/protocol/commands/slash-commands.ts";
import { commandRegistry } from "../../../src/services/inventory/create-registry.ts";
import { everyKindCommand } from "../../support/every-kind-command.ts";

const review: Command = { ...everyKindCommand, name: "review", summary: "Review the change" };
/** The commands here use no service of their face. */
const NO_CONTEXT = {} as CommandContext;
const { signal } = new AbortController();

test("completions follow the registry, and what a source takes back is gone", async () => {
  const registry = commandRegistry([everyKindCommand]);
  const commands = new SlashCommands(registry, "full", NO_CONTEXT);
  const names = () => commands.completions.map(({ name }) => name);
  expect(names()).toEqual(["every"]);
  expect(commands.completions).toBe(commands.completions);
  registry.set({ kind: "project" }, [review]);
  expect(names()).toEqual(["every", "review"]);
  expect(await commands.run("Review", "me", signal)).toEqual({ kind: "text", lines: ["It said me."] });
  registry.set({ kind: "project" }, []);
  expect(names()).toEqual(["every"]);
  await expect(commands.run("reviews", "", signal)).rejects.toThrow("There is no command /reviews.");
});

test("a command runs by its other names too, is listed once, and loses them to a command of that name", async () => {
  const registry = commandRegistry([{ ...everyKindCommand, aliases: ["each", "review"] }]);
  const commands = new SlashCommands(registry, "full", NO_CONTEXT);
  const said = (name: string) => commands.run(name, "me", signal);
  expect(await said("Each")).toEqual(await said("every"));
  expect(commands.completions.map(({ name }) => name)).toEqual(["every"]);
  await expect(said("eahc")).rejects.toThrow("Did you mean /each?");
  registry.set({ kind: "project" }, [{ ...review, run: async () => ({ kind: "text", lines: ["Reviewed."] }) }]);
  expect(await said("review")).toEqual({ kind: "text", lines: ["Reviewed."] });
});

test("without a screen, a command that needs one does not run, and results stay as they are", async () => {
  const registry = commandRegistry([
    { ...everyKindCommand, interactive: true },
    { ...everyKindCommand, name: "each" },
  ]);
  const commands = new SlashCommands(registry, "none", NO_CONTEXT);
  expect(await commands.run("each", "choose", signal)).toMatchObject({ kind: "choose" });
  expect(() => commands.assertRuns("/each thing")).not.toThrow();
  expect(() => commands.assertRuns("/every thing")).toThrow(UserFacingError);
  await expect(commands.run("every", "thing", signal)).rejects.toBeInstanceOf(UserFacingError);
});

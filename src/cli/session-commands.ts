import { clearCommand } from "../commands/clear.ts";
import { costCommand } from "../commands/cost.ts";
import { effortCommand } from "../commands/effort.ts";
import { modelCommand } from "../commands/model.ts";
import { permissionsCommand } from "../commands/permissions.ts";
import { thinkingCommand } from "../commands/thinking.ts";
import type { Command, CommandContext } from "../contracts/command.ts";
import { declaredInventory } from "./surface.ts";
import type { Wired } from "./wire.ts";

/** The slash commands that make sense without a screen. */
export function sessionCommands(): readonly Command[] {
  return [clearCommand(), costCommand(), effortCommand(), modelCommand(), permissionsCommand(), thinkingCommand()];
}

/** Runs the commands that a program writes as messages. @returns undefined for words that are no command. */
export function commandRunner({ engine, permissions, catalog, spend }: Wired) {
  const commands = new Map(sessionCommands().map((command) => [command.name, command]));
  const context: CommandContext = {
    engine,
    inventory: declaredInventory(),
    permissions,
    models: { list: () => catalog.list() },
    spend,
    sessions: { list: async () => [] },
    resume: () => undefined,
    exit: () => undefined,
  };
  return (words: string): Promise<readonly string[]> | undefined => {
    const [, name = "", argument = ""] = /^\/([a-z-]+)(?:\s+([\s\S]*))?$/.exec(words.trim()) ?? [];
    return commands
      .get(name)
      ?.run(argument.trim(), context)
      .then(({ lines }) => lines);
  };
}

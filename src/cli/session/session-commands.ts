import type { Session } from "../../app/session/open-session.ts";
import { BUILTIN_COMMANDS } from "../../commands/builtin-commands.ts";
import type { Command, CommandContext, CommandResult } from "../../contracts/command.ts";
import { commandRegistry } from "../../services/inventory/create-registry.ts";
import { createInventory } from "../../services/inventory/inventory.ts";
import { sessionDoctor } from "../doctor/session-doctor.ts";

/** The registry of a session's commands, and the inventory of these commands and its tools. */
export function openCommands({ watch, main }: Session) {
  const commands = commandRegistry(BUILTIN_COMMANDS.map(watch.command));
  return { commands, inventory: createInventory({ commands, tools: main.offered }) };
}

/** The commands that a program may send as messages. */
export type SessionCommands = {
  /** The current commands that need no keyboard. */
  list(): readonly Command[];
  /** @returns undefined if the text is no such command. */
  run(words: string, signal: AbortSignal): Promise<CommandResult> | undefined;
};

export function sessionCommands(session: Session): SessionCommands {
  const { app, main, catalog, spend } = session;
  const { engine, permissions } = main;
  const { commands, inventory } = openCommands(session);
  const context: CommandContext = {
    engine,
    inventory,
    permissions,
    models: { list: () => catalog.list() },
    spend,
    doctor: sessionDoctor(session),
    sessions: { list: async () => [] },
    now: () => app.clock.now(),
    resume: () => undefined,
    exit: () => undefined,
  };
  return {
    list: () => commands.entries.flatMap(({ value }) => (value.interactive ? [] : [value])),
    run(words, signal) {
      const [, name = "", argument = ""] = /^\/([\w:.-]+)(?:\s+([\s\S]*))?$/.exec(words.trim()) ?? [];
      const command = commands.get(name)?.value;
      return command?.interactive ? undefined : command?.run(argument.trim(), context, signal);
    },
  };
}

import type { Command } from "../../../contracts/command.ts";
import { UserFacingError } from "../../../contracts/errors.ts";

/**
 * Wraps a built-in command without `argumentHint` so that it refuses an argument. Other commands are returned
 * unchanged.
 */
export function withoutArgument(command: Command): Command {
  if (command.argumentHint !== undefined) return command;
  return {
    ...command,
    run: async (argument, context, signal) => {
      if (argument.trim() !== "") throw new UserFacingError(`/${command.name} takes no argument.`, 2);
      return command.run(argument, context, signal);
    },
  };
}

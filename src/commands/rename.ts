import type { Command, CommandContext } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";

const FIELD = "name";

/** With a name: names this session. Without one: asks for the name; an empty name removes it. */
export const renameCommand: Command = {
  name: "rename",
  summary: "Name this session",
  argumentHint: "[name]",
  async run(argument, context) {
    const name = argument.trim();
    return name === "" ? renameForm(context) : rename(name, context);
  },
};

async function renameForm(context: CommandContext): Promise<CommandResult> {
  const own = (await context.sessions.list()).find(({ id }) => id === context.engine.state.sessionId);
  return {
    kind: "form",
    title: "Name of this session",
    fields: [{ name: FIELD, label: FIELD, isOptional: true, value: own?.isNamed ? own.title : "" }],
    lines: ["`/rename <name>` names this session; then `quoll --resume <name>` opens it."],
    submit: (values) => rename(values[FIELD] ?? "", context),
  };
}

/** @throws {UserFacingError} (as a rejection) the session is not saved. */
async function rename(name: string, { engine, sessions }: CommandContext): Promise<CommandResult> {
  if (!sessions.label) throw new UserFacingError("The sessions of this program can't be named.");
  await sessions.label(engine.state.sessionId, { name });
  const said = name.trim() === "" ? "This session has no name." : `This session is named "${name.trim()}".`;
  return { kind: "text", lines: [said] };
}

import { type CommandResult, linesOf } from "../../contracts/command.ts";

/** What a command comes to where there is no screen: text for the person, or words for the model. */
export type CommandText = { readonly text: string } | { readonly prompt: string };

/**
 * Reads a command's answer. An operation runs to its end; a list or a form becomes the lines that name the argument to give.
 * @param tell Is told how far an operation has come.
 */
export async function commandText(
  result: CommandResult,
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<CommandText> {
  if (result.kind === "prompt") return { prompt: result.prompt };
  if (result.kind !== "operation") return { text: linesOf(result).join("\n") };
  tell(result.title);
  return commandText(await result.run(({ text }) => tell(text), signal), tell, signal);
}

import { type CommandProblem, type CommandResult, linesOf } from "../../contracts/command-result.ts";
import type { UserBlock } from "../../contracts/message.ts";

type Prompt = { readonly prompt: string; readonly attachments?: readonly UserBlock[]; readonly skill?: string };

/** The result of a command without a screen: text for the person, or a prompt for the model. */
export type CommandText = { readonly text: string; readonly problem?: CommandProblem } | Prompt;

/**
 * Converts a command's result to text. An operation runs to its end; a list or form becomes lines that name the
 * argument to type.
 * @param tell Receives the progress of an operation.
 */
export async function commandText(
  result: CommandResult,
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<CommandText> {
  if (result.kind === "prompt") return promptOf(result);
  if (result.kind === "text") {
    const { lines, problem } = result;
    return { text: lines.join("\n"), ...(problem && { problem }) };
  }
  if (result.kind !== "operation") return { text: linesOf(result).join("\n") };
  tell(result.title);
  return commandText(await result.run(({ text }) => tell(text), signal), tell, signal);
}

function promptOf({ prompt, attachments, skill }: Extract<CommandResult, { kind: "prompt" }>): Prompt {
  return { prompt, ...(attachments && { attachments }), ...(skill !== undefined && { skill }) };
}

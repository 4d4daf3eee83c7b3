import type { Command } from "../../contracts/command.ts";
import type { CommandResult } from "../../contracts/command-result.ts";
import type { FireHook } from "../../contracts/hook.ts";

/** Wraps a slash command: hooks are asked about a prompt that it makes, and may refuse the prompt or add text. */
export function hookedCommand(command: Command, fire: FireHook): Command {
  return {
    ...command,
    run: async (argument, context, signal) =>
      hookedResult(await command.run(argument, context, signal), { command, argument, fire }, signal),
  };
}

type Ran = { readonly command: Command; readonly argument: string; readonly fire: FireHook };

/** A form makes its prompt when it is submitted. */
async function hookedResult(result: CommandResult, ran: Ran, signal: AbortSignal): Promise<CommandResult> {
  if (result.kind === "form") {
    const submit: typeof result.submit = async (values, own) =>
      hookedResult(await result.submit(values, own), ran, own);
    return { ...result, submit };
  }
  const { prompt } = { prompt: undefined, ...result };
  if ((result.kind !== "prompt" && result.kind !== "operation") || prompt === undefined) return result;
  const said = await expanded(prompt, { ...ran, argument: typedArgument(result) ?? ran.argument }, signal);
  if ("refusal" in said) return { kind: "text", lines: [said.refusal] };
  return said.context === undefined ? result : withContext(result, prompt, said.context);
}

/** The argument of a command whose form was filled in. */
function typedArgument(result: Asking): string | undefined {
  if (result.kind !== "prompt") return undefined;
  return result.typed?.replace(/^\S+\s*/, "");
}

type Said = { readonly refusal: string } | { readonly context: string | undefined };

async function expanded(
  prompt: string,
  { command: { name }, argument, fire }: Ran,
  signal: AbortSignal,
): Promise<Said> {
  const kind = name.startsWith("mcp__") ? "mcp_prompt" : "slash_command";
  const said = await fire({ event: "UserPromptExpansion", kind, command: name, arguments: argument, prompt }, signal);
  const refusal = said.block ?? said.stop;
  if (refusal) return { refusal: `A hook refused /${name}: ${refusal.reason}` };
  return { context: said.additionalContext };
}

type Asking = Extract<CommandResult, { readonly kind: "prompt" | "operation" }>;

function withContext(result: Asking, prompt: string, context: string): CommandResult {
  if (result.kind === "prompt") return { ...result, prompt: `${prompt}\n\n${context}` };
  return { ...result, run: (report, signal) => result.run(report, signal, context) };
}

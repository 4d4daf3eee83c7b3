import type { Command } from "../../contracts/command.ts";
import type { CommandResult } from "../../contracts/command-result.ts";
import type { FireHook } from "../../contracts/hook.ts";

/** Wraps a slash command: hooks are asked about a prompt that it makes, and may refuse the prompt or add text. */
export function hookedCommand(command: Command, fire: FireHook): Command {
  return {
    ...command,
    run: async (argument, context, signal) => {
      const result = await command.run(argument, context, signal);
      const { prompt } = { prompt: undefined, ...result };
      if ((result.kind !== "prompt" && result.kind !== "operation") || prompt === undefined) return result;
      const said = await expanded({ command, argument, prompt }, fire, signal);
      if ("refusal" in said) return { kind: "text", lines: [said.refusal] };
      return said.context === undefined ? result : withContext(result, prompt, said.context);
    },
  };
}

type Expansion = { readonly command: Command; readonly argument: string; readonly prompt: string };
type Said = { readonly refusal: string } | { readonly context: string | undefined };

async function expanded(
  { command: { name }, argument, prompt }: Expansion,
  fire: FireHook,
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

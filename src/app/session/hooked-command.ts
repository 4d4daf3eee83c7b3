import type { Command, CommandResult } from "../../contracts/command.ts";
import type { FireHook } from "../../contracts/hook.ts";

/** The same slash command; hooks hear of a prompt that it makes, and may refuse it or add words. */
export function hookedCommand(command: Command, fire: FireHook): Command {
  return {
    ...command,
    run: async (argument, context, signal) => {
      const result = await command.run(argument, context, signal);
      return result.kind === "prompt" ? expanded({ command, argument, result }, fire, signal) : result;
    },
  };
}

type Expansion = {
  readonly command: Command;
  readonly argument: string;
  readonly result: Extract<CommandResult, { readonly kind: "prompt" }>;
};

async function expanded(
  { command: { name }, argument, result }: Expansion,
  fire: FireHook,
  signal: AbortSignal,
): Promise<CommandResult> {
  const kind = name.startsWith("mcp__") ? "mcp_prompt" : "slash_command";
  const { prompt } = result;
  const said = await fire({ event: "UserPromptExpansion", kind, command: name, arguments: argument, prompt }, signal);
  const refusal = said.block ?? said.stop;
  if (refusal) return { kind: "text", lines: [`A hook refused /${name}: ${refusal.reason}`] };
  if (said.additionalContext === undefined) return result;
  return { ...result, prompt: `${prompt}\n\n${said.additionalContext}` };
}

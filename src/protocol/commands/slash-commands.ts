import type { ArgumentCompletion, Command, CommandContext } from "../../contracts/command.ts";
import { type CommandResult, linesOf } from "../../contracts/command-result.ts";
import { unknownCommandLine } from "../../contracts/did-you-mean.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { Registered, Registry } from "../../contracts/registry.ts";
import type { CommandCompletion } from "../session-port.ts";

/** The commands of this face, by name. */
export class SlashCommands {
  readonly #commands: Registry<Command>;
  readonly #context: CommandContext;
  /** True for a screen of lines, without other screens and hidden input. */
  readonly #isPlain: boolean;
  #entries: readonly Registered<Command>[] = [];
  #completions: readonly CommandCompletion[] = [];

  constructor(commands: Registry<Command>, isPlain: boolean, context: CommandContext) {
    this.#commands = commands;
    this.#isPlain = isPlain;
    this.#context = context;
  }

  /** The commands in the form in which completion shows them. */
  get completions(): readonly CommandCompletion[] {
    const { entries } = this.#commands;
    if (entries === this.#entries) return this.#completions;
    this.#entries = entries;
    this.#completions = entries.map(
      ({ value: { name, aliases, summary, argumentHint = "", complete, takesFolder } }) => ({
        name,
        summary,
        argumentHint,
        ...(aliases && { aliases }),
        ...(complete && { completes: true }),
        ...(takesFolder && { takesFolder }),
      }),
    );
    return this.#completions;
  }

  /** @returns a function that stops this. */
  onChanged(listener: () => void): () => void {
    return this.#commands.onChanged(listener);
  }

  /** The arguments that continue the typed argument. Never rejects. */
  async complete(name: string, typed: string, signal: AbortSignal): Promise<readonly ArgumentCompletion[]> {
    const command = this.#commands.get(name)?.value;
    try {
      return (await command?.complete?.(typed, this.#context, signal)) ?? [];
    } catch {
      // The command itself reports the problem when it runs.
      return [];
    }
  }

  /** @throws {Error} (as a rejection) there is no such command, or it failed. */
  async run(name: string, argument: string, signal: AbortSignal): Promise<CommandResult> {
    const command = (this.#commands.get(name) ?? this.#commands.get(name.toLowerCase()))?.value;
    if (!command) throw new UserFacingError(this.#unknown(name));
    return this.shown(await command.run(argument, this.#context, signal));
  }

  /** Converts a command's result for this terminal. */
  shown(result: CommandResult): CommandResult {
    if (result.kind === "prompt" || result.kind === "operation" || result.kind === "text") return result;
    return canShow(result, this.#isPlain) ? result : { kind: "text", lines: linesOf(result) };
  }

  #unknown(name: string): string {
    const states = name.startsWith("mcp__") ? (this.#context.mcp?.states() ?? []) : [];
    const server = states.find(({ toolPrefix, status }) => status === "pending" && name.startsWith(toolPrefix));
    if (server) return `The MCP server ${server.name} is still starting: try again in a moment.`;
    return unknownCommandLine(
      name,
      this.#commands.entries.map((command) => command.name),
      this.#context.isSafe,
    );
  }
}

/** A screen of lines has numbered lists and fields, but the terminal shows what is typed there. */
function canShow(result: Exclude<CommandResult, { kind: "prompt" | "operation" | "text" }>, isPlain: boolean): boolean {
  if (result.kind === "choose") return result.choices.length > 0;
  if (!isPlain || result.kind === "mark") return true;
  return result.kind === "form" && !result.fields.some(({ isSecret }) => isSecret);
}

/**
 * `/name rest`, or `# words` for `/memory add words`. A path (`/usr/bin`), a number (`#12`) and a text with headings
 * are not commands.
 */
export function parseCommand(text: string): { readonly name: string; readonly argument: string } | undefined {
  const note = /^#[ \t]*([^\s#\d][^\n]*)$/.exec(text.trim())?.[1];
  if (note !== undefined) return { name: "memory", argument: `add ${note}` };
  const match = /^\/([A-Za-z0-9][\w:.-]*)(?:\s+([\s\S]*))?$/.exec(text.trim());
  return match ? { name: match[1] ?? "", argument: (match[2] ?? "").trim() } : undefined;
}

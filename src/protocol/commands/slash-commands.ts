import type { ArgumentCompletion, Command, CommandContext } from "../../contracts/command.ts";
import { type CommandResult, linesOf } from "../../contracts/command-result.ts";
import { unknownCommandLine } from "../../contracts/did-you-mean.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { Registered, Registry } from "../../contracts/registry.ts";
import type { CommandCompletion } from "../session-port.ts";

/**
 * `lines`: a screen of lines, without other screens and hidden input. `none`: nobody is at a keyboard, and the face makes
 * a text of each result.
 */
type Screen = "full" | "lines" | "none";

/** Finds and runs the commands of a face by name. */
export class SlashCommands {
  readonly #commands: Registry<Command>;
  readonly #context: CommandContext;
  readonly #screen: Screen;
  #entries: readonly Registered<Command>[] = [];
  #completions: readonly CommandCompletion[] = [];

  constructor(commands: Registry<Command>, screen: Screen, context: CommandContext) {
    this.#commands = commands;
    this.#screen = screen;
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

  /** Finds the command that a text begins with. */
  typed(text: string): Command | undefined {
    const typed = parseSlash(text);
    return typed && this.#find(typed.name);
  }

  /** @throws {UserFacingError} (exit 2) the text begins with a command that needs a screen, and there is none. */
  assertRuns(text: string): void {
    this.#assertRuns(this.typed(text));
  }

  /** @throws {Error} (as a rejection) there is no such command, it needs a screen and there is none, or it failed. */
  async run(name: string, argument: string, signal: AbortSignal): Promise<CommandResult> {
    const command = this.#find(name);
    if (!command) throw new UserFacingError(this.#unknown(name));
    this.#assertRuns(command);
    return this.shown(await command.run(argument, this.#context, signal));
  }

  /** Converts a command's result for this screen. */
  shown(result: CommandResult): CommandResult {
    if (result.kind === "prompt" || result.kind === "operation" || result.kind === "text") return result;
    return canShow(result, this.#screen) ? result : { kind: "text", lines: linesOf(result) };
  }

  #find(name: string): Command | undefined {
    return (this.#commands.get(name) ?? this.#commands.get(name.toLowerCase()))?.value;
  }

  #assertRuns(command: Command | undefined): void {
    if (this.#screen === "none" && command?.interactive)
      throw new UserFacingError(`/${command.name} needs a screen: start quoll without -p to run it.`, 2);
  }

  #unknown(name: string): string {
    const states = name.startsWith("mcp__") ? (this.#context.mcp?.states() ?? []) : [];
    const server = states.find(({ toolPrefix, status }) => status === "pending" && name.startsWith(toolPrefix));
    if (server) return `The MCP server ${server.name} is still starting: try again in a moment.`;
    return unknownCommandLine(
      name,
      this.#commands.entries.flatMap(({ name: one, value }) => [one, ...(value.aliases ?? [])]),
      this.#context.isSafe,
    );
  }
}

/** A screen of lines has numbered lists and fields, but the terminal shows what is typed there. */
function canShow(result: Exclude<CommandResult, { kind: "prompt" | "operation" | "text" }>, screen: Screen): boolean {
  if (screen === "none") return true;
  if (result.kind === "choose") return result.choices.length > 0;
  if (screen === "full" || result.kind === "mark" || result.kind === "copy") return true;
  return result.kind === "form" && !result.fields.some(({ isSecret }) => isSecret);
}

type ParsedCommand = { readonly name: string; readonly argument: string };

/**
 * Reads `/name rest`, or `# words` for `/memory add words`. A path (`/usr/bin`), a number (`#12`) and a text with
 * headings are not commands.
 */
export function parseCommand(text: string): ParsedCommand | undefined {
  const note = /^#[ \t]*([^\s#\d][^\n]*)$/.exec(text.trim())?.[1];
  return note === undefined ? parseSlash(text) : { name: "memory", argument: `add ${note}` };
}

/** Reads `/name rest`. A path (`/usr/bin`) is not a command. */
export function parseSlash(text: string): ParsedCommand | undefined {
  const match = /^\/([A-Za-z0-9][\w:.-]*)(?:\s+([\s\S]*))?$/.exec(text.trim());
  return match ? { name: match[1] ?? "", argument: (match[2] ?? "").trim() } : undefined;
}

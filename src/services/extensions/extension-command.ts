import type { CommandDefinition } from "@quoll/extension-api";
import { oneLine } from "@quoll/terminal-text/one-line";
import { plainText } from "@quoll/terminal-text/plain-text";
import { z } from "zod";
import type { Command } from "../../contracts/command.ts";
import type { CommandResult } from "../../contracts/command-result.ts";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { type FaultyCode, withinTime } from "./within-time.ts";

const COMMAND_MS = 120_000;
const MAX_SUMMARY_COLUMNS = 100;
const MAX_HINT_COLUMNS = 60;
const MAX_LINES = 2_000;

export type ExtensionCommandParts = FaultyCode & {
  /** The name after the slash. */
  readonly name: string;
  /** The extension's path, in printable form. */
  readonly extension: string;
  /** The working folder. */
  cwd(): string;
};

const outputSchema = z.union([z.string(), z.array(z.string()), z.object({ prompt: z.string().min(1) })]);

/** Converts the command of an extension to a command of Quoll. */
export function extensionCommand(definition: CommandDefinition, parts: ExtensionCommandParts): Command {
  const { summary, argumentHint } = definition;
  return {
    name: parts.name,
    summary: oneLine(summary, MAX_SUMMARY_COLUMNS),
    ...(argumentHint !== undefined && { argumentHint: oneLine(argumentHint, MAX_HINT_COLUMNS) }),
    run: (argument, _context, signal) => run(definition, argument.trim(), { parts, signal }),
  };
}

/** @throws {UserFacingError} the extension's code threw, took too long or answered with something unusable. */
async function run(
  definition: CommandDefinition,
  argument: string,
  { parts, signal }: { readonly parts: ExtensionCommandParts; readonly signal: AbortSignal },
): Promise<CommandResult> {
  const { name, extension, clock, code, cwd, fault } = parts;
  const { timeoutMs: ms = COMMAND_MS } = definition;
  try {
    const answer = await withinTime((limited) => definition.run(argument, { cwd: cwd(), signal: limited }), {
      clock,
      code,
      ms,
      signal,
    });
    const output = outputSchema.safeParse(answer ?? []);
    if (!output.success) throw new Error("it returned neither text nor a prompt");
    const { data } = output;
    if (typeof data === "object" && "prompt" in data) return { kind: "prompt", prompt: data.prompt.toWellFormed() };
    const text = typeof data === "string" ? data : data.join("\n");
    const lines = text === "" ? [] : plainText(text.replace(/\n$/, "")).split("\n");
    return { kind: "text", lines: lines.slice(0, MAX_LINES) };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const why = errorMessage(error);
    fault(`/${name}: ${why}`);
    throw new UserFacingError(`/${name} of the extension ${extension} failed: ${why}`, 1, { cause: error });
  }
}

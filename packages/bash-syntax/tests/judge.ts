import { classify } from "../src/classify.ts";
import { allInner, innerCommands } from "../src/inner-commands.ts";
import { stripWrappers } from "../src/strip-wrappers.ts";
import type { Hazard, SimpleCommand } from "../src/types.ts";
import { parser } from "./real-parser.ts";

/** The commands of a source; undefined when it isn't understood (which is never read-only). */
export function commandsOf(source: string): readonly SimpleCommand[] | undefined {
  const parsed = parser.parse(source);
  return parsed.understood ? parsed.commands : undefined;
}

export function firstCommand(source: string): SimpleCommand {
  const command = commandsOf(source)?.[0];
  if (!command) throw new Error(`not understood: ${source}`);
  return command;
}

/** The same for words that the reader refuses as a command (`exec make`): what their words mean is judged here all the same. */
export function anyCommand(source: string): SimpleCommand {
  const known = commandsOf(source)?.[0];
  if (known) return known;
  const { words, ...rest } = firstCommand(`: ${source}`);
  return { ...rest, words: words.slice(1), source };
}

/** Every command by itself, whatever it starts. */
export function isReadOnly(source: string): boolean {
  return commandsOf(source)?.every((command) => classify(command).readOnly) ?? false;
}

/** As a caller would judge: a transparent command is as harmless as what it starts. */
export function isHarmless(source: string): boolean {
  return commandsOf(source)?.every(commandIsHarmless) ?? false;
}

function commandIsHarmless(command: SimpleCommand): boolean {
  const plain = stripWrappers(command) ?? command;
  const inner = innerCommands(plain, parser);
  if (inner === undefined) return classify(command).readOnly;
  if (inner.unknown.length > 0) return false;
  return (inner.isTransparent || classify(command).readOnly) && inner.commands.every(commandIsHarmless);
}

/** The hazards of the source and of every command that it starts. */
export function hazardsOf(source: string): readonly Hazard[] {
  return (commandsOf(source) ?? []).flatMap((command) =>
    allInner(command, parser).commands.flatMap((one) => classify(one.command).hazards),
  );
}

import { allInner } from "../src/inner-commands.ts";
import { stripWrappers } from "../src/strip-wrappers.ts";
import type { ParsedShell, ShellParser, SimpleCommand } from "../src/types.ts";

/**
 * True if a listed command may be this call: known words in their order and number, an unknown one or a pattern as none, one or
 * several.
 */
export function explains(listed: SimpleCommand, call: readonly string[]): boolean {
  const inner = stripWrappers(listed);
  if (inner && explains(inner, call)) return true;
  const script = scriptFile(listed);
  if (script && explains(script, call)) return true;
  let reachable = new Set([0]);
  for (const { value, isGlob } of listed.words) {
    const next = new Set<number>();
    for (const at of reachable) {
      if (value !== undefined && !isGlob) {
        if (call[at] === value) next.add(at + 1);
      } else for (let end = at; end <= call.length; end += 1) next.add(end);
    }
    reachable = next;
  }
  return reachable.has(call.length);
}

/** `bash --norc name words`: a file without a slash is looked for on PATH too, so this call starts a stub of that name. */
function scriptFile(listed: SimpleCommand): SimpleCommand | undefined {
  const [head, ...args] = listed.words;
  if (head?.value !== "bash" && head?.value !== "sh") return undefined;
  const at = args.findIndex(({ value }) => value !== undefined && !/^[-+]/.test(value));
  return at < 0 ? undefined : { ...listed, words: args.slice(at) };
}

/**
 * All commands of a reading and those that they start. Undefined if the reading or one of them is unknown: it may run anything, so
 * that no call can be missed.
 */
export function knownCommands(parsed: ParsedShell, parser: ShellParser): readonly SimpleCommand[] | undefined {
  if (!parsed.understood || parsed.commands.some(({ unknown }) => unknown.length > 0)) return undefined;
  const expanded = parsed.commands.map((command) => allInner(command, parser));
  if (expanded.some(({ unknown, commands }) => unknown.length > 0 || commands.some(hasUnknown))) return undefined;
  return expanded.flatMap(({ commands }) => commands.map(({ command }) => command));
}

/** The calls that nothing of the reading accounts for. */
export function missedCalls(
  parsed: ParsedShell,
  calls: readonly (readonly string[])[],
  parser: ShellParser,
): readonly (readonly string[])[] {
  const listed = knownCommands(parsed, parser);
  return listed === undefined ? [] : calls.filter((call) => !listed.some((command) => explains(command, call)));
}

function hasUnknown({ command }: { readonly command: SimpleCommand }): boolean {
  return command.unknown.length > 0;
}

import type { OptionTable } from "./option-table.ts";
import type { ScannedOptions } from "./scan-options.ts";
import type { SimpleCommand } from "./types.ts";

/**
 * The source of the commands that a program reads from its input, unless they are known to start no program: a redirect as
 * written, or "its input" for a pipe. Undefined if the program reads none.
 */
export function uncoveredInput(
  { readsCommands }: OptionTable,
  { seen, operands }: ScannedOptions,
  { redirects, isPiped }: SimpleCommand,
): string | undefined {
  if (readsCommands === undefined) return undefined;
  const { unless, operands: enough = Number.POSITIVE_INFINITY, code, plainFiles } = readsCommands;
  if (operands >= enough || unless.some((option) => seen.has(option))) return undefined;
  const inputs = redirects.filter(({ direction }) => direction === "read" || direction === "inline");
  const unsure = inputs.find(({ direction, target, body }) => {
    const text = body ? body.text : target.value;
    if (direction === "read") return text === undefined || plainFiles?.test(text) !== true;
    return text === undefined || code.test(text);
  });
  return unsure?.source ?? (isPiped && inputs.length === 0 ? "its input" : undefined);
}

import type { McpPrompt } from "../../../contracts/mcp.ts";

/**
 * The values of a prompt's arguments, in the order of the prompt: `London "next week"`. Quotes keep words together, and
 * the last argument takes all remaining words.
 */
export function promptArguments(typed: string, { arguments: wanted }: McpPrompt): Readonly<Record<string, string>> {
  const parts = [...typed.matchAll(/"((?:\\.|[^"\\])*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain = ""]) => double?.replace(/\\(.)/g, "$1") ?? single ?? plain,
  );
  const last = wanted.length - 1;
  const values = wanted.flatMap(({ name }, at) => {
    const value = at === last ? parts.slice(at).join(" ") : parts[at];
    return value === undefined || value === "" ? [] : [[name, value] as const];
  });
  return Object.fromEntries(values);
}

/** The arguments as help shows them: `<city> [when]`. */
export function argumentHint({ arguments: wanted }: McpPrompt): string | undefined {
  if (wanted.length === 0) return undefined;
  return wanted.map(({ name, isRequired }) => (isRequired ? `<${name}>` : `[${name}]`)).join(" ");
}

/** A prompt, and the name of its command: `mcp__server__prompt`. */
export type NamedPrompt = { readonly command: string; readonly prompt: McpPrompt };

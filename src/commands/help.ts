import type { Command } from "../contracts/command.ts";

export const helpSpec = { name: "help", summary: "Show commands, tools and keys" } as const;

/** Lists what may be invoked, out of the inventory, and the keys of the face. */
export function helpCommand(): Command {
  return {
    ...helpSpec,
    async run(_argument, { inventory, keys = [] }) {
      const commands = inventory.list("command").map(({ name, summary }) => [`/${name}`, summary] as const);
      const tools = inventory.list("tool").map(({ name, level, summary }) => [name, `${summary} (${level})`] as const);
      const keyRows = keys.map(({ keys, does }) => [keys, does] as const);
      return {
        lines: [
          ...section("Commands", commands),
          ...section("Keys", keyRows),
          ...section("Tools the model may call", tools),
          "Type what you want done; `!command` runs a shell command in your own name.",
        ],
      };
    },
  };
}

function section(title: string, rows: readonly (readonly [string, string])[]): readonly string[] {
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [title, ...rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`), ""];
}

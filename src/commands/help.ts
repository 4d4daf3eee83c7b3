import { plural } from "@quoll/terminal-text/plural";
import { tableLines } from "@quoll/terminal-text/table-lines";
import type { Command } from "../contracts/command.ts";
import type { InventoryEntry } from "../contracts/inventory.ts";
import { wordsOf } from "../contracts/rank-match.ts";
import { WEB_SEARCH } from "../contracts/web.ts";

type Row = readonly [name: string, does: string];

const SERVER_PREFIX = /^mcp__.+?__/;

/** Lists the commands and tools of the inventory, and the keys of the face, or those with some words; a screen searches them. */
export const helpCommand: Command = {
  name: "help",
  summary: "Show commands, tools and keys",
  argumentHint: "[words]",
  interactive: true,
  async run(argument, { inventory, showKeys, keys = [] }) {
    const filter = argument.trim();
    if (showKeys) {
      showKeys({ about: "help", filter, rows: toolRows(inventory.list("tool")) });
      return { kind: "text", lines: [] };
    }
    const words = wordsOf(filter);
    const fitting = (rows: readonly Row[]) =>
      rows.filter((row) => words.every((word) => row.join(" ").toLowerCase().includes(word)));
    const commands = inventory.list("command").map(({ name, summary }) => [`/${name}`, summary] as const);
    const keyRows = keys.map(({ keys, does }) => [keys, does] as const);
    const sections = [
      ...section("Commands", fitting(commands)),
      ...section("Keys", fitting(keyRows)),
      ...section("Tools the model may call", fitting(toolRows(inventory.list("tool")))),
    ];
    if (sections.length === 0) return { kind: "text", lines: [`No command, key or tool has "${filter}".`] };
    return {
      kind: "text",
      lines: [...sections, "Type what you want done; `!command` runs a shell command without asking the model."],
    };
  },
};

/** A server may have a hundred tools, so the list only counts them. */
function toolRows(tools: readonly InventoryEntry[]): readonly Row[] {
  const own = tools.filter(({ source }) => source !== "mcp");
  const servers = Map.groupBy(
    tools.filter(({ source }) => source === "mcp"),
    ({ name }) => SERVER_PREFIX.exec(name)?.[0] ?? name,
  );
  const isSearching = own.some(({ name }) => name === WEB_SEARCH);
  return [
    ...own.map(({ name, level, summary }) => [name, `${summary} (${level})`] as const),
    ...[...servers].map(([prefix, brought]) => [`${prefix}*`, plural(brought.length, "tool")] as const),
    ...(isSearching ? [] : [[WEB_SEARCH, "off: `quoll doctor` says how to add a search"] as const]),
  ];
}

function section(title: string, rows: readonly Row[]): readonly string[] {
  if (rows.length === 0) return [];
  return [title, ...tableLines(rows, "  "), ""];
}

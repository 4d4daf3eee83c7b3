import { tableLines } from "@quoll/terminal-text/table-lines";
import { BUILTIN_COMMANDS } from "../../commands/builtin-commands.ts";
import { didYouMean } from "../../contracts/did-you-mean.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { InventoryEntry, InventoryFilter } from "../../contracts/inventory.ts";
import { printLine } from "../../platform/standard-output.ts";
import type { InventoryOptions, RouteOptions } from "../invocation.ts";
import { declaredInventory, TOOL_SPECS } from "../surface.ts";

/** `quoll inventory`. Nothing is started; for commands and tools, only the declarations are read. */
export async function listInventory(what: string, options: InventoryOptions): Promise<number> {
  const { json, trust } = options;
  if (what === "skills") return (await import("./list-skills.ts")).listSkills(options);
  if (what === "agents") return (await import("./list-agents.ts")).listAgentTypes({ json, isTrusted: trust });
  const entries = declaredInventory().list(what === "tools" ? "tool" : "command", filterOf(options));
  if (json) printLine(JSON.stringify(entries, null, 2));
  else printLine(entries.length === 0 ? `There are no ${what}.` : tableLines(entries.map(columns)).join("\n"));
  return 0;
}

/** `quoll route`. */
export async function showRoute(prompt: string, { json, limit, ...options }: RouteOptions): Promise<number> {
  const matches = declaredInventory().route(prompt, {
    filter: filterOf(options),
    ...(limit !== undefined && { limit }),
  });
  const rows = () => tableLines(matches.map((match) => [String(match.score), ...columns(match)])).join("\n");
  printLine(json ? JSON.stringify(matches, null, 2) : matches.length === 0 ? "Nothing fits." : rows());
  return 0;
}

/** `quoll show`. */
export async function show(kind: string, name: string): Promise<number> {
  const bare = name.replace(/^\//, "");
  const specs: readonly { name: string }[] = kind === "tool" ? TOOL_SPECS : BUILTIN_COMMANDS;
  const folded = bare.toLowerCase();
  const known = specs.find((spec) => spec.name.toLowerCase() === folded);
  if (!known) {
    const names = specs.map((spec) => spec.name);
    const hint = didYouMean(bare, names, `There are ${names.join(", ")}.`);
    throw new UserFacingError(`There is no ${kind} "${bare}". ${hint}`, 2);
  }
  const tool = TOOL_SPECS.find((spec) => spec === known);
  if (tool) {
    const { name: toolName, level, summary, description, inputSchema } = tool;
    printLine(`${toolName} · ${level}\n${summary}\n\n${description}\n\n${JSON.stringify(inputSchema, null, 2)}`);
    return 0;
  }
  const command = BUILTIN_COMMANDS.find((spec) => spec === known);
  if (command)
    printLine(`/${command.name}${command.argumentHint ? ` ${command.argumentHint}` : ""}\n${command.summary}`);
  return 0;
}

function filterOf({ simple, mcp, deny }: InventoryOptions): InventoryFilter {
  return { ...(simple && { simple }), noMcp: !mcp, ...(deny && { deny }) };
}

function columns({ kind, name, source, level, summary }: InventoryEntry): readonly string[] {
  return [kind === "command" ? `/${name}` : name, level, source, summary];
}

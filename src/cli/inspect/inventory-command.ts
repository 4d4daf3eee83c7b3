import { tableLines } from "@quoll/terminal-text/table-lines";
import { BUILTIN_COMMANDS } from "../../commands/builtin-commands.ts";
import { nearestNames } from "../../contracts/did-you-mean.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { InventoryEntry, InventoryFilter, InventoryKind } from "../../contracts/inventory.ts";
import { printLine } from "../../platform/standard-output.ts";
import type { InventoryOptions, Invocation } from "../invocation.ts";
import { declaredInventory, TOOL_SPECS } from "../surface.ts";

type InventoryInvocation = Extract<Invocation, { kind: "inventory" | "route" | "show" }>;

/** `quoll inventory`, `route` and `show`: start nothing; all but `inventory skills` and `inventory agents` read only the declarations. */
export async function runInventoryCommand(invocation: InventoryInvocation): Promise<number> {
  switch (invocation.kind) {
    case "inventory":
      if (invocation.what === "skills") return (await import("./list-skills.ts")).listSkills(invocation.options);
      if (invocation.what === "agents")
        return (await import("./list-agents.ts")).listAgentTypes({
          json: invocation.options.json === true,
          isTrusted: invocation.options.trust === true,
        });
      list(invocation.what, invocation.options);
      return 0;
    case "route": {
      const { prompt, options } = invocation;
      const limit = options.limit === undefined ? {} : { limit: options.limit };
      const matches = declaredInventory().route(prompt, { filter: filterOf(options), ...limit });
      if (options.json) printLine(JSON.stringify(matches, null, 2));
      else
        printLine(
          matches.length === 0
            ? "Nothing fits."
            : tableLines(matches.map((match) => [String(match.score), ...columns(match)])).join("\n"),
        );
      return 0;
    }
    case "show":
      show(invocation.what, invocation.name);
      return 0;
  }
}

function list(what: string, options: InventoryOptions): void {
  const kinds: Readonly<Record<string, InventoryKind>> = { commands: "command", tools: "tool" };
  const kind = kinds[what];
  const entries = kind === undefined ? [] : declaredInventory().list(kind, filterOf(options));
  if (options.json) printLine(JSON.stringify(entries, null, 2));
  else printLine(entries.length === 0 ? `There are no ${what}.` : tableLines(entries.map(columns)).join("\n"));
}

function show(kind: string, name: string): void {
  const bare = name.replace(/^\//, "");
  const specs: readonly { name: string }[] = kind === "tool" ? TOOL_SPECS : BUILTIN_COMMANDS;
  const folded = bare.toLowerCase();
  const known = specs.find((spec) => spec.name.toLowerCase() === folded);
  if (!known) {
    const names = specs.map((spec) => spec.name);
    const nearest = nearestNames(bare, names);
    throw new UserFacingError(
      `There is no ${kind} "${bare}"; ${nearest.length > 0 ? `did you mean ${nearest.join(" or ")}?` : `there are ${names.join(", ")}.`}`,
      2,
    );
  }
  const tool = TOOL_SPECS.find((spec) => spec === known);
  if (tool) {
    const { name: toolName, level, summary, description, inputSchema } = tool;
    printLine(`${toolName} · ${level}\n${summary}\n\n${description}\n\n${JSON.stringify(inputSchema, null, 2)}`);
    return;
  }
  const command = BUILTIN_COMMANDS.find((spec) => spec === known);
  if (command)
    printLine(`/${command.name}${command.argumentHint ? ` ${command.argumentHint}` : ""}\n${command.summary}`);
}

function filterOf({ simple, mcp, deny }: InventoryOptions): InventoryFilter {
  return { ...(simple && { simple }), noMcp: !mcp, ...(deny && { deny }) };
}

function columns({ kind, name, source, level, summary }: InventoryEntry): readonly string[] {
  return [kind === "command" ? `/${name}` : name, level, source, summary];
}

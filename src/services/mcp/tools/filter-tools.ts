import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import type { McpServerConfig } from "../config/server-config.ts";
import type { ToolList } from "../session/client-session.ts";

type Filter = Pick<McpServerConfig, "enabledTools" | "disabledTools">;

/** Removes the tools that the configuration excludes; a note gives their number, and unknown names. */
export function filterTools(list: ToolList, { enabledTools, disabledTools = [] }: Filter): ToolList {
  if (!enabledTools && disabledTools.length === 0) return list;
  const isIn = (name: string) => (enabledTools?.includes(name) ?? true) && !disabledTools.includes(name);
  const definitions = list.definitions.filter(({ name }) => isIn(name));
  const known = new Set(list.definitions.map(({ name }) => name));
  const unknown = [...(enabledTools ?? []), ...disabledTools].filter((name) => !known.has(name));
  const left = list.definitions.length - definitions.length;
  return {
    definitions,
    notes: [
      ...list.notes,
      ...(left > 0 ? [`its configuration leaves out ${plural(left, "tool")}`] : []),
      ...unknown.map((name) => `its configuration names the tool ${oneLine(name, 60)}, which it does not have`),
    ],
  };
}

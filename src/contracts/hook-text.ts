import type { HookSettings } from "./hook-settings.ts";

/** The command, address, tool or question of a hook: what a list shows of it. */
export function hookText({ type, command = "", args, url = "", server, tool, prompt = "" }: HookSettings): string {
  switch (type) {
    case "command":
      return [command, ...(args ?? [])].join(" ");
    case "http":
      return url;
    case "mcp_tool":
      return `${server}: ${tool}`;
    case "prompt":
    case "agent":
      return prompt;
  }
}

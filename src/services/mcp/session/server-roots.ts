import { resolve } from "node:path";
import { kindAt } from "../../../platform/files/kind-at.ts";
import type { McpServerConfig } from "../config/server-config.ts";

const MAX_ARGUMENTS = 100;

/**
 * The folders that a server gets: the workspace, and the folders that its own arguments name. Some servers replace the
 * folders of their arguments by those that the client reports.
 */
export function serverRoots(config: McpServerConfig, roots: readonly string[], cwd: string): readonly string[] {
  if (config.kind !== "stdio") return roots;
  const base = resolve(cwd, config.cwd ?? ".");
  const named = config.args
    .slice(0, MAX_ARGUMENTS)
    .filter((argument) => argument !== "" && !argument.startsWith("-"))
    .map((argument) => resolve(base, argument))
    .filter((path) => kindAt(path) === "folder");
  return [...new Set([...roots, ...named])];
}

import { dirname, join } from "node:path";
import type { EditableScope } from "../../../contracts/mcp.ts";

export const MAX_SERVER_FILE_BYTES = 1024 * 1024;

/** The absolute paths of the files that name MCP servers. */
export type ServerFiles = Readonly<Record<EditableScope, string>> & {
  /** The administrator's file: if it exists, only its servers are used. */
  readonly managed: string;
};

export type ServerFilesRequest = {
  /** Our configuration folder. */
  readonly config: string;
  readonly projectRoot: string;
  /** The user's own settings for this project. */
  readonly ownSettingsFile: string;
  readonly managedSettingsFile: string;
};

export function serverFiles(request: ServerFilesRequest): ServerFiles {
  const { config, projectRoot, ownSettingsFile, managedSettingsFile } = request;
  return {
    user: join(config, "mcp.json"),
    local: ownSettingsFile.replace(/\.json$/, ".mcp.json"),
    project: join(projectRoot, ".mcp.json"),
    managed: join(dirname(managedSettingsFile), "managed-mcp.json"),
  };
}

import { isAbsolute, join } from "node:path";
import { errorMessage, UserFacingError } from "../../../contracts/errors.ts";
import type { Environment } from "../../../platform/env.ts";
import { loadFile } from "../../../platform/files/load-file.ts";
import { type ParsedConfig, parseMcpConfig } from "./parse-config.ts";
import type { McpServerConfig } from "./server-config.ts";

const MAX_CONFIG_BYTES = 1024 * 1024;
const FLAG = "--mcp-config";

export type ReadOptions = {
  /** The absolute base folder of relative paths. */
  readonly cwd: string;
  readonly environment: Environment;
};

/**
 * Reads the values of `--mcp-config`: paths of files, or JSON texts. Of two servers with the same name, the later is
 * used.
 * @throws {UserFacingError} (exit 2) a file is unreadable, or contains no server configuration.
 */
export async function readMcpConfigs(
  values: readonly string[],
  { cwd, environment }: ReadOptions,
  signal: AbortSignal,
): Promise<ParsedConfig> {
  const servers = new Map<string, McpServerConfig>();
  const warnings: string[] = [];
  for (const value of values) {
    const isText = value.trimStart().startsWith("{");
    const text = isText ? value : await readConfig(isAbsolute(value) ? value : join(cwd, value), signal);
    const parsed = parseMcpConfig(text, { source: isText ? FLAG : value, environment });
    for (const server of parsed.servers) servers.set(server.name, server);
    warnings.push(...parsed.warnings);
  }
  return { servers: [...servers.values()], warnings };
}

async function readConfig(path: string, signal: AbortSignal): Promise<string> {
  try {
    const { bytes } = await loadFile(path, MAX_CONFIG_BYTES, signal);
    return bytes.toString("utf8").replace(/^\ufeff/, "");
  } catch (error) {
    if (signal.aborted) throw error;
    throw new UserFacingError(`${FLAG}: ${errorMessage(error)}`, 2, { cause: error });
  }
}

import { resolve } from "node:path";
import { isJsonObject } from "../../contracts/message.ts";
import { readSmallText } from "../../platform/private-file.ts";
import type { ReadOptions } from "../../services/mcp/config/read-configs.ts";
import { MAX_SERVER_FILE_BYTES } from "../../services/mcp/sources/server-files.ts";

/**
 * Checks the values of `--mcp-config` before the first frame. The full configuration reader takes milliseconds to load,
 * and is needed only for a value that is not plain JSON with servers.
 * @throws {UserFacingError} (exit 2) a value can't be read.
 */
export async function checkServerValues(
  values: readonly string[],
  options: ReadOptions,
  signal: AbortSignal,
): Promise<void> {
  for (const value of values) {
    if (await isPlainList(value, options.cwd)) continue;
    const { readMcpConfigs } = await import("../../services/mcp/config/read-configs.ts");
    await readMcpConfigs([value], options, signal);
  }
}

async function isPlainList(value: string, cwd: string): Promise<boolean> {
  try {
    const isText = value.trimStart().startsWith("{");
    const text = isText ? value : await readSmallText(resolve(cwd, value), MAX_SERVER_FILE_BYTES);
    const root: unknown = JSON.parse(text ?? "");
    return isJsonObject(root) && isJsonObject(root["mcpServers"]);
  } catch {
    return false;
  }
}

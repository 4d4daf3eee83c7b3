import { atMost } from "@quoll/async/at-most";
import { UserFacingError } from "../../contracts/errors.ts";
import type { Clock } from "../../contracts/ports.ts";
import type { Settings } from "../../contracts/settings.ts";
import type { McpClient } from "../../services/mcp/mcp-client.ts";

/** How long a run without a screen waits for its servers, unless a setting changes it. */
export const START_WAIT_MS = 5_000;

type Waiting = { readonly clock: Clock; readonly settings: Pick<Settings, "mcp">; readonly signal: AbortSignal };

/**
 * Waits until each server has connected or failed, but no longer than the setting says. Required servers get their own
 * limit.
 * @throws {UserFacingError} (exit 1) a required server is not available; the abort reason.
 */
export async function waitForServers(client: McpClient, { clock, settings, signal }: Waiting): Promise<void> {
  const waitMs = settings.mcp?.startWaitMs ?? START_WAIT_MS;
  await Promise.all([client.requiredSettled(), atMost(client.settled(), waitMs, { clock })]);
  if (signal.aborted) {
    await client.close();
    throw signal.reason;
  }
  const missing = client.missingRequired;
  if (!missing) return;
  await client.close();
  const { name, error, status } = missing;
  throw new UserFacingError(
    `The required MCP server ${JSON.stringify(name)} is not available: ${error ?? status}. Without "required": true, the session continues without this server.`,
  );
}

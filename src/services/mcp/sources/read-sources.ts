import { errorMessage, UserFacingError } from "../../../contracts/errors.ts";
import type { McpScope } from "../../../contracts/mcp.ts";
import type { Environment } from "../../../platform/env.ts";
import { readSmallText } from "../../../platform/private-file.ts";
import { parseMcpConfig, parseServerEntries } from "../config/parse-config.ts";
import type { Candidate, ServerApproval } from "./select-servers.ts";
import { MAX_SERVER_FILE_BYTES } from "./server-files.ts";

export type SourceFile = {
  readonly scope: McpScope;
  readonly file: string;
  /** The file's name for people. */
  readonly source: string;
  readonly environment: Environment;
  /**
   * For a project's file: returns the approval state of an entry, before variables are replaced. If absent, every
   * server is accepted.
   */
  readonly approval?: (name: string, entry: unknown) => ServerApproval;
};

export type ReadSource = {
  readonly candidates: readonly Candidate[];
  /** One line each: an error of the file, which then defines no servers, and unknown keys. */
  readonly warnings: readonly string[];
};

/** Reads a file of servers once; a missing file defines none. A faulty file never ends the session. */
export async function readServerFile(request: SourceFile): Promise<ReadSource> {
  const { scope, file, source, environment, approval } = request;
  try {
    const text = await readSmallText(file, MAX_SERVER_FILE_BYTES);
    if (text === undefined || text.trim() === "") return { candidates: [], warnings: [] };
    const parsed = parseMcpConfig(text, { source, environment, scope });
    const entries = parseServerEntries(text, source);
    const candidates = parsed.servers.map(
      (config): Candidate => ({
        config,
        scope,
        source,
        ...(approval && { approval: approval(config.name, entries[config.name]) }),
      }),
    );
    return { candidates, warnings: parsed.warnings };
  } catch (error) {
    const why = error instanceof UserFacingError ? error.message : `${source}: ${errorMessage(error)}.`;
    return { candidates: [], warnings: [`${why} Its MCP servers were left out.`] };
  }
}

import { z } from "zod";
import { parsedJson } from "../../../contracts/parsed-json.ts";
import { sha256 } from "../../../platform/digest.ts";
import { replaceIfPossible } from "../../../platform/private-file.ts";
import { readSmallFile } from "../../../platform/read-small-file.ts";
import type { McpServerConfig } from "../config/server-config.ts";

export const MAX_SERVERS = 200;
const MAX_FILE_BYTES = 64 * 1024;
const HASH_CHARS = 32;

const fileSchema = z.record(z.string(), z.number().int().min(0));

/**
 * Stores the tokens that each server's tools took when it last answered, so that Quoll can count a server that is still
 * starting. All projects share one file; the oldest of more than `MAX_SERVERS` entries are dropped. A file that can't
 * be read or written is ignored: a server that is still starting then counts as unknown.
 */
export class ListSizes {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Undefined if the server has never answered with this configuration. */
  tokensOf(config: McpServerConfig): number | undefined {
    return this.#read().get(keyOf(config));
  }

  note(config: McpServerConfig, tokens: number): void {
    const sizes = this.#read();
    const key = keyOf(config);
    if (sizes.get(key) === tokens) return;
    sizes.delete(key);
    sizes.set(key, tokens);
    const kept = [...sizes].slice(-MAX_SERVERS);
    replaceIfPossible(this.#file, `${JSON.stringify(Object.fromEntries(kept))}\n`);
  }

  #read(): Map<string, number> {
    const parsed = fileSchema.safeParse(parsedJson(readSmallFile(this.#file, MAX_FILE_BYTES) ?? ""));
    return new Map(parsed.success ? Object.entries(parsed.data) : []);
  }
}

/**
 * Values of variables and headers are omitted: they may be secrets, and a new value does not make a different server.
 */
function keyOf(config: McpServerConfig): string {
  const about = {
    ...config,
    ...("env" in config && { env: Object.keys(config.env) }),
    ...("headers" in config && { headers: Object.keys(config.headers) }),
  };
  return sha256(JSON.stringify(about)).slice(0, HASH_CHARS);
}

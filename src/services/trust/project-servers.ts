import { join } from "node:path";
import type { ParseError } from "jsonc-parser/lib/esm/main.js";
import type { Approvable } from "../../contracts/approval.ts";
import { errorCode, errorMessage } from "../../contracts/errors.ts";
import { isJsonObject } from "../../contracts/message.ts";
import { parsedJson } from "../../contracts/parsed-json.ts";
import { readSmallText } from "../../platform/private-file.ts";
import { serverApprovable } from "./server-approvable.ts";

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const FILE = ".mcp.json";

/** Content that needs approval, and one line for each file that can't be read. */
export type CollectedContent = { readonly items: readonly Approvable[]; readonly problems: readonly string[] };

/** The MCP servers of a project's `.mcp.json`. Starts nothing. @param root Absolute, symlinks resolved. */
export async function projectServers(root: string): Promise<CollectedContent> {
  try {
    const text = await readSmallText(join(root, FILE), MAX_FILE_BYTES);
    return { items: text === undefined ? [] : await serversIn(text, root), problems: [] };
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return { items: [], problems: [] };
    return { items: [], problems: [`has a file that can't be checked beforehand: ${FILE} (${errorMessage(error)})`] };
  }
}

/** @throws {Error} the text can't be parsed. */
async function serversIn(text: string, root: string): Promise<readonly Approvable[]> {
  const value = await parsed(text);
  const servers = isJsonObject(value) ? value["mcpServers"] : undefined;
  if (!isJsonObject(servers) && !Array.isArray(servers)) return [];
  return Object.entries(servers).map(([name, entry]) => serverApprovable({ name, entry, file: FILE }, root));
}

/** Most files have no comments, and then need no slow parser before the first frame. */
async function parsed(text: string): Promise<unknown> {
  return parsedJson(text) ?? parsedWithComments(text);
}

async function parsedWithComments(text: string): Promise<unknown> {
  const { parse } = await import("jsonc-parser/lib/esm/main.js");
  const errors: ParseError[] = [];
  try {
    const value: unknown = parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
    if (errors.length === 0) return value;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Error("its brackets are nested too deeply", { cause: error });
  }
  throw new Error("it is not JSON");
}

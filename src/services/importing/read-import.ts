import { findNodeAtLocation, getNodeValue, type ParseError, parseTree } from "jsonc-parser/lib/esm/main.js";
import { isJsonObject } from "../../contracts/message.ts";
import type { ImportLine, ImportReader, ReadFile } from "./import-line.ts";
import { readClaudeProject, readClaudeServers, readClaudeSettings } from "./read-claude.ts";
import { readClaudeKeys } from "./read-claude-keys.ts";
import { readCodexConfig, readCodexHooks } from "./read-codex.ts";
import { readGeminiPolicy, readGeminiSettings } from "./read-gemini.ts";
import { readOpencode } from "./read-opencode.ts";
import { readPrefixRules } from "./read-prefix-rules.ts";

type Read = {
  readonly text: string;
  /** True for a file of the user, false for one that applies to a project. */
  readonly isOfUser: boolean;
  /** The project whose part of a file is read; needed for `claudeProject`. */
  readonly projectRoot: string;
};
type Reader = (read: Read) => readonly ImportLine[] | Promise<readonly ImportLine[]>;

const READERS = {
  claudeSettings: json(readClaudeSettings),
  claudeKeys: json(readClaudeKeys),
  claudeServers: json(readClaudeServers),
  claudeProject: (read) => json(readClaudeProject(read.projectRoot))(read),
  codexConfig: toml(readCodexConfig),
  codexHooks: json(readCodexHooks),
  codexRules: ({ text }) => readPrefixRules(text),
  geminiSettings: json(readGeminiSettings),
  geminiPolicy: toml(readGeminiPolicy),
  opencode: json(readOpencode),
} as const satisfies Record<string, Reader>;

/** The formats of files that can be imported. */
export type ImportFormat = keyof typeof READERS;

/** Reads the text of another program's file. @throws {Error} the text does not have that format. */
export async function readImport(format: ImportFormat, read: Read): Promise<readonly ImportLine[]> {
  return READERS[format](read);
}

function json(reader: ImportReader): Reader {
  return ({ text, isOfUser }) => reader(jsonFile(text, isOfUser));
}

/** @throws {Error} the text is no JSON object. */
function jsonFile(text: string, isOfUser: boolean): ReadFile {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const data: unknown = tree ? getNodeValue(tree) : {};
  if (errors.length > 0 || !isJsonObject(data)) throw new Error("it is not valid JSON");
  return {
    data,
    isOfUser,
    lineOf: (path) => {
      const node = tree && findNodeAtLocation(tree, [...path]);
      return node && text.slice(0, node.offset).split("\n").length;
    },
  };
}

function toml(reader: ImportReader): Reader {
  return async ({ text, isOfUser }) => {
    const { parse } = await import("smol-toml");
    return reader({ data: parse(text), isOfUser, lineOf: () => undefined });
  };
}

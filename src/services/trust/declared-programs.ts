import { type ParseError, parse } from "jsonc-parser/lib/esm/main.js";

type Fields = Readonly<Record<string, unknown>>;

/** A project's settings may name no program, so the list is empty. @throws {Error} the text can't be parsed. */
export function settingsPrograms(text: string): readonly string[] {
  parseText(text);
  return [];
}

/** The MCP servers that a project declares. @throws {Error} the text can't be parsed. */
export function mcpServers(text: string, name: string): readonly string[] {
  return Object.entries(fieldsOf(fieldsOf(parseText(text))["mcpServers"])).map(
    ([server, value]) => `starts the MCP server ${server}: ${commandOf(value)} (${name})`,
  );
}

function parseText(text: string): unknown {
  const errors: ParseError[] = [];
  let value: unknown;
  try {
    value = parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Error("its brackets are nested too deeply", { cause: error });
  }
  if (errors.length > 0) throw new Error("it is not JSON");
  return value;
}

/** A command with its arguments, a URL, or another description of a declaration. */
function commandOf(value: unknown): string {
  if (typeof value === "string") return value;
  const { command, args, url, type } = fieldsOf(value);
  if (typeof command === "string") return [command, ...itemsOf(args).filter(isText)].join(" ");
  if (typeof url === "string") return url;
  return typeof type === "string" ? `something of the kind ${type}` : "something";
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

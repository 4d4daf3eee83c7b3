import { resolve } from "node:path";
import type { Approvable } from "../../contracts/approval.ts";
import { approvedContent } from "./approved-content.ts";
import { shownEffects } from "./shown-effects.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A reference to a variable of the person's environment in an entry. */
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)/g;

type ServerEntry = { readonly name: string; readonly entry: unknown; readonly file: string };

/**
 * An MCP server that a project declares. Its content is the entry before variables are replaced, and each project file that
 * its command or arguments name.
 * @param root The project root: absolute, symlinks resolved.
 */
export function serverApprovable({ name, entry, file }: ServerEntry, root: string): Approvable {
  const { command, args, cwd, headersHelper } = fieldsOf(entry);
  const commands = [command, ...itemsOf(args), headersHelper].filter(isText);
  const folders = isText(cwd) ? [root, resolve(root, cwd)] : [root];
  return {
    kind: "mcp-server",
    name,
    content: approvedContent(entry, commands, { root, folders }),
    ...shownEffects(effectsOf(name, entry, file)),
  };
}

function effectsOf(name: string, entry: unknown, file: string): readonly string[] {
  const { command, args, url, type, env, headers, headersHelper, cwd, required, oauth } = fieldsOf(entry);
  const { authServerMetadataUrl } = fieldsOf(oauth);
  const first = isText(command)
    ? `starts the MCP server ${name}: ${[command, ...itemsOf(args).filter(isText)].join(" ")}`
    : isText(url)
      ? `connects to the MCP server ${name}: ${url}`
      : `declares the MCP server ${name}: ${isText(type) ? `something of the kind ${type}` : "something"}`;
  const variables = Object.entries(fieldsOf(env)).map(([key, value]) => `${key}=${isText(value) ? value : "…"}`);
  const literal = Object.entries(fieldsOf(headers)).flatMap(([key, value]) =>
    isText(value) && value.match(REFERENCE) ? [] : [key],
  );
  const given = [
    ...new Set([...JSON.stringify(entry ?? null).matchAll(REFERENCE)].map(([, variable = ""]) => variable)),
  ];
  return [
    `${first} (${file})`,
    ...(isText(headersHelper) ? [`runs a command for the headers of ${name}: ${headersHelper} (${file})`] : []),
    ...(isText(cwd) ? [`uses the folder ${cwd} for ${name} (${file})`] : []),
    ...(literal.length > 0 ? [`sends ${name} headers with fixed values: ${literal.join(", ")} (${file})`] : []),
    ...(isText(authServerMetadataUrl) ? [`logs in to ${name} by ${authServerMetadataUrl} (${file})`] : []),
    ...(required === true ? [`does not start a session without ${name} (${file})`] : []),
    ...(variables.length > 0 ? [`sets variables of ${name}: ${variables.join(", ")} (${file})`] : []),
    ...(given.length > 0 ? [`gives ${name} your variables ${given.join(", ")} (${file})`] : []),
  ];
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

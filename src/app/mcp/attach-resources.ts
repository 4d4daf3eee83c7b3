import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import { nearestName } from "../../contracts/did-you-mean.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { LeftOutServer } from "../../contracts/mcp.ts";
import type { UserBlock } from "../../contracts/message.ts";
import type { ArtifactStore, Redactor } from "../../contracts/ports.ts";
import { CHARS_PER_TOKEN } from "../../contracts/token-estimate.ts";
import type { ToolResult } from "../../contracts/tool.ts";
import type { QueryEngine } from "../../engine/query-engine.ts";
import { redactResult } from "../../engine/redact-result.ts";
import { fitResult } from "../../engine/result-budget.ts";
import { sha256 } from "../../platform/digest.ts";
import type { McpClient } from "../../services/mcp/mcp-client.ts";

/** The maximum number of resources that one prompt attaches. */
const MAX_MENTIONS = 20;
const MAX_NAME_COLUMNS = 200;
const HASH_CHARS = 12;

type Client = Pick<McpClient, "states" | "resources" | "readResource" | "startedSoon">;

export type AttachParts = {
  readonly client: Client;
  readonly engine: Pick<QueryEngine, "notify">;
  readonly artifacts: ArtifactStore;
  leftOut(): readonly LeftOutServer[];
  redactor(): Promise<Redactor>;
};

/**
 * The content of the resources that a prompt names (`@server:uri`), under the limits of tool results. Waits a short
 * time for a server that is starting. The person and the model get one line for each resource that is not attached.
 */
export async function attachResources(
  words: string,
  parts: AttachParts,
  signal: AbortSignal,
): Promise<readonly UserBlock[]> {
  if (!words.includes("@")) return [];
  const { client } = parts;
  const isMeant = (mention: ResourceMention) => looksMeant(mention, parts);
  const named = resourceMentions(words, isMeant, () => true);
  await client.startedSoon(new Set(named.map(({ server }) => server)), signal);
  const isListed = ({ server, uri }: ResourceMention) => urisOf(server, client).includes(uri);
  const mentions = resourceMentions(words, isMeant, isListed);
  const attached = await Promise.all(mentions.slice(0, MAX_MENTIONS).map((mention) => attach(mention, parts, signal)));
  const rest = mentions.length - MAX_MENTIONS;
  if (rest <= 0) return attached.flat();
  const line = `A prompt attaches at most ${MAX_MENTIONS} resources: the other ${plural(rest, "resource")} did not fit.`;
  return [...attached.flat(), ...notAttached(line, parts)];
}

/** True for a configured server, for a similar name, and for a URI with a scheme and two slashes. */
function looksMeant({ server, uri }: ResourceMention, parts: AttachParts): boolean {
  return uri.includes("://") || nearestName(server, knownServers(parts)) !== undefined;
}

function knownServers({ client, leftOut }: AttachParts): readonly string[] {
  return [...client.states, ...leftOut()].map(({ name }) => name);
}

function urisOf(server: string, client: Client): readonly string[] {
  return client.resources().flatMap((one) => (one.server === server && "uri" in one ? one.uri : []));
}

async function attach(
  { server, uri }: ResourceMention,
  parts: AttachParts,
  signal: AbortSignal,
): Promise<readonly UserBlock[]> {
  const { client, engine, artifacts } = parts;
  const name = `@${server}:${uri}`;
  const absence = whyAbsent(server, parts) ?? valueMissing({ server, uri }, parts);
  if (absence !== undefined)
    return notAttached(`${shown(name)} was not attached: ${absence.endsWith("?") ? absence : `${absence}.`}`, parts);
  try {
    const read = await client.readResource(server, uri, signal);
    const hash = sha256(name).slice(0, HASH_CHARS);
    const hidden = redactResult(read, await parts.redactor());
    const blocks = await fitted(hidden, `mention-${hash}`, artifacts);
    const chars = blocks.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
    engine.notify(`Attached ${name} (${plural(Math.ceil(chars / CHARS_PER_TOKEN), "token")}).`, "info");
    const head = `The content of ${name}, which the user attached, is material of that server:`;
    return [{ type: "text", text: head }, ...blocks];
  } catch (error) {
    const nearest = nearestName(uri, urisOf(server, client));
    const hint = nearest === undefined ? "" : ` Did you mean @${server}:${nearest}?`;
    return notAttached(`${shown(name)} was not attached: ${errorMessage(error)}${shown(hint)}`, parts);
  }
}

/** The reason why a server can't be asked for a resource; undefined if it can. */
function whyAbsent(server: string, parts: AttachParts): string | undefined {
  const state = parts.client.states.find(({ name }) => name === server);
  if (state?.status === "connected") return undefined;
  if (state?.status === "pending") return `the MCP server ${state.name} is still starting`;
  if (state) return `the MCP server ${state.name} is not connected: ${state.error ?? state.status}`;
  const left = parts.leftOut().find(({ name }) => name === server);
  if (left) return `the MCP server ${left.name} was not started: ${left.why}`;
  const nearest = nearestName(server, knownServers(parts));
  const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  return `there is no MCP server ${server}${hint}`;
}

/** A URI never has braces of its own (RFC 3986), so a variable of a template was not replaced. */
function valueMissing({ server, uri }: ResourceMention, { client }: AttachParts): string | undefined {
  const variable = /\{[+#./;?&]?([^{}]+)\}/.exec(uri)?.[1];
  if (variable === undefined || urisOf(server, client).includes(uri)) return undefined;
  return `${variable} has no value: replace {${variable}} in the address`;
}

/** The names come from a prompt or a server, so they are made safe to print. */
function shown(name: string): string {
  return name === "" ? "" : oneLine(name, MAX_NAME_COLUMNS);
}

function notAttached(line: string, { engine }: Pick<AttachParts, "engine">): readonly UserBlock[] {
  engine.notify(line);
  return [{ type: "text", text: line }];
}

async function fitted(
  { content }: ToolResult,
  toolUseId: string,
  artifacts: ArtifactStore,
): Promise<readonly UserBlock[]> {
  const block = { type: "tool_result", toolUseId, content, isError: false } as const;
  const { content: fit } = await fitResult({ block, exempt: false }, artifacts);
  if (typeof fit !== "string") return fit;
  return fit.trim() === "" ? [] : [{ type: "text", text: fit }];
}

/** A resource that a person names in a prompt: `@server:uri`. */
type ResourceMention = { readonly server: string; readonly uri: string };

/**
 * The resources that a prompt names, each once. The punctuation at the end of a sentence belongs to the URI only if the
 * server lists the URI in that form.
 * @param isMeant False for a word that only looks like a resource.
 */
function resourceMentions(
  words: string,
  isMeant: (mention: ResourceMention) => boolean,
  isListed: (mention: ResourceMention) => boolean,
): readonly ResourceMention[] {
  const found = new Map<string, ResourceMention>();
  for (const [, server = "", written = ""] of words.matchAll(/(?<=^|[\s("'`])@([^\s@:]+):(\S+)/g)) {
    const plain = written.replace(/[.,;:!?)"'`]+$/, "");
    const uri = isListed({ server, uri: written }) ? written : plain;
    if (uri !== "" && isMeant({ server, uri })) found.set(`${server}:${uri}`, { server, uri });
  }
  return [...found.values()];
}

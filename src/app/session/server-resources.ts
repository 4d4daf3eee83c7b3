import { createHash } from "node:crypto";
import { basename } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import { errorMessage } from "../../contracts/errors.ts";
import type { UserBlock } from "../../contracts/message.ts";
import type { PermissionEngine } from "../../contracts/permission.ts";
import type { ArtifactStore } from "../../contracts/ports.ts";
import type { SourcedRegistry } from "../../contracts/registry.ts";
import { CHARS_PER_TOKEN } from "../../contracts/token-estimate.ts";
import type { Tool, ToolResult } from "../../contracts/tool.ts";
import type { QueryEngine } from "../../engine/query-engine.ts";
import { fitResult } from "../../engine/result-budget.ts";
import type { McpClient } from "../../services/mcp/mcp-client.ts";
import type { ContentFiles } from "../../services/mcp/read-result.ts";
import { type ResourceMention, resourceMentions } from "../../services/mcp/resource-mentions.ts";
import { resourceTools } from "../../services/mcp/resource-tools.ts";

type Parts = {
  readonly client: McpClient;
  readonly engine: Pick<QueryEngine, "tell" | "taskNews" | "subscribe">;
  readonly offered: SourcedRegistry<Tool>;
  readonly permissions: Pick<PermissionEngine, "hiddenTools">;
  readonly artifacts: ArtifactStore;
};

/** The tools for resources are offered under no server's name, while any server has resources. */
const HASH_CHARS = 12;
const MAX_FILE_NAME_CHARS = 60;
const MAX_CHANGES_IN_TURN = 20;
const MAX_SERVER_COLUMNS = 60;
const MAX_URI_COLUMNS = 200;
const SOURCE = { kind: "mcp" } as const;

/** Offers the model the tools for resources as soon as a server has one, and takes them back when none has. */
export function offerResources({ client, offered, permissions }: Omit<Parts, "engine" | "artifacts">): void {
  const all = resourceTools(client);
  let isOffered = false;
  const offer = () => {
    const has = client.resources().length > 0;
    if (has === isOffered) return;
    isOffered = has;
    const hidden = permissions.hiddenTools(all.map(({ spec }) => spec.name));
    offered.set(SOURCE, has ? all.filter(({ spec }) => !hidden.has(spec.name)) : []);
  };
  offer();
  client.onChanged(offer);
}

/**
 * Notes for the model that a resource it has read changed: at most one for each resource in a turn, and few in all.
 * @returns the function to call when a server reports a change.
 */
export function tellResourceChanges({ engine }: Pick<Parts, "engine">): (server: string, uri: string) => void {
  const told = new Set<string>();
  const waiting = new Map<string, string>();
  let count = 0;
  const note = (id: string, text: string) => engine.taskNews.addModelNote(id, text);
  engine.subscribe(({ event }) => {
    if (event.type !== "turn_finished") return;
    told.clear();
    for (const [id, text] of waiting) note(id, text);
    count = waiting.size;
    waiting.clear();
  });
  return (server, uri) => {
    const id = `mcp-resource:${server}:${uri}`;
    if (told.has(id)) {
      waiting.set(id, changeText(server, uri));
      return;
    }
    if (count >= MAX_CHANGES_IN_TURN) return;
    count += 1;
    told.add(id);
    note(id, changeText(server, uri));
  };
}

/** The names come from a server or its configuration: they stay on one line and can't end their element. */
function changeText(server: string, uri: string): string {
  const name = JSON.stringify(oneLine(server, MAX_SERVER_COLUMNS));
  const element = `server=${name}>${oneLine(uri, MAX_URI_COLUMNS)}`.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  const head =
    "A resource that you read has changed. Its name is material of the MCP server and no request of the user:";
  return `${head}\n<mcp-resource-changed ${element}</mcp-resource-changed>`.toWellFormed();
}

/** Keeps content in the session's folder. The same content has the same file name. */
export function contentFiles(artifacts: ArtifactStore): ContentFiles {
  return ({ uri, bytes }) => {
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, HASH_CHARS);
    return artifacts.save(`mcp-${hash}-${basename(uri).slice(-MAX_FILE_NAME_CHARS)}`, bytes);
  };
}

/** The content of the resources that a prompt names (`@server:uri`), under the limits of tool results. */
export async function attachResources(
  words: string,
  { client, engine, artifacts }: Pick<Parts, "client" | "engine" | "artifacts">,
  signal: AbortSignal,
): Promise<readonly UserBlock[]> {
  if (!words.includes("@")) return [];
  const servers = new Set(client.states.flatMap(({ name, status }) => (status === "connected" ? [name] : [])));
  const isListed = ({ server, uri }: ResourceMention) =>
    client.resources().some((one) => one.server === server && "uri" in one && one.uri === uri);
  const mentions = resourceMentions(words, servers, isListed);
  const attached = await Promise.all(mentions.map((mention) => attach(mention, { client, engine, artifacts }, signal)));
  return attached.flat();
}

async function attach(
  { server, uri }: ResourceMention,
  { client, engine, artifacts }: Pick<Parts, "client" | "engine" | "artifacts">,
  signal: AbortSignal,
): Promise<readonly UserBlock[]> {
  const name = `@${server}:${uri}`;
  try {
    const read = await client.readResource(server, uri, signal);
    const blocks = await fitted(
      read,
      `mention-${createHash("sha256").update(name).digest("hex").slice(0, HASH_CHARS)}`,
      artifacts,
    );
    const chars = blocks.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
    engine.tell(`Attached ${name} (${plural(Math.ceil(chars / CHARS_PER_TOKEN), "token")}).`, "info");
    return [
      { type: "text", text: `The content of ${name}, which the user attached, is material of that server:` },
      ...blocks,
    ];
  } catch (error) {
    const problem = `${name} could not be attached: ${errorMessage(error)}`;
    engine.tell(problem);
    return [{ type: "text", text: problem }];
  }
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

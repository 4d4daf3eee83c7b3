import type { McpServers } from "../../contracts/mcp.ts";
import type { Message } from "../../contracts/message.ts";
import type { QueryEngine } from "../../engine/query-engine.ts";
import { type ServerText, serverTexts, textsBlock } from "../../services/mcp/config/server-texts.ts";

type Telling = {
  readonly client: Pick<McpServers, "states" | "onChanged">;
  readonly engine: Pick<QueryEngine, "conversation" | "subscribe" | "taskNews">;
  /** True if the model has a tool whose name begins with this prefix. */
  hasTool(prefix: string): boolean;
};

/**
 * Gives the model the instructions of servers that it does not have yet: those of a server that connected after the
 * first message, and those of every server after a compaction.
 * @returns the function that stops this.
 */
export function tellServerTexts({ client, engine, hasTool }: Telling): () => void {
  const tell = () => {
    const { messages } = engine.conversation;
    // The first message contains the instructions of all servers that are connected by then.
    if (messages.length === 0) return;
    const missing = tellableTexts(client, hasTool).filter((text) => !isHeld(text, messages));
    for (const text of missing) engine.taskNews.addModelNote(`mcp-instructions:${text.server}`, textsBlock([text]));
  };
  const ends = [
    client.onChanged(tell),
    engine.subscribe(({ event }) => {
      if (event.type === "turn_started" || event.type === "compacted") tell();
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** The instructions of the connected servers, as one block; empty if there are none. */
export function textsFor(client: Pick<McpServers, "states">, hasTool: Telling["hasTool"]): string {
  return textsBlock(tellableTexts(client, hasTool));
}

/** The instructions of servers that have a tool for the model, or no tools at all. */
function tellableTexts({ states }: Pick<McpServers, "states">, hasTool: Telling["hasTool"]) {
  const toolless = new Set(states.flatMap(({ toolPrefix, tools }) => (tools === 0 ? [toolPrefix] : [])));
  return serverTexts(states).filter(({ toolPrefix }) => toolless.has(toolPrefix) || hasTool(toolPrefix));
}

function isHeld({ text }: ServerText, messages: readonly Message[]): boolean {
  return messages.some(
    ({ role, content }) =>
      role === "user" && content.some((block) => block.type === "text" && block.text.includes(text)),
  );
}

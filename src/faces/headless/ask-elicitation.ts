import { z } from "zod";
import type { McpElicitation, McpElicitationReply } from "../../contracts/mcp.ts";
import type { ControlChannel } from "./control-channel.ts";

const replySchema = z.discriminatedUnion("action", [
  z.looseObject({ action: z.literal("accept"), content: z.record(z.string(), z.unknown()).nullish() }),
  z.looseObject({ action: z.literal("decline") }),
  z.looseObject({ action: z.literal("cancel") }),
]);

/** Sends an MCP server's question to the calling program. If there is no answer, the question is declined. */
export function askElicitation(channel: ControlChannel) {
  return async (request: McpElicitation, signal: AbortSignal): Promise<McpElicitationReply> => {
    const { server, message, mode, requestedSchema, url } = request;
    const about = { mcp_server_name: server, message, mode };
    const form = { ...(requestedSchema && { requested_schema: requestedSchema }), ...(url !== undefined && { url }) };
    try {
      const answer = await channel.request({ subtype: "elicitation", ...about, ...form }, { signal });
      const reply = replySchema.parse(answer);
      if (reply.action !== "accept") return { action: reply.action };
      return { action: "accept", ...(reply.content && { content: reply.content }) };
    } catch {
      return { action: signal.aborted ? "cancel" : "decline" };
    }
  };
}

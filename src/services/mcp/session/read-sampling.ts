import { z } from "zod";
import type { McpSampling, McpSamplingMessage } from "../../../contracts/mcp.ts";
import type { ImageMediaType } from "../../../contracts/message.ts";

const MAX_MESSAGES = 200;

const blockSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.literal("image"),
    data: z.string(),
    mimeType: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
  }),
]);
const messageSchema = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.union([blockSchema, z.array(blockSchema)]),
});
const samplingSchema = z.object({
  messages: z.array(messageSchema).min(1).max(MAX_MESSAGES),
  systemPrompt: z.string().optional(),
  maxTokens: z.number().int().min(1),
  tools: z.array(z.unknown()).optional(),
});

/** Reads a server's request for an answer of the model. @returns the reason if Quoll can't serve it. */
export function readSampling(server: string, params: unknown): McpSampling | { readonly problem: string } {
  const parsed = samplingSchema.safeParse(params);
  if (!parsed.success) return { problem: "Quoll answers texts and images only, and needs maxTokens." };
  const { messages, systemPrompt, maxTokens, tools = [] } = parsed.data;
  if (tools.length > 0) return { problem: "Quoll does not offer tools to the model in sampling." };
  return {
    server,
    maxTokens,
    messages: messages.map(readMessage),
    ...(systemPrompt !== undefined && { systemPrompt }),
  };
}

function readMessage({ role, content }: z.infer<typeof messageSchema>): McpSamplingMessage {
  const blocks = Array.isArray(content) ? content : [content];
  return {
    role,
    content: blocks.map((block) =>
      block.type === "text"
        ? block
        : { type: "image", mediaType: block.mimeType satisfies ImageMediaType, data: block.data },
    ),
  };
}

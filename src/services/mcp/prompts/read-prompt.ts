import { z } from "zod";
import type { UserBlock } from "../../../contracts/message.ts";
import { readParts, type SaveContent } from "../tools/read-result.ts";

/** A server's answer to `prompts/get`. */
export const promptMessagesSchema = z.object({
  messages: z.array(z.object({ role: z.enum(["user", "assistant"]).catch("user"), content: z.unknown().optional() })),
});

/** A server's prompt as an input: its text, and its other content. */
export type PromptText = { readonly prompt: string; readonly attachments?: readonly UserBlock[] };

/** Joins the messages of a prompt. If the server also speaks for the model, each text names its speaker. */
export async function readPrompt(
  { messages }: z.infer<typeof promptMessagesSchema>,
  saveContent?: SaveContent,
): Promise<PromptText> {
  const isDialogue = messages.some(({ role }) => role === "assistant");
  const texts: string[] = [];
  const attachments: UserBlock[] = [];
  for (const { role, content } of messages) {
    const read = await readParts(Array.isArray(content) ? content : [content], saveContent);
    const said = typeof read === "string" ? read : "";
    if (said !== "") texts.push(isDialogue ? `${role === "user" ? "User" : "Assistant"}: ${said}` : said);
    else if (typeof read !== "string") attachments.push(...read);
  }
  const prompt = texts.join("\n\n") || "Look at this.";
  return { prompt, ...(attachments.length > 0 && { attachments }) };
}

import { z } from "zod";
import type { McpPrompt } from "../../../contracts/mcp.ts";
import type { UserBlock } from "../../../contracts/message.ts";
import { type ContentFiles, readParts } from "../tools/read-result.ts";

/** A server's answer to `prompts/get`. */
export const promptMessagesSchema = z.object({
  messages: z.array(z.object({ role: z.enum(["user", "assistant"]).catch("user"), content: z.unknown().optional() })),
});

/** A server's prompt as an input: its text, and its other content. */
export type PromptText = { readonly prompt: string; readonly attachments?: readonly UserBlock[] };

/** Joins the messages of a prompt. If the server also speaks for the model, each text names its speaker. */
export async function readPrompt(
  { messages }: z.infer<typeof promptMessagesSchema>,
  files?: ContentFiles,
): Promise<PromptText> {
  const isDialogue = messages.some(({ role }) => role === "assistant");
  const texts: string[] = [];
  const attachments: UserBlock[] = [];
  for (const { role, content } of messages) {
    const read = await readParts(Array.isArray(content) ? content : [content], files);
    const said = typeof read === "string" ? read : "";
    if (said !== "") texts.push(isDialogue ? `${role === "user" ? "User" : "Assistant"}: ${said}` : said);
    else if (typeof read !== "string") attachments.push(...read);
  }
  const prompt = texts.join("\n\n") || "Look at this.";
  return { prompt, ...(attachments.length > 0 && { attachments }) };
}

/** A prompt, and the name of its command: `mcp__server__prompt`. */
export type NamedPrompt = { readonly command: string; readonly prompt: McpPrompt };

/**
 * The values of a prompt's arguments, in the order of the prompt: `London "next week"`. Quotes keep words together, and
 * the last argument takes all remaining words.
 */
export function promptArguments(typed: string, { arguments: wanted }: McpPrompt): Readonly<Record<string, string>> {
  const parts = [...typed.matchAll(/"((?:\\.|[^"\\])*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain = ""]) => double?.replace(/\\(.)/g, "$1") ?? single ?? plain,
  );
  const last = wanted.length - 1;
  const values = wanted.flatMap(({ name }, at) => {
    const value = at === last ? parts.slice(at).join(" ") : parts[at];
    return value === undefined || value === "" ? [] : [[name, value] as const];
  });
  return Object.fromEntries(values);
}

/** The arguments as help shows them: `<city> [when]`. */
export function argumentHint({ arguments: wanted }: McpPrompt): string | undefined {
  if (wanted.length === 0) return undefined;
  return wanted.map(({ name, isRequired }) => (isRequired ? `<${name}>` : `[${name}]`)).join(" ");
}

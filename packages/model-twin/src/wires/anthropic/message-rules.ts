import { at, type Report } from "../../shape.ts";
import type { Block, TextBlock } from "./request.ts";
import type { Rule } from "./rule.ts";
import { blocksOf } from "./turns.ts";

export const firstMessageIsTheUsers: Rule = ({ request }, report) => {
  if (request.messages[0]?.role !== "user") report("messages.0.role", 'the first message must have the role "user"');
};

/** Only the last message may be empty, and only if it is the assistant's. */
export const messagesHaveContent: Rule = ({ request: { messages } }, report) => {
  for (const [index, message] of messages.entries()) {
    const where = at("messages", index);
    const isLastOfAssistant = index === messages.length - 1 && message.role === "assistant";
    if (blocksOf(message, where).length === 0 && !isLastOfAssistant)
      report(where, "must have content that is not empty");
  }
};

function blankText({ text }: TextBlock, where: string, report: Report): void {
  if (text === "") report(where, "a text block must not be empty");
  else if (text.trim() === "") report(where, "a text block must hold more than white space");
}

function blankTexts(blocks: readonly Block[], where: string, report: Report): void {
  for (const [index, block] of blocks.entries()) {
    const place = at(where, index);
    if (block.type === "text") blankText(block, place, report);
    if (block.type === "search_result") blankTexts(block.content, at(place, "content"), report);
    if (block.type === "tool_result" && Array.isArray(block.content))
      blankTexts(block.content, at(place, "content"), report);
  }
}

export const textIsNotBlank: Rule = ({ request }, report) => {
  if (Array.isArray(request.system)) blankTexts(request.system, "system", report);
  for (const [index, { content }] of request.messages.entries()) {
    const where = at(at("messages", index), "content");
    if (typeof content !== "string") blankTexts(content, where, report);
    else if (content !== "") blankText({ type: "text", text: content }, where, report);
  }
};

/** If the last message is the assistant's, the model continues it. */
export const prefillEndsInText: Rule = ({ request: { messages } }, report) => {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return;
  const block = blocksOf(last, at("messages", messages.length - 1)).at(-1);
  if (block?.block.type === "text" && block.block.text !== block.block.text.trimEnd()) {
    report(block.where, "the text of a last message of the assistant must not end in white space");
  }
};

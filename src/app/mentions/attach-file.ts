import { decidedByText } from "../../contracts/decided-by.ts";
import type { Display } from "../../contracts/display.ts";
import type { EngineEvent } from "../../contracts/event.ts";
import { textOf, type UserBlock } from "../../contracts/message.ts";
import { pagesWords } from "../../contracts/read-words.ts";
import { outsideCallId } from "../../contracts/served-session.ts";
import { runOutsideCall } from "../session/actions/run-outside-call.ts";
import type { Attached, MentionParts } from "./mention-parts.ts";
import type { MentionedFile } from "./mentioned-file.ts";

const READ = "Read";

/**
 * Attaches a file in the form that Read returns: with its hooks, permissions, limits and hidden credentials. Edit then
 * knows the file.
 */
export async function attachFile(
  { target, shown, lines, pages }: MentionedFile,
  parts: MentionParts,
  signal: AbortSignal,
): Promise<Attached> {
  const id = outsideCallId(parts.app.ids.next());
  const range = { ...(lines && { offset: lines.first, limit: lines.last - lines.first + 1 }), ...(pages && { pages }) };
  let display: Display | undefined;
  const tell = (event: EngineEvent) => {
    if (event.type === "tool_finished") display = event.display;
    if (event.type === "notice") parts.tell(event.message, event.level);
  };
  const call = { id, name: READ, input: { file_path: target.given, ...range } };
  const { result, denials } = await runOutsideCall(parts, call, { signal, tell });
  // A later mention or call of Read returns the text again.
  parts.forgetResults(new Set([id]));
  const { content, isError } = result;
  if (isError) {
    const text = textOf(content);
    const [denial] = denials;
    const problem = denial ? `refused by ${decidedByText(denial.decidedBy)}` : firstSentence(text);
    return { blocks: [{ type: "text", text: `${shown} was not attached: ${text}` }], problem };
  }
  const part = lines ? `, lines ${lines.first}–${lines.last}` : pages ? `, ${pagesWords(pages)}` : "";
  const head = `The user attached ${shown}${part}. ${READ} gives:`;
  const given: readonly UserBlock[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const size = display?.kind === "summary" ? display.text : "read";
  return { blocks: [{ type: "text", text: head }, ...given], size };
}

/** The rest of an error of Read is advice for the model. */
function firstSentence(text: string): string {
  return /^[\s\S]*?[.?!](?=\s|$)/.exec(text)?.[0].replace(/\.$/, "") ?? text;
}

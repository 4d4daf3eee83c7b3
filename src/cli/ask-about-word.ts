import { createInterface } from "node:readline/promises";
import { type UnknownCommandError, unknownLine } from "./subcommand-words.ts";

/**
 * Asks the person at the terminal about a word that is surely meant as a command. Enter alone runs nothing, because a
 * prompt costs money.
 * @returns the command line to run instead.
 */
export async function askAboutWord({
  word,
  nearest,
}: Pick<UnknownCommandError, "word" | "nearest">): Promise<readonly string[] | "leave"> {
  const run = nearest === undefined ? "" : `y runs quoll ${nearest}, `;
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const over = new AbortController();
  lines.once("SIGINT", () => over.abort()).once("close", () => over.abort());
  try {
    const question = `${unknownLine(word, nearest)}\n${run}p sends "${word}" to the model, enter leaves: `;
    const answer = (await lines.question(question, { signal: over.signal })).trim();
    if (nearest !== undefined && /^(?:y|yes|ok)$/i.test(answer)) return nearest.split(" ");
    return /^p(?:rompt)?$/i.test(answer) ? ["--", word] : "leave";
  } catch (error) {
    if (over.signal.aborted) return "leave";
    throw error;
  } finally {
    lines.close();
  }
}

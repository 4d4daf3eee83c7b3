import { CONTINUATIONS } from "../../src/engine/continuations.ts";
import { table } from "./markdown.ts";

export const CONTINUATIONS_START = "<!-- continuations: generated from src/engine/continuations.ts -->";
export const CONTINUATIONS_END = "<!-- end of continuations -->";

const COUNTED_ANEW = {
  turn: "each turn",
  accepted: "an answer that fits the window",
  results: "results of calls",
} as const;

/** The table of docs/protocol.md, markers included. */
export function continuationTable(): string {
  const rows = CONTINUATIONS.map(({ reason, about, max, resetsOn }) => [
    `\`${reason}\``,
    about,
    String(max),
    typeof max === "number" ? COUNTED_ANEW[resetsOn] : "",
  ]);
  const head = ["reason", "when", "at most", "counted again after"];
  return [CONTINUATIONS_START, table(head, rows), CONTINUATIONS_END].join("\n\n");
}

import { plainText } from "@quoll/terminal-text/plain-text";
import type { FinishedTool, Row, Transcript } from "../../../protocol/transcript/transcript.ts";
import { toolText } from "../view/transcript-text.ts";
import { callLine } from "./plain-calls.ts";
import { changedLines } from "./plain-diff.ts";
import { callsOf, endBefore, type SpokenRow, spokenRow } from "./plain-rows.ts";
import { eachWithRole, ROLES } from "./spoken-text.ts";

/** The line form of the transcript viewer. */
const COMMAND = /^\s*\/transcript(?:\s+(\d+|all))?\s*$/i;

/**
 * `/transcript` tells the last call with its whole result, `/transcript 5` the last five events in full, and
 * `/transcript all` the whole conversation.
 * @returns undefined for any other line.
 */
export function transcriptLines(line: string, { settled }: Transcript): readonly string[] | undefined {
  const found = COMMAND.exec(line);
  if (!found) return undefined;
  const rows = settled.slice();
  const [, wanted] = found;
  if (wanted === undefined) {
    const last = rows.flatMap((row) => callsOf(row) ?? []).at(-1);
    return last ? wholeCall(last) : [`${ROLES.notice}: no call has ended yet.`];
  }
  const from = wanted === "all" ? 0 : Math.max(0, rows.length - Number(wanted));
  return rows.slice(from).flatMap((row, at) => wholeRow(row, rows[from + at - 1]));
}

function wholeRow(row: Row, before: Row | undefined): readonly string[] {
  const lines = callsOf(row)?.flatMap(wholeCall) ?? spokenRow(row as SpokenRow, before);
  return [...endBefore(row, before), ...lines];
}

function wholeCall(call: FinishedTool): readonly string[] {
  if (call.display?.kind === "diff" && !call.isError && !call.answer)
    return [callLine(call), ...changedLines(call.display.hunks)];
  const lines = toolText(call).flatMap((line) => plainText(line).split("\n"));
  return [
    callLine(call),
    ...eachWithRole(
      "output",
      lines.filter((line) => line.trim() !== ""),
    ),
  ];
}

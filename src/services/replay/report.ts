import { plainText } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import type { CallOutcome } from "./call-book.ts";

/** What a replay came to. */
export type ReplayReport = {
  readonly sessionId: string;
  readonly calls: readonly CallOutcome[];
  /** Of the first call whose result differs; undefined when none does. */
  readonly firstDifference: number | undefined;
  readonly same: number;
  readonly differs: number;
  readonly notRun: number;
  /** What the reader should know of how it was replayed, one line each. */
  readonly notes: readonly string[];
  /** The scratch copy, where it was kept. */
  readonly kept?: string;
};

type Circumstances = Pick<ReplayReport, "sessionId" | "notes" | "kept">;

export function makeReport(calls: readonly CallOutcome[], about: Circumstances): ReplayReport {
  const count = (status: CallOutcome["status"]) => calls.filter((call) => call.status === status).length;
  const firstDifference = calls.find(({ status }) => status === "differs")?.number;
  const counts = { same: count("same"), differs: count("differs"), notRun: count("not run") };
  return { ...about, calls, firstDifference, ...counts };
}

/** The report for people. */
export function renderReport({ calls, firstDifference, same, differs, notRun, notes, kept }: ReplayReport): string {
  const lines = calls.flatMap(callLines);
  const parts = [`${same} same`, `${differs} ${differs === 1 ? "differs" : "differ"}`, `${notRun} not run`];
  const first = firstDifference === undefined ? "" : `; the first difference is in call ${firstDifference}`;
  lines.push(...notes.map((note) => `note: ${note}`));
  if (kept !== undefined) lines.push(`the copy is kept in ${kept}`);
  lines.push(`${plural(calls.length, "call")}: ${parts.join(", ")}${first}.`);
  // Recordings come from anywhere: nothing in them may move a terminal's cursor.
  return `${lines.map((line) => plainText(line)).join("\n")}\n`;
}

function callLines(call: CallOutcome): readonly string[] {
  const name = `${call.number}. ${call.tool}${call.title === "" ? "" : ` ${call.title}`}`;
  switch (call.status) {
    case "same": {
      const remarks = [
        ...(call.isRefused ? ["refused, as in the recording"] : []),
        ...(call.without.length > 0 ? [`not counting ${call.without.join(", ")}`] : []),
      ];
      return [`same     ${name}${remarks.length > 0 ? ` (${remarks.join("; ")})` : ""}`];
    }
    case "differs": {
      const without = call.without.length > 0 ? ` (not counting ${call.without.join(", ")})` : "";
      return [`differs  ${name}${without}`, "  --- recorded", "  +++ now", ...call.diff.map((line) => `  ${line}`)];
    }
    case "not run":
      return [`not run  ${name}: ${call.why}`];
  }
}

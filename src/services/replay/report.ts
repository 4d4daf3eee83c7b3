import { plainText } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import type { CallOutcome } from "./call-matcher.ts";

/** The result of a replay. */
export type ReplayReport = {
  readonly sessionId: string;
  readonly calls: readonly CallOutcome[];
  /** The number of the first call with a different result; undefined if there is none. */
  readonly firstDifference: number | undefined;
  readonly same: number;
  readonly differs: number;
  readonly notRun: number;
  /** Notes about how the session was replayed, one line each. */
  readonly notes: readonly string[];
  /** The scratch copy, if it was kept. */
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
  // Recordings may come from anyone: their text must not control the terminal.
  return `${lines.map((line) => plainText(line)).join("\n")}\n`;
}

function callLines(call: CallOutcome): readonly string[] {
  const name = `${call.number}. ${call.tool}${call.title === "" ? "" : ` ${call.title}`}`;
  switch (call.status) {
    case "same": {
      const remarks = [
        ...(call.isRefused ? ["refused, like in the recording"] : []),
        ...(call.without.length > 0 ? [`ignoring ${call.without.join(", ")}`] : []),
      ];
      return [`same     ${name}${remarks.length > 0 ? ` (${remarks.join("; ")})` : ""}`];
    }
    case "differs": {
      const without = call.without.length > 0 ? ` (ignoring ${call.without.join(", ")})` : "";
      return [`differs  ${name}${without}`, "  --- recorded", "  +++ now", ...call.diff.map((line) => `  ${line}`)];
    }
    case "not run":
      return [`not run  ${name}: ${call.why}`];
  }
}

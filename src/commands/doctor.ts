import { plural } from "@quoll/terminal-text/plural";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import type { Command } from "../contracts/command.ts";
import type { Check, CheckGroup, DoctorReport } from "../contracts/doctor.ts";

const MARKS = { ok: "✓", unasked: "·", warning: "!", problem: "✗" } as const;
const WIDTH = 78;
const NAME_COLUMNS = 12;
const INDENT = " ".repeat(4 + NAME_COLUMNS);
const MAX_ERRORS = 5;

export const doctorCommand: Command = {
  name: "doctor",
  summary: "Check everything that Quoll needs",
  async run(_, { doctor }) {
    if (!doctor) return { kind: "text", lines: ["Run `quoll doctor` in a terminal."] };
    return {
      kind: "operation",
      title: "Checking",
      run: async (_progress, signal) => {
        const report = await doctor(signal);
        return { kind: "view", title: doctorVerdict(report), lines: doctorLines(report) };
      },
    };
  },
};

/** A report for a person, at most 80 columns wide. */
export function doctorLines({ groups, errors }: DoctorReport): readonly string[] {
  return [...groups.flatMap(groupLines), ...errorLines(errors)];
}

function groupLines({ title, checks }: CheckGroup): readonly string[] {
  return [title, ...checks.flatMap(checkLines), ""];
}

function checkLines({ name, level, text, fix }: Check): readonly string[] {
  const [first = "", ...rest] = wrapText(text, WIDTH - INDENT.length);
  const advice = wrapText(fix ?? "", WIDTH - INDENT.length - 2).map((line, index) =>
    index === 0 ? `→ ${line}` : `  ${line}`,
  );
  return [
    `  ${MARKS[level]} ${name.padEnd(NAME_COLUMNS)}${first}`,
    ...[...rest, ...(fix === undefined ? [] : advice)].map((line) => INDENT + line),
  ];
}

function errorLines(errors: DoctorReport["errors"]): readonly string[] {
  if (errors.length === 0) return [];
  const shown = errors.slice(0, MAX_ERRORS).flatMap(({ time, sessionId, text }) => {
    const line = `${time.slice(0, 16).replace("T", " ")}  ${sessionId.slice(0, 8)}  ${text.split("\n")[0]}`;
    return wrapText(line, WIDTH - 4).map((part, index) => (index === 0 ? `  ! ${part}` : `    ${part}`));
  });
  return ["Last errors", ...shown, ""];
}

/** The verdict of the report in one sentence. */
export function doctorVerdict({ groups }: DoctorReport): string {
  const count = (level: Check["level"]) =>
    groups.flatMap(({ checks }) => checks).filter((check) => check.level === level).length;
  const [problems, warnings] = [count("problem"), count("warning")];
  if (problems > 0) return `${plural(problems, "problem")} to fix, ${plural(warnings, "warning")}.`;
  return warnings > 0 ? `Quoll works, with ${plural(warnings, "warning")}.` : "Quoll works.";
}

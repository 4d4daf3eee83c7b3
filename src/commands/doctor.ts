import { plural } from "@quoll/terminal-text/plural";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import type { Command } from "../contracts/command.ts";
import type { Check, CheckGroup, DoctorReport } from "../contracts/doctor.ts";
import type { McpServerState, McpServerStatus } from "../contracts/mcp.ts";
import type { McpView } from "../contracts/mcp-view.ts";

const MARKS = { ok: "✓", unasked: "·", warning: "!", problem: "✗" } as const;
const WIDTH = 78;
const NAME_COLUMNS = 12;
const INDENT = " ".repeat(4 + NAME_COLUMNS);
const MAX_ERRORS = 5;
const OFFLINE = "offline";
const SERVERS = "MCP servers";
const STATUS_WORDS: Readonly<Record<McpServerStatus, string>> = {
  connected: "connected",
  failed: "it failed",
  "needs-auth": "it needs a login",
  pending: "it is starting",
  disabled: "disabled",
};

export const doctorCommand: Command = {
  name: "doctor",
  summary: "Check everything that Quoll needs",
  async run(_, { doctor, engine, mcp }) {
    if (!doctor) return { kind: "text", lines: ["Run `quoll doctor` in a terminal."] };
    return {
      kind: "operation",
      title: "Checking",
      run: async (_progress, signal) => {
        const { model, providerName } = engine.state;
        const inUse = model === OFFLINE ? undefined : `${providerName}/${model}`;
        const report = worstFirst(withServers(await doctor(signal, inUse), mcp));
        return { kind: "view", title: doctorVerdict(report), lines: doctorLines(report) };
      },
    };
  },
};

/** The report with the states of the session's servers, as far as the session has any. */
function withServers(report: DoctorReport, mcp: McpView | undefined): DoctorReport {
  const states = mcp?.states() ?? [];
  const names = new Set(states.map(({ name }) => name));
  if (names.size === 0) return report;
  const others = (checks: readonly Check[]) =>
    checks.filter(({ name, level }) => !names.has(name) && (level === "warning" || level === "problem"));
  const left = (mcp?.leftOut() ?? []).map(
    ({ name, why }): Check => ({ name, level: "unasked", text: `not started: ${why}` }),
  );
  const groups = report.groups.map((group) =>
    group.title === SERVERS
      ? { ...group, checks: [...states.map(serverCheck), ...left, ...others(group.checks)] }
      : group,
  );
  return { ...report, groups };
}

function serverCheck({ name, status, error, tools }: McpServerState): Check {
  const text = error ?? STATUS_WORDS[status];
  switch (status) {
    case "connected":
      return { name, level: "ok", text: `connected, ${plural(tools, "tool")}` };
    case "failed":
      return { name, level: "problem", text, fix: `\`/mcp ${name}\` shows more and reconnects.` };
    case "needs-auth":
      return { name, level: "warning", text, fix: `\`/mcp ${name}\` logs in.` };
    default:
      return { name, level: "unasked", text };
  }
}

/** Groups with problems stand first, then groups with warnings; so do the checks in each group. */
function worstFirst(report: DoctorReport): DoctorReport {
  const rank = ({ level }: Check) => (level === "problem" ? 0 : level === "warning" ? 1 : 2);
  const worst = ({ checks }: CheckGroup) => Math.min(2, ...checks.map(rank));
  const groups = report.groups.map((group) => ({
    ...group,
    checks: group.checks.toSorted((a, b) => rank(a) - rank(b)),
  }));
  return { ...report, groups: groups.toSorted((a, b) => worst(a) - worst(b)) };
}

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

import { expect, test } from "bun:test";
import { textWidth } from "@quoll/terminal-text/text-width";
import { doctorCommand, doctorLines, doctorVerdict } from "../../src/commands/doctor.ts";
import type { CommandContext } from "../../src/contracts/command.ts";
import type { DoctorReport } from "../../src/contracts/doctor.ts";

const LONG = "a/long/path/".repeat(12);
const REPORT: DoctorReport = {
  isUsable: false,
  groups: [
    {
      title: "Programs",
      checks: [
        { name: "rg", level: "ok", text: "15.0.0, /usr/bin/rg" },
        { name: "shop", level: "unasked", text: "npx (not started)" },
        { name: "git", level: "warning", text: "not found on PATH", fix: `Install git into ${LONG}` },
        { name: "bash", level: "problem", text: LONG, fix: "Install bash." },
      ],
    },
  ],
  errors: [{ time: "2026-01-02T03:04:05.000Z", sessionId: "abcdef0123456789", text: "TypeError: x\nat y" }],
};
const NEVER = new AbortController().signal;

test("each check has its mark, its advice below it, and no line is wider than 80 columns", () => {
  const lines = doctorLines(REPORT);
  expect(lines.filter((line) => textWidth(line) > 80)).toEqual([]);
  expect(lines.slice(0, 4)).toEqual([
    "Programs",
    "  ✓ rg          15.0.0, /usr/bin/rg",
    "  · shop        npx (not started)",
    "  ! git         not found on PATH",
  ]);
  expect(lines[4]).toStartWith(`${" ".repeat(16)}→ Install git`);
  expect(lines.find((line) => line.startsWith("  ✗"))).toContain("bash");
});

test("the last errors are named in one line each, without their stack", () => {
  const lines = doctorLines(REPORT);
  expect(lines).toContain("  ! 2026-01-02 03:04  abcdef01  TypeError: x");
  expect(lines.join("\n")).not.toContain("at y");
});

test("one sentence sums the report up", () => {
  const checks = REPORT.groups[0]?.checks ?? [];
  const verdict = (levels: readonly string[]) =>
    doctorVerdict({
      ...REPORT,
      groups: [{ title: "x", checks: checks.filter(({ level }) => levels.includes(level)) }],
    });
  expect([verdict(["ok"]), verdict(["ok", "warning"]), verdict(["ok", "warning", "problem"])]).toEqual([
    "Quoll works.",
    "Quoll works, with 1 warning.",
    "1 problem to fix, 1 warning.",
  ]);
});

test("/doctor is an operation that ends in a view of the report, and in a face without a report it names the command", async () => {
  const context = (doctor?: CommandContext["doctor"]) => ({ doctor }) as unknown as CommandContext;
  const asked = await doctorCommand.run(
    "",
    context(async () => REPORT),
    NEVER,
  );
  if (asked.kind !== "operation") throw new Error(asked.kind);
  expect(await asked.run(() => undefined, NEVER)).toMatchObject({ kind: "view", lines: doctorLines(REPORT) });
  expect(await doctorCommand.run("", context(), NEVER)).toMatchObject({ kind: "text" });
});

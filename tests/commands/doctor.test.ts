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
  const engine = { state: { model: "x", providerName: "house" } };
  const context = (doctor?: CommandContext["doctor"]) => ({ doctor, engine }) as unknown as CommandContext;
  const asked = await doctorCommand.run(
    "",
    context(async () => REPORT),
    NEVER,
  );
  if (asked.kind !== "operation") throw new Error(asked.kind);
  expect(await asked.run(() => undefined, NEVER)).toMatchObject({
    kind: "view",
    title: doctorVerdict(REPORT),
  });
  expect(await doctorCommand.run("", context(), NEVER)).toMatchObject({ kind: "text" });
});

test("/doctor checks the model in use and shows the states of the session's servers, problems first", async () => {
  const asked: (string | undefined)[] = [];
  const state = { kind: "stdio", scope: "user", toolPrefix: "", notes: [] } as const;
  const states = [
    { ...state, name: "shop", status: "connected", tools: 2 },
    { ...state, name: "broken", status: "failed", tools: 0, error: "it ended with exit code 1" },
  ] as const;
  const checks = [{ name: "broken", level: "unasked", text: "npx (not started)" }] as const;
  const ok = { name: "node", level: "ok", text: "22" } as const;
  const report = {
    ...REPORT,
    groups: [
      { title: "Versions", checks: [ok] },
      { title: "MCP servers", checks },
    ],
  };
  const context = {
    engine: { state: { model: "hous", providerName: "gateway" } },
    mcp: { states: () => states, leftOut: () => [] },
    doctor: async (_: AbortSignal, model?: string) => {
      asked.push(model);
      return report;
    },
  } as unknown as CommandContext;
  const result = await doctorCommand.run("", context, NEVER);
  if (result.kind !== "operation") throw new Error(result.kind);
  const view = await result.run(() => undefined, NEVER);
  if (view?.kind !== "view") throw new Error("no view");
  expect(asked).toEqual(["gateway/hous"]);
  expect(view.lines.slice(0, 2)).toEqual(["MCP servers", "  ✗ broken      it ended with exit code 1"]);
  const text = view.lines.join("\n");
  expect(text).toContain("`/mcp broken`");
  expect(text).toContain("shop        connected, 2 tools");
  expect(text).not.toContain("not started");
});

/**
 * `npm run conformance`: plays every scenario with every adapter and prints the table. ✓ the expected events, ✗ other events
 * (shown below), – unsupported by the wire (with the reason below). Exits 1 on any ✗. An argument selects scenarios by name.
 */
import { ADAPTERS } from "../tests/conformance/adapters.ts";
import { type Cell, cellsOf } from "../tests/conformance/cells.ts";
import { SCENARIOS } from "../tests/conformance/scenarios.ts";

const wanted = process.argv[2] ?? "";
const chosen = SCENARIOS.filter(({ group, name }) => `${group}: ${name}`.includes(wanted));
const width = Math.max(...chosen.map(({ group, name }) => group.length + name.length + 2));
const SIGNS = { same: "✓", other: "✗", lacking: "–" } as const;

console.log(`${" ".repeat(width)}  ${ADAPTERS.map(({ name }) => name).join("  ")}`);
const rows: { readonly title: string; readonly cells: readonly Cell[] }[] = [];
for (const scenario of chosen) {
  const cells = await cellsOf(scenario);
  const title = `${scenario.group}: ${scenario.name}`;
  const signs = cells.map(({ state }, at) => SIGNS[state].padEnd(ADAPTERS[at]?.name.length ?? 1));
  console.log(`${title.padEnd(width)}  ${signs.join("  ")}`.trimEnd());
  rows.push({ title, cells });
}

const count = (state: Cell["state"]) =>
  rows.flatMap(({ cells }) => cells).filter((cell) => cell.state === state).length;
const reasons = new Set(
  rows.flatMap(({ cells }) =>
    cells.flatMap((cell) => (cell.state === "lacking" ? [`– ${cell.adapter}: ${cell.why}`] : [])),
  ),
);
console.log(["", ...reasons].join("\n"));
for (const { title, cells } of rows) {
  for (const cell of cells) {
    if (cell.state === "other") console.log(`\n✗ ${title} on ${cell.adapter}\n${cell.difference.join("\n")}`);
  }
}
console.log(
  `\n${rows.length} scenarios × ${ADAPTERS.length} adapters: ${count("same")} ✓, ${count("other")} ✗, ${count("lacking")} –`,
);
process.exit(count("other") === 0 ? 0 : 1);

import { describe, expect, test } from "bun:test";
import { longerInDeep } from "../../../tests/support/deep.ts";
import { classify } from "../src/classify.ts";
import { HAZARD_EXAMPLES, NETWORK_EXAMPLES, READ_ONLY_EXAMPLES, WRITE_EXAMPLES } from "./examples.ts";
import { commandsOf, hazardsOf, isReadOnly } from "./judge.ts";

describe("each row of the read-only tables", () => {
  test("has examples on both sides, and judges them as it says", () => {
    const wrong: string[] = [];
    for (const row of READ_ONLY_EXAMPLES) {
      const label = [row.name, ...(row.sub ?? [])].join(" ");
      if (row.matches.length === 0 || row.misses.length === 0) wrong.push(`${label}: no examples`);
      for (const source of row.matches) if (!isReadOnly(source)) wrong.push(`${label}: should match: ${source}`);
      for (const source of row.misses) if (isReadOnly(source)) wrong.push(`${label}: should miss: ${source}`);
    }
    expect(wrong).toEqual([]);
  });

  test("is the row that applies to its own matches", () => {
    const wrong = READ_ONLY_EXAMPLES.flatMap((row) =>
      row.matches.filter((source) => !commandsOf(source)?.some(({ words }) => words[0]?.value === row.name)),
    );
    expect(wrong).toEqual([]);
  });

  longerInDeep("refuses an unknown flag, a variable, a write redirect and an assignment", async (isWhole) => {
    const wrong: string[] = [];
    for (const row of READ_ONLY_EXAMPLES.filter((_, at) => isWhole || at % 3 === 0)) {
      const [base] = row.matches;
      if (base === undefined || row.anyWords || row.shape === "test" || [":", "true", "false"].includes(row.name))
        continue;
      for (const source of [
        `${base} --quoll-unknown`,
        `${base} "$SECRET"`,
        `${base} > out`,
        `${base} >> out`,
        `EVIL=1 ${base}`,
        `${base} &> out`,
      ])
        if (isReadOnly(source)) wrong.push(source);
    }
    expect(wrong).toEqual([]);
  });

  test("that accepts any words still refuses a secret, a write redirect and an assignment", () => {
    const wrong = READ_ONLY_EXAMPLES.filter(({ anyWords, shape }) => anyWords || shape === "test").flatMap(
      ({ matches }) =>
        matches.flatMap((base) =>
          [`${base} "$SECRET"`, `${base} > out`, `${base} &>> out`, `EVIL=1 ${base}`].filter(isReadOnly),
        ),
    );
    expect(wrong).toEqual([]);
  });

  test("is listed once", () => {
    // `git config` reads by a flag, or with one operand alone.
    const labels = READ_ONLY_EXAMPLES.map(({ name, sub, needsFlag }) =>
      [name, ...(sub ?? []), ...(name === "git" ? (needsFlag ?? []) : [])].join(" "),
    );
    expect(labels.filter((label, index) => labels.indexOf(label) !== index)).toEqual([]);
  });
});

test("each hazard row names its hazard and its kind for its matches, and not for its misses", () => {
  const wrong: string[] = [];
  for (const row of HAZARD_EXAMPLES) {
    const words = row.hazard.replace(/\{[a-z]+\}.*/, "");
    const hit = (source: string) =>
      hazardsOf(source).some(({ kind, text }) => kind === row.kind && text.startsWith(words));
    for (const source of row.matches)
      if (!hit(source)) wrong.push(`should match: ${source} (${hazardsOf(source).map(({ text }) => text)})`);
    for (const source of row.misses) if (hit(source)) wrong.push(`should miss: ${source}`);
    if (row.matches.length === 0 || row.misses.length === 0) wrong.push(`${row.name}: no examples`);
    for (const source of row.matches) if (isReadOnly(source)) wrong.push(`read-only, yet dangerous: ${source}`);
  }
  expect(wrong).toEqual([]);
});

test("each network row holds for its matches and not for its misses", () => {
  const wrong: string[] = [];
  const isNeeded = (source: string) => commandsOf(source)?.some((command) => classify(command).needsNetwork) ?? false;
  for (const row of NETWORK_EXAMPLES) {
    if (row.matches.length === 0 || row.misses.length === 0) wrong.push(`${row.name}: no examples`);
    for (const source of row.matches) if (!isNeeded(source)) wrong.push(`should match: ${source}`);
    for (const source of row.misses) if (isNeeded(source)) wrong.push(`should miss: ${source}`);
  }
  expect(wrong).toEqual([]);
});

test("each write row reports the files of its matches", () => {
  const found = WRITE_EXAMPLES.flatMap((row) =>
    row.matches.map(
      ([source]) => [source, commandsOf(source)?.flatMap((command) => classify(command).writes)] as const,
    ),
  );
  expect(found).toEqual(
    WRITE_EXAMPLES.flatMap((row) => row.matches.map(([source, writes]) => [source, [...writes]] as const)),
  );
});

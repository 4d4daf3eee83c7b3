import { describe, expect, test } from "bun:test";
import { deepCases, deepTest, FRESH_SEED } from "../../../tests/support/deep.ts";
import type { ParsedShell, ShellParser } from "../src/types.ts";
import { knownCommands, missedCalls } from "./explains.ts";
import { generate } from "./generate.ts";
import { Random } from "./random.ts";
import { hasBash, runManyInBash } from "./real-bash.ts";
import { parser } from "./real-parser.ts";

const CASES = 120;
const SEED = 11;
const FRESH_CASES = deepCases(10_000);
const PARTS = 5;
/** Thousands of processes; a busy machine needs longer than the default. */
const TEST_TIMEOUT_MS = 120_000;

const draw = (random: Random, count: number) => Array.from({ length: count }, () => generate(random));

type Calls = readonly (readonly string[])[];

/** The sources of which bash ran something that `reader` did not list. */
function missesOf(reader: ShellParser, sources: readonly string[], calls: readonly Calls[]) {
  return sources.flatMap((source, index) => {
    const missed = missedCalls(reader.parse(source), calls[index] ?? [], reader);
    return missed.length > 0 ? [{ source, missed }] : [];
  });
}

/** Loses the last command of a kind that a source names. */
function losing(isLost: (within: readonly string[]) => boolean): ShellParser {
  return {
    parse(source): ParsedShell {
      const parsed = parser.parse(source);
      if (!parsed.understood) return parsed;
      const at = parsed.commands.findLastIndex(({ within }) => isLost(within));
      return { ...parsed, commands: parsed.commands.filter((_, index) => index !== at) };
    },
  };
}

describe.skipIf(!hasBash)("generated sources, as bash runs them", () => {
  const fixed = draw(new Random(SEED), CASES);
  const running = hasBash ? runManyInBash(fixed) : Promise.resolve([]);

  test(
    `nothing runs that is not listed (seed ${SEED})`,
    async () => {
      const calls = await running;
      expect(missesOf(parser, fixed, calls)).toEqual([]);
      const understood = fixed.filter((source) => parser.parse(source).understood);
      expect(understood.length).toBeGreaterThan(CASES / 4);
      expect(calls.flat().length).toBeGreaterThan(CASES);
    },
    TEST_TIMEOUT_MS,
  );

  test(
    "a reader that loses one command is caught",
    async () => {
      const calls = await running;
      expect(
        missesOf(
          losing(() => true),
          fixed,
          calls,
        ).length,
      ).toBeGreaterThan(20);
      const nested = (place: string) => losing((within) => within.includes(place));
      expect(missesOf(nested("substitution"), fixed, calls).length).toBeGreaterThan(2);
      expect(missesOf(nested("function"), fixed, calls).length).toBeGreaterThan(0);
    },
    TEST_TIMEOUT_MS,
  );

  // In parts, since each test has its own time limit.
  const sources = (part: number) =>
    draw(new Random(FRESH_SEED), FRESH_CASES).filter(
      (source, at) => at % PARTS === part && knownCommands(parser.parse(source), parser),
    );
  for (let part = 0; part < PARTS; part += 1)
    deepTest(
      `nothing of ${FRESH_CASES} sources runs that is not listed (part ${part}, TEST_SEED=${FRESH_SEED})`,
      async () => {
        // Of the others, no call can be missed: bash needs not run them.
        const known = sources(part);
        expect(known.length).toBeGreaterThan(FRESH_CASES / PARTS / 4);
        expect(missesOf(parser, known, await runManyInBash(known))).toEqual([]);
      },
    );
});

import { test } from "bun:test";

/** True if this is `npm run test:deep`, which runs the tests of this file's functions and no others. */
export const isDeep = process.env["TEST_DEEP"] === "1";
/** The pattern with which the runner selects deep tests (`bun test -t`). */
const PREFIX = "deep: ";

/**
 * TEST_SEED, which `npm run test:deep` derives from the commit; otherwise a new seed in each run. The names of the
 * deep tests contain the seed.
 */
export const FRESH_SEED = Number(process.env["TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

const SHARE = Number(process.env["TEST_DEEP_SHARE"] ?? 1);

/** @returns the random cases of a deep run: all, or the share of TEST_DEEP_SHARE (0 to 1) where time is limited. */
export function deepCases(all: number): number {
  return Math.ceil(all * SHARE);
}

/** The least time limit of a deep test: a busy machine may be many times slower. */
const LIMIT_MS = 480_000;

type Body = () => void | Promise<void>;

/**
 * A test that only `npm run test:deep` runs, because it is too long; `npm test` has a smaller test of the same kind.
 */
export function deepTest(name: string, body: Body, limitMs = 0): void {
  if (isDeep) test(`${PREFIX}${name}`, body, Math.max(limitMs, LIMIT_MS));
}

/** A row of a table: `npm test` runs the quick ones, the deep run the others. */
export function testOrDeep(isQuick: boolean): (name: string, body: Body, limitMs?: number) => void {
  return (name, body, limitMs) => (isQuick ? test(name, body, limitMs) : deepTest(name, body));
}

/**
 * The tests of one of several wires, which all play the same: `npm test` plays each test over one wire, the next test over the next
 * one, the deep run each test over every other wire.
 */
export function testOfWire<Name>(wire: Name, wires: readonly Name[]): (name: string, body: Body) => void {
  let at = 0;
  return (name, body) => {
    testOrDeep(wires[at % wires.length] === wire)(name, body);
    at += 1;
  };
}

/** A story: `npm test` ends it early, the deep run tells it whole. */
export function longerInDeep(name: string, body: (isWhole: boolean) => Promise<void>, limitMs?: number): void {
  testOrDeep(!isDeep)(name, () => body(isDeep), limitMs);
}

type Seeded = {
  /** The seed of `npm test`, which gives the same cases in every run. */
  readonly seed: number;
  readonly cases: { readonly quick: number; readonly deep: number };
};

/** A property: few cases of a fixed seed in `npm test`, many of a fresh one in the deep run. The name tells the seed. */
export function seededTest(
  name: string,
  { seed, cases }: Seeded,
  check: (seed: number, cases: number) => void,
  limitMs?: number,
): void {
  test(`${name} (seed ${seed})`, () => check(seed, cases.quick), limitMs);
  deepTest(`${name} (TEST_SEED=${FRESH_SEED})`, () => check(FRESH_SEED, Math.max(cases.quick, deepCases(cases.deep))));
}

type Fields<Row> = Row extends readonly unknown[] ? [...Row] : [Row];

/**
 * A table: `npm test` tries the quick rows, one of each kind, the deep run the others. The name may hold `%s`, `%j` and `%i`.
 * @param quick How many rows, from the first, are quick, or which are.
 */
export function eachOrDeep<Row extends string | number | object | readonly [unknown, ...unknown[]]>(
  name: string,
  quick: number | ((at: number) => boolean),
  rows: readonly Row[],
  check: (...fields: Fields<Row>) => unknown,
  limitMs?: number,
): void {
  const title = isDeep ? `${PREFIX}${name}` : name;
  const isQuick = typeof quick === "number" ? (at: number) => at < quick : quick;
  for (const row of rows.filter((_, at) => isQuick(at) !== isDeep)) {
    const fields = (Array.isArray(row) ? row : [row]) as unknown as Fields<Row>;
    const limit = isDeep ? Math.max(limitMs ?? 0, LIMIT_MS) : limitMs;
    test.each([[...fields]])(title, async () => void (await check(...fields)), limit);
  }
}

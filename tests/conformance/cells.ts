import { errorMessage } from "../../src/contracts/errors.ts";
import { ADAPTERS, type Adapter } from "./adapters.ts";
import { played } from "./play.ts";
import type { Conformance } from "./scenarios/lines.ts";

export type Cell =
  | { readonly state: "same"; readonly adapter: string }
  | { readonly state: "other"; readonly adapter: string; readonly difference: readonly string[] }
  | { readonly state: "lacking"; readonly adapter: string; readonly why: string };

const LIMIT_MS = 60_000;

/** The reason why a scenario is impossible on a wire; undefined if it is possible. */
export function lacking({ lacks }: Adapter, { needs = [] }: Conformance): string | undefined {
  return needs.map((trait) => lacks[trait]).find((why) => why !== undefined);
}

/** Plays one scenario on one wire, for a while at most. */
async function cellOf(adapter: Adapter, scenario: Conformance): Promise<Cell> {
  const why = lacking(adapter, scenario);
  if (why !== undefined) return { state: "lacking", adapter: adapter.name, why };
  const late = Promise.withResolvers<readonly string[]>();
  const timer = setTimeout(() => late.resolve([`did not end within ${LIMIT_MS} ms`]), LIMIT_MS);
  const lines = await Promise.race([played(adapter, scenario), late.promise]).catch((error: unknown) => [
    `threw ${errorMessage(error)}`,
  ]);
  clearTimeout(timer);
  const difference = differenceOf(scenario.expected, lines);
  if (difference.length === 0) return { state: "same", adapter: adapter.name };
  return { state: "other", adapter: adapter.name, difference };
}

/** One scenario on every wire, or on these, side by side. */
export function cellsOf(scenario: Conformance, adapters: readonly Adapter[] = ADAPTERS): Promise<readonly Cell[]> {
  return Promise.all(adapters.map((adapter) => cellOf(adapter, scenario)));
}

function differenceOf(expected: readonly string[], lines: readonly string[]): readonly string[] {
  if (JSON.stringify(expected) === JSON.stringify(lines)) return [];
  let at = 0;
  while (expected[at] === lines[at]) at += 1;
  return [...expected.slice(at).map((line) => `  - ${line}`), ...lines.slice(at).map((line) => `  + ${line}`)].map(
    (line) => (line.length > 240 ? `${line.slice(0, 240)}…` : line),
  );
}

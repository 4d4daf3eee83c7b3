import { expect } from "bun:test";
import { seededTest } from "../../../tests/support/deep.ts";
import { allInner } from "../src/inner-commands.ts";
import { NOT_UNDERSTOOD, UNDERSTOOD, UNKNOWN_PIECES } from "./corpus.ts";
import { NESTED, PARTLY_UNKNOWN } from "./corpus-nested.ts";
import { Random } from "./random.ts";
import { parser } from "./real-parser.ts";

const SEED = 7;
const MAX_SOURCE_CHARS = 200;

const SOURCES = [...UNDERSTOOD, ...NESTED, ...UNKNOWN_PIECES, ...PARTLY_UNKNOWN, ...NOT_UNDERSTOOD]
  .map(([source]) => source)
  .filter((source) => source.length <= MAX_SOURCE_CHARS);

const PIECES = [
  ..."'\"`$(){}[]<>|&;#\\\n =",
  "\\\n",
  "$(",
  "${",
  "((",
  "))",
  "[[ ",
  " ]]",
  "=(",
  "<<E\n",
  "case ",
  "esac",
  "do ",
  "done",
];

/** A corpus source with a piece put in or a stretch taken out. */
function spliced(random: Random): string {
  const source = random.pick(SOURCES);
  const at = random.int(source.length + 1);
  const rest = source.slice(random.once(4) ? at + random.int(6) : at);
  return source.slice(0, at) + random.pick(PIECES) + rest;
}

seededTest(
  "a source that was cut or added to anywhere is read to an end",
  { seed: SEED, cases: { quick: 500, deep: 100_000 } },
  (seed, cases) => {
    const random = new Random(seed);
    let understood = 0;
    for (let count = 0; count < cases; count += 1) {
      const parsed = parser.parse(spliced(random));
      if (!parsed.understood) continue;
      understood += 1;
      for (const command of parsed.commands) allInner(command, parser);
    }
    expect(understood).toBeGreaterThan(cases / 10);
    expect(understood).toBeLessThan(cases);
  },
);

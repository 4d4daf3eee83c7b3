import { READ_ONLY_ROWS } from "../src/classify.ts";
import { COMMAND_FLAG_ROWS } from "../src/tables/command-flags.ts";
import { HAZARD_ROWS } from "../src/tables/hazards.ts";
import { LAUNCHER_ROWS } from "../src/tables/launchers.ts";
import { NETWORK_ROWS } from "../src/tables/network.ts";
import { WRITE_ROWS } from "../src/tables/writes.ts";
import commandFlags from "./examples/command-flags.json" with { type: "json" };
import hazards from "./examples/hazards.json" with { type: "json" };
import launchers from "./examples/launchers.json" with { type: "json" };
import network from "./examples/network.json" with { type: "json" };
import readOnly from "./examples/read-only.json" with { type: "json" };
import writes from "./examples/writes.json" with { type: "json" };

type Row = { readonly name: string; readonly sub?: readonly string[] };
/** Commands to which a row applies, and commands to which it does not. */
type Sides = { readonly row: string; readonly matches: readonly string[]; readonly misses: readonly string[] };
/** Commands, each with the commands that it starts, and commands of which that is unknown. */
type Launches = {
  readonly row: string;
  readonly matches: readonly (readonly [source: string, commands: readonly string[]])[];
  readonly unknowns: readonly string[];
};
/** Commands, each with the files that it writes. */
type Writes = {
  readonly row: string;
  readonly matches: readonly (readonly [source: string, writes: readonly string[]])[];
};

export const READ_ONLY_EXAMPLES = joined(READ_ONLY_ROWS, readOnly as readonly Sides[]);
export const HAZARD_EXAMPLES = joined(HAZARD_ROWS, hazards as readonly Sides[]);
export const NETWORK_EXAMPLES = joined(NETWORK_ROWS, network as readonly Sides[]);
export const WRITE_EXAMPLES = joined(WRITE_ROWS, writes as unknown as readonly Writes[]);
export const LAUNCHER_EXAMPLES = joined(LAUNCHER_ROWS, launchers as unknown as readonly Launches[]);
export const COMMAND_FLAG_EXAMPLES = joined(COMMAND_FLAG_ROWS, commandFlags as unknown as readonly Launches[]);

/** Joins the rows of a table to their examples, which stand in the same order. @throws {Error} a row has no examples. */
function joined<OfRow extends Row, Examples extends { readonly row: string }>(
  rows: readonly OfRow[],
  examples: readonly Examples[],
): readonly (OfRow & Examples)[] {
  if (rows.length !== examples.length)
    throw new Error(`${rows.length} rows have ${examples.length} lines of examples.`);
  return rows.map((row, at) => {
    const label = [row.name, ...(row.sub ?? [])].join(" ");
    const example = examples[at];
    if (example?.row !== label) throw new Error(`Line ${at + 2} of the examples is not about "${label}".`);
    return { ...row, ...example };
  });
}

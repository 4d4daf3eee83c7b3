import { afterSub, hasFlag, partsOf } from "./command-parts.ts";
import type { NetworkRow } from "./command-row.ts";
import { NETWORK_ROWS } from "./tables/network.ts";
import type { SimpleCommand } from "./types.ts";

const ROWS: ReadonlyMap<string, readonly NetworkRow[]> = Map.groupBy(NETWORK_ROWS, ({ name }) => name);
const NOTHING: ReadonlySet<string> = new Set();

/** Whether the command is of no use without a network, as far as the tables know. */
export function needsNetwork(command: SimpleCommand): boolean {
  return partsOf(command, NOTHING).some((part) =>
    (ROWS.get(part.name) ?? []).some((row) => {
      const rest = afterSub(part, row.sub);
      if (rest === undefined || row.notFlags?.some((flag) => hasFlag(flag, rest))) return false;
      return row.operand === undefined || rest.some(({ value }) => row.operand?.test(value ?? ""));
    }),
  );
}

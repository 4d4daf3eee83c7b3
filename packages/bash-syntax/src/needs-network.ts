import { afterSub, hasFlag, partsOf } from "./command-parts.ts";
import type { NetworkRow } from "./command-row.ts";
import { NETWORK_ROWS } from "./tables/network.ts";
import type { SimpleCommand } from "./types.ts";

const ROWS: ReadonlyMap<string, readonly NetworkRow[]> = Map.groupBy(NETWORK_ROWS, ({ name }) => name);
const NOTHING: ReadonlySet<string> = new Set();

/** True if the command is of no use without a network, as far as the tables know. */
export function needsNetwork(command: SimpleCommand): boolean {
  return partsOf(command, NOTHING).some((part) =>
    (ROWS.get(part.name) ?? []).some((row) => {
      const rest = afterSub(part, row.sub);
      if (rest === undefined || row.notFlags?.some((flag) => hasFlag(flag, rest))) return false;
      return row.operand === undefined || rest.some(({ value }) => row.operand?.test(value ?? ""));
    }),
  );
}

/** Programs that talk with the hosts among their words. */
const CLIENTS = new Set(["curl", "wget", "http", "xh", "nc", "ncat"]);
const LOOPBACK = /^["']?(?:[a-z]+:\/\/)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?:[:/?#"']|$)/i;
const ADDRESS = /:\/\//;

/** True if it talks with nothing but this machine: each host that its words name is loopback, and one is. */
export function reachesOnlyLoopback(command: SimpleCommand): boolean {
  return partsOf(command, NOTHING).some(({ name, args }) => {
    if (!CLIENTS.has(name)) return false;
    const words = args.map(({ value, source }) => value ?? source);
    const isOutside = (word: string) => ADDRESS.test(word) && !LOOPBACK.test(word);
    return words.some((word) => LOOPBACK.test(word)) && !words.some(isOutside);
  });
}

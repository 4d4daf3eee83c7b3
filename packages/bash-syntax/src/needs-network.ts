import { afterSub, hasFlag, partsOf } from "./command-parts.ts";
import type { NetworkRow } from "./command-row.ts";
import { NETWORK_ROWS } from "./tables/network.ts";
import type { SimpleCommand } from "./types.ts";

const ROWS: ReadonlyMap<string, readonly NetworkRow[]> = Map.groupBy(NETWORK_ROWS, ({ name }) => name);
const NOTHING: ReadonlySet<string> = new Set();

/** True if the tables say that the command is useless without a network. */
export function needsNetwork(command: SimpleCommand): boolean {
  return partsOf(command, NOTHING).some((part) =>
    (ROWS.get(part.name) ?? []).some((row) => {
      const rest = afterSub(part, row.sub);
      if (rest === undefined || row.notFlags?.some((flag) => hasFlag(flag, rest))) return false;
      return row.operand === undefined || rest.some(({ value }) => row.operand?.test(value ?? ""));
    }),
  );
}

/** Programs that connect to the hosts in their words. */
const CLIENTS = new Set(["curl", "wget", "http", "xh", "nc", "ncat"]);
const LOOPBACK = /^["']?(?:[a-z]+:\/\/)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?:[:/?#"']|$)/i;
const ADDRESS = /:\/\//;

/**
 * True if the command connects only to this machine: its words name at least one host, and every named host is
 * loopback.
 */
export function reachesOnlyLoopback(command: SimpleCommand): boolean {
  return partsOf(command, NOTHING).some(({ name, args }) => {
    if (!CLIENTS.has(name)) return false;
    const words = args.map(({ value, source }) => value ?? source);
    const isOutside = (word: string) => ADDRESS.test(word) && !LOOPBACK.test(word);
    return words.some((word) => LOOPBACK.test(word)) && !words.some(isOutside);
  });
}

import { afterSub, hasFlag, operandsOf, partsOf } from "./command-parts.ts";
import type { NetworkRow } from "./command-row.ts";
import { stripWrappers } from "./strip-wrappers.ts";
import { NETWORK_ROWS } from "./tables/network.ts";
import type { Reach, ShellWord, SimpleCommand } from "./types.ts";

const ROWS: ReadonlyMap<string, readonly NetworkRow[]> = Map.groupBy(NETWORK_ROWS, ({ name }) => name);
const NOTHING: ReadonlySet<string> = new Set();
/** Python's modules that are package managers: `python -m pip install`. */
const MODULES: ReadonlySet<string> = new Set(["pip"]);

/** The rows that apply to a command. */
function rowsOf(command: SimpleCommand): readonly { readonly row: NetworkRow; readonly args: readonly ShellWord[] }[] {
  return partsOf(command, MODULES).flatMap((part) =>
    (ROWS.get(part.name) ?? []).flatMap((row) => {
      const rest = afterSub(part, row.sub);
      if (rest === undefined || row.notFlags?.some((flag) => hasFlag(flag, rest))) return [];
      if (row.isBare === true && operandsOf(part.args).length > 0) return [];
      const isHit = row.operand === undefined || rest.some(({ value }) => row.operand?.test(value ?? ""));
      return isHit ? [{ row, args: part.args }] : [];
    }),
  );
}

/** True if the tables say that the command is useless without a network. */
export function needsNetwork(command: SimpleCommand): boolean {
  return rowsOf(command).length > 0;
}

/** True if what it needs is a container engine on this machine. */
export function needsEngine(command: SimpleCommand): boolean {
  const hits = rowsOf(command);
  return hits.length > 0 && hits.every(({ row }) => row.isEngine === true);
}

/** Options that change the whole account or machine, where confined commands can't write, or that point to other registries. */
const ELSEWHERE = ["-g", "--global", "--location", "--user", "--break-system-packages", "--system", "--root"];
/** An address as a word, after an option (`--index-url=`, `-f`), or as the place of a package (`name[extra] @ https://…`). */
const NAMED_HOST =
  /^["']?(?:--[\w-]+=|-[a-z]|[@\w./-]+(?:\[[^\]]*\])?\s*@\s*)?(?:git\+)?https?:\/\/(?:[^\s/@]*@)?(\[[^\]]*\]|[^\s/:?#"'@]+)(?::(\d+))?(?:[/?#"']|$)/i;

/**
 * Finds the package registries, or the hosts in its words, that a command connects to.
 * @returns undefined if the command needs no network, or if its words don't tell what it connects to.
 */
export function reachOf(command: SimpleCommand): Reach | undefined {
  const hits = rowsOf(command);
  const isKnown = hits.every(({ row, args }) =>
    row.registry === undefined ? row.reachesNamedHosts === true : !ELSEWHERE.some((flag) => hasFlag(flag, args)),
  );
  if (hits.length === 0 || !isKnown) return undefined;
  const registries = [...new Set(hits.flatMap(({ row }) => row.registry ?? []))];
  const values = (stripWrappers(command) ?? command).assignments.flatMap(({ value }) => value ?? []);
  const bare = hits.flatMap(({ row, args }) => (WEB_CLIENTS.has(row.name) ? args.flatMap(bareHost) : []));
  const named = [...new Set([...hits.flatMap(({ args }) => args), ...values].flatMap(namedHost).concat(bare))];
  if (registries.length > 0) return { registries, named };
  return named.length === 0 ? undefined : { registries, named };
}

function namedHost({ value, source }: ShellWord): readonly string[] {
  const found = NAMED_HOST.exec(value ?? source);
  const host = found?.[1]?.toLowerCase();
  return host === undefined || /[$`*?{}]/.test(host) ? [] : [host];
}

/** Programs that take a host without `https://` before it. */
const WEB_CLIENTS = new Set(["curl", "wget", "wget2", "http", "xh"]);
/** A name with at least one dot that ends in letters: `example.com`, `www.example.com:8080/a?b`. */
const BARE_HOST = /^((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,})(?::\d+)?(?:[/?#]|$)/i;
/** Options without a value, alone or joined, and `--url`; the word behind any other option may be its value. */
const BEFORE_HOST =
  /^(?:-[sSfLiIvkgGqNZ#046jl]+|-q?O-|-nv|--(?:silent|show-error|fail|fail-with-body|location|head|include|verbose|insecure|compressed|globoff|get|http1\.1|http2|ipv4|ipv6|no-progress-meter|progress-bar|quiet|no-verbose|spider|url))$/;

function bareHost({ value, source }: ShellWord, at: number, args: readonly ShellWord[]): readonly string[] {
  const before = args[at - 1]?.value ?? "";
  const host = BARE_HOST.exec(value ?? "")?.[1]?.toLowerCase();
  if (host === undefined || source.startsWith("-")) return [];
  return before.startsWith("-") && !BEFORE_HOST.test(before) ? [] : [host];
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

/** The ports of this machine that a command's words name; that of the protocol where a word names none. */
export function loopbackPorts(command: SimpleCommand): readonly number[] {
  const words = command.words.slice(1).map(({ value, source }) => value ?? source);
  return words
    .filter((word) => LOOPBACK.test(word))
    .map((word) => {
      const port = /^["']?(?:[a-z]+:\/\/)?(?:\[::1\]|[^:/?#"']+):(\d+)/i.exec(word)?.[1];
      return port === undefined ? (/^["']?https:/i.test(word) ? 443 : 80) : Number(port);
    });
}

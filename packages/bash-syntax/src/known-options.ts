import type { OptionTable } from "./option-table.ts";

/**
 * `value`, `output` and `config` take the next word unless `=` follows; `pair` takes two; `code` (with a value) and
 * `switch` (without) cause a question.
 */
export type OptionKind = "alone" | "value" | "optional" | "pair" | "output" | "config" | "code" | "switch";
export type KnownOptions = ReadonlyMap<string, OptionKind>;

const ENDINGS: readonly (readonly [ending: string, kind: OptionKind])[] = [
  ["=>", "output"],
  ["=!", "code"],
  ["=~", "config"],
  ["=<", "value"],
  ["=2", "pair"],
  ["=", "value"],
  ["?", "optional"],
  ["!", "switch"],
];

/** Parses a text of options into a map; if an option occurs twice, the later one counts. */
export function readOptions(texts: readonly string[]): KnownOptions {
  const known = new Map<string, OptionKind>();
  for (const spec of texts.flatMap((text) => text.split(/\s+/))) {
    if (spec === "") continue;
    const [ending = "", kind = "alone"] = ENDINGS.find(([one]) => spec.endsWith(one)) ?? [];
    known.set(ending === "" ? spec : spec.slice(0, -ending.length), kind);
  }
  return known;
}

/** Options that every program has. */
const EVERYWHERE: KnownOptions = readOptions(["--help --version"]);

/** The kind of a long option; undefined if it is unknown. */
export function longKind(known: KnownOptions, name: string): OptionKind | undefined {
  const found = known.get(name) ?? EVERYWHERE.get(name);
  if (found !== undefined) return found;
  const opposite = name.startsWith("--no-") ? `--${name.slice(5)}` : `--no-${name.slice(2)}`;
  const kind = known.get(opposite);
  if (kind !== undefined) return kind === "code" || kind === "switch" ? kind : "alone";
  const colon = name.indexOf(":");
  return colon > 0 && known.has(name.slice(0, colon + 1)) ? "alone" : undefined;
}

const cache = new WeakMap<OptionTable, Map<string, KnownOptions>>();

/** The options of a subcommand, or of the command itself; undefined for an unknown subcommand. */
export function knownOptions(table: OptionTable, sub: string | undefined): KnownOptions | undefined {
  const bySub = cache.get(table) ?? new Map<string, KnownOptions>();
  cache.set(table, bySub);
  const made = bySub.get(sub ?? "");
  if (made) return made;
  const own = sub === undefined ? "" : subOptions(table, sub);
  if (own === undefined) return undefined;
  const known = readOptions([table.flags, own]);
  bySub.set(sub ?? "", known);
  return known;
}

function subOptions({ subs = {} }: OptionTable, sub: string): string | undefined {
  return Object.entries(subs).find(([names]) => names.split(" ").includes(sub))?.[1];
}

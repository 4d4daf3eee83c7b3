import { LIMITS, type Limit } from "./limit-table.ts";
import { page, table } from "./markdown.ts";

const MS = [
  { unit: "h", factor: 3_600_000 },
  { unit: "min", factor: 60_000 },
  { unit: "s", factor: 1_000 },
  { unit: "ms", factor: 1 },
];
const BYTES = [
  { unit: "GiB", factor: 1024 ** 3 },
  { unit: "MiB", factor: 1024 ** 2 },
  { unit: "KiB", factor: 1024 },
  { unit: "bytes", factor: 1 },
];

/** docs/guide/reference/limits.md. @param read Returns the text of a source file. */
export function limitsPage(read: (path: string) => string): string {
  return page(
    "Limits",
    "The built-in limits. Each number comes from the constant in the last column. The setting, if there is one, is a key in" +
      " [settings](settings.md).",
    ...LIMITS.flatMap(({ title, limits }) => [
      `## ${title}`,
      table(
        ["limit", "value", "setting", "constant"],
        limits.map((limit) => [
          limit.what,
          inWords(limit.name, constantOf(read(limit.file), limit)),
          limit.setting === undefined ? "" : `\`${limit.setting}\``,
          `\`${limit.name}\` in \`${limit.file}\``,
        ]),
      ),
    ]),
  );
}

/**
 * Reads a numeric constant or field out of source text.
 * @throws {Error} the constant is missing, or is not a plain number or product.
 */
export function constantOf(source: string, { file, name }: Pick<Limit, "file" | "name">): number {
  const written = new RegExp(`\\b${name}\\s*[=:]\\s*([\\d_.]+(?:\\s*\\*\\s*[\\d_.]+)*)\\s*[;,}]`).exec(source)?.[1];
  if (written === undefined) throw new Error(`${file} has no number named ${name}: fix scripts/docs/limit-table.ts.`);
  return written.split("*").reduce((product, factor) => product * Number(factor.replaceAll("_", "").trim()), 1);
}

function inWords(name: string, value: number): string {
  if (/_MS$|Ms$/.test(name)) return scaled(value, MS);
  if (/_PERCENT$/.test(name)) return `${value} %`;
  if (/_BYTES$|Bytes$/.test(name)) return scaled(value, BYTES);
  if (/_SECONDS$/.test(name)) return `${value} s`;
  const unit = /(?:_|(?=[A-Z]))(CHARS|Chars|TOKENS|LINES|PIXELS)$/.exec(name)?.[1]?.toLowerCase();
  return `${value.toLocaleString("en-US")}${unit === undefined ? "" : ` ${unit}`}`;
}

/** Uses the largest unit with a whole number; up to ten minutes, seconds stay seconds. */
function scaled(value: number, units: readonly { readonly unit: string; readonly factor: number }[]): string {
  const fits = units.find(({ unit, factor }) => value % factor === 0 && (unit !== "min" || value > 600_000));
  return fits ? `${(value / fits.factor).toLocaleString("en-US")} ${fits.unit}` : `${value}`;
}

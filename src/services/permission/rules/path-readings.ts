import { join, relative } from "node:path";
import { writtenOut } from "../../../platform/globs/glob-braces.ts";
import { entryExists } from "../../../platform/paths.ts";
import { RuleSyntaxError } from "./rule-syntax.ts";

/** A gitignore pattern below an absolute folder. */
export type Anchored = { readonly folder: string; readonly pattern: string };

/** Most parts with brackets of which each combination of meanings is tried. */
const MAX_COMBINED = 4;

/**
 * All meanings of a pattern that tightens: brackets and braces as gitignore and ripgrep read them, and as letters of a
 * name. Whether such a name exists is not asked, because a deny rule also covers files that are created later.
 * @throws {RuleSyntaxError} the braces have too many alternatives.
 */
export function everyReading({ folder, pattern }: Anchored): readonly Anchored[] {
  const written = writtenOut(pattern);
  if (!written) throw new RuleSyntaxError("its braces have too many alternatives: write several rules");
  const patterns = [pattern, ...written].flatMap((one) => withPlainBrackets(one));
  return [...new Set(patterns)].map((one) => ({ folder, pattern: one }));
}

function withPlainBrackets(pattern: string): readonly string[] {
  const parts = pattern.split("/");
  const bracketed = parts.flatMap((part, index) => (hasBracket(part) ? [index] : []));
  const masks = 2 ** bracketed.length;
  const chosen = bracketed.length <= MAX_COMBINED ? Array.from({ length: masks }, (_, mask) => mask) : [0, masks - 1];
  return chosen.map((mask) => spelled(pattern, new Set(bracketed.filter((_, bit) => (mask >> bit) & 1))));
}

/** The pattern with these parts taken for names. */
export function spelled(pattern: string, parts: ReadonlySet<number>): string {
  const taken = pattern
    .split("/")
    .map((part, index) => (parts.has(index) ? part.replace(/(?<!\\)[[\]]/g, "\\$&") : part));
  return taken.join("/");
}

function hasBracket(part: string): boolean {
  return /(?<!\\)\[/.test(part);
}

/**
 * The parts of an allow rule's pattern that are names for this path, because they exist as they are written; an allow
 * rule has one meaning at a time.
 */
export function existingParts({ folder, pattern }: Anchored, path: string): ReadonlySet<number> {
  const found = new Set<number>();
  const parts = pattern.split("/");
  const names = relative(folder, path).split("/");
  // Undefined after a wildcard, and in a pattern for any folder: the part is then looked up in each folder of the path.
  let above = /.\/./.test(pattern) || pattern.startsWith("/") ? folder : undefined;
  for (const [index, part] of parts.entries()) {
    if (part === "") continue;
    const canBeName = hasBracket(part) && !/[*\\]/.test(part);
    const isThere =
      above === undefined
        ? names.some((_, at) => entryExists(join(folder, ...names.slice(0, at), part)))
        : entryExists(join(above, part));
    if (canBeName && isThere) found.add(index);
    const isFixed = (canBeName && isThere) || !/[*?[\\]/.test(part);
    above = above !== undefined && isFixed ? join(above, part) : undefined;
  }
  return found;
}

/** True if a part of the pattern could be a name with brackets. */
export function mayBeSpelled({ pattern }: Anchored): boolean {
  return pattern.split("/").some((part) => hasBracket(part) && !/[*\\]/.test(part));
}

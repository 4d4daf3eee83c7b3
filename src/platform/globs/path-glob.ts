import { join } from "node:path";
import { entryExists } from "../paths.ts";
import { MAX_WRITTEN_CHARS, partsOf, writtenOut } from "./glob-braces.ts";
import { matchesAll, nameGlob } from "./name-glob.ts";

/** A part of a glob between slashes, with its alternatives; `**` matches any number of names. */
type Part = "**" | readonly Choice[];
type Choice = {
  /** The names that the choice spells but does not match as a glob: `[id]`. */
  readonly spelled: readonly string[];
  /** The whole part as a name, if it has several choices: `{a,b}`. */
  readonly whole: readonly string[];
  readonly isMatch: (name: string) => boolean;
};

const MAX_REMEMBERED = 1_000;

/** True if a path, relative to the root, matches. */
export type PathMatcher = (path: string) => boolean;

/**
 * Compiles globs of paths below a folder; this is the one rule for every glob that is compared with existing files.
 * A part that exists as it is written is literal: with a folder `app/[id]`, `app/[id]/*` does not match `app/i/x`.
 * Otherwise a part has ripgrep's meaning: `*`, `?`, `[a-z]`, `[!a]`, `{a,b}`, a backslash before a literal character,
 * and `**` as a whole part. The two forms of accented letters (NFC, NFD) are equal.
 * @param root Absolute.
 * @param reading `as spelled`: parts that can be names are literal, whether they exist or not; braces with several
 * alternatives stay alternatives.
 * @returns undefined if the globs are too long with all alternatives in braces written out.
 */
export function pathGlobs(
  globs: readonly string[],
  root: string,
  reading: "as spelled" | "as it exists" = "as it exists",
): PathMatcher | undefined {
  const patterns = allWrittenOut(globs);
  if (!patterns) return undefined;
  const exists = rememberingExists(root);
  return (path) => {
    const normalised = path.normalize("NFC");
    const names = normalised.split("/");
    const above = (at: number) => (normalised === path ? names : path.split("/")).slice(0, at);
    const fits = (part: Part, at: number) => part !== "**" && fitsName(part, names[at] ?? "", () => above(at));
    return patterns.some((parts) => matchesAll<Part>(parts, "**", names.length, fits));
  };

  function fitsName(choices: readonly Choice[], name: string, above: () => readonly string[]): boolean {
    const isThere = (one: string) => exists([...above(), one].join("/"));
    return choices.some(({ spelled, whole, isMatch }) => {
      if (spelled.includes(name) || whole.includes(name)) return true;
      if (!isMatch(name) || whole.some(isThere)) return false;
      return !spelled.some((one) => reading === "as spelled" || isThere(one));
    });
  }
}

/** True if a part of the glob could be the name of a file although it does not match this name. */
export function isAmbiguous(glob: string): boolean {
  return (
    allWrittenOut([glob])?.some((parts) =>
      parts.some((part) => part !== "**" && part.some(({ spelled, whole }) => spelled.length > 0 || whole.length > 0)),
    ) ?? true
  );
}

/** A glob that matches exactly this text. */
export function escapedGlob(name: string): string {
  return name.replace(/[\\*?{}[\]]/g, "\\$&");
}

function allWrittenOut(globs: readonly string[]): readonly (readonly Part[])[] | undefined {
  const patterns = globs.map((glob) => compiled(glob.normalize("NFC")));
  const known = patterns.filter((one) => one !== undefined).flat();
  const isLong = known.reduce((sum, { chars }) => sum + chars, 0) > MAX_WRITTEN_CHARS;
  return isLong || patterns.includes(undefined) ? undefined : known.map(({ parts }) => parts);
}

type Compiled = { readonly parts: readonly Part[]; readonly chars: number };

/** Braces within a part give one part with alternatives; braces around slashes give several patterns. */
function compiled(glob: string): readonly Compiled[] | undefined {
  let patterns: readonly Compiled[] = [{ parts: [], chars: 0 }];
  for (const written of partsOf(glob)) {
    const choices = writtenOut(written);
    if (!choices) return undefined;
    const isName = (choice: string) => choice !== "**" && !choice.includes("/");
    const within = choices.filter(isName);
    const across = choices.filter((choice) => !isName(choice)).map((choice) => choice.split("/"));
    const added = [
      ...(within.length > 0 ? [{ parts: [namePart(within, written)], chars: within.join("").length }] : []),
      ...across.map((names) => ({
        parts: names.filter((name) => name !== "").map((name) => namePart([name], name)),
        chars: names.join("").length,
      })),
    ];
    patterns = patterns.flatMap(({ parts, chars }) =>
      added.map((more) => ({ parts: [...parts, ...more.parts], chars: chars + more.chars })),
    );
    if (patterns.reduce((sum, { chars }) => sum + chars, 0) > MAX_WRITTEN_CHARS) return undefined;
  }
  return patterns;
}

function namePart(choices: readonly string[], written: string): Part {
  if (choices.length === 1 && choices[0] === "**") return "**";
  return choices.map((choice) => {
    const isMatch = nameGlob(choice);
    // A part with a star is a glob, although a file could have such a name.
    const isName = (name: string) => !name.includes("*") && !isMatch(name);
    const whole = choices.length > 1 ? [written].filter(isName) : [];
    const spelled = [...new Set(choices.length > 1 ? [choice] : [written, choice])].filter(isName);
    return { spelled, whole, isMatch };
  });
}

function rememberingExists(root: string): (path: string) => boolean {
  const known = new Map<string, boolean>();
  return (path) => {
    if (known.size >= MAX_REMEMBERED) known.clear();
    const found = known.get(path) ?? [path, path.normalize("NFD")].some((one) => entryExists(join(root, one)));
    known.set(path, found);
    return found;
  };
}

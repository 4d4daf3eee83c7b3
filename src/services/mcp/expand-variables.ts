import type { Environment } from "../../platform/env.ts";

/** `${NAME}` or `${NAME:-default}`; the default ends at the first closing brace, as in similar tools. */
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** A text with its references replaced, or the names of variables that are unset and have no default. */
export type Expanded = { readonly text: string; readonly missing: readonly string[] };

/** An empty variable takes its default, as in a shell. Values are not expanded again. */
export function expandVariables(text: string, environment: Environment): Expanded {
  const missing: string[] = [];
  const expanded = text.replace(REFERENCE, (_, name: string, fallback: string | undefined) => {
    const value = environment[name];
    if (fallback !== undefined) return value ? value : fallback;
    if (value === undefined) missing.push(name);
    return value ?? "";
  });
  return { text: expanded, missing };
}

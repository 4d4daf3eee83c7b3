import type { ParsedShell } from "../src/types.ts";

/**
 * Short form of a reading: each command as `[assignments] words [redirects] [!!unknown pieces]`. `?` is an unknown value, `*` a
 * pattern, `~` a conditional command, `@` a call of a function of the line, `s:` one within a substitution, `f:` one within a function.
 */
export function outline(parsed: ParsedShell): readonly string[] | string {
  if (!parsed.understood) return `not understood: ${parsed.reason}`;
  return parsed.commands.map(({ words, assignments, redirects, conditional, within, unknown, callsFunction }) => {
    const parts = [
      ...assignments.map(({ name, value }) => `${name}:=${value.value ?? "?"}`),
      ...words.map(({ value, isGlob }) => `<${value ?? "?"}>${isGlob ? "*" : ""}`),
      ...redirects.map(({ direction, target }) => `${direction}(${target.value ?? "?"})`),
      ...unknown.map((piece) => `!!${piece}`),
    ];
    return `${conditional ? "~" : ""}${callsFunction ? "@" : ""}${within.map((place) => `${place[0]}:`).join("")}${parts.join(" ")}`;
  });
}

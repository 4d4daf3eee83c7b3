import { matchPieces } from "./command-pattern.ts";
import { RuleSyntaxError } from "./rule-syntax.ts";

/** A pattern for the name of an agent or skill. */
export type NamePattern = {
  /** The literal pieces of the name between its stars. */
  readonly pieces: readonly string[];
  /** True for a trailing ` *`: any arguments. */
  readonly anyArguments: boolean;
};

/**
 * Parses the spec of an Agent or Skill rule: `Explore`, `plugin:*`, `deploy *` (with any arguments, or none).
 * @throws {RuleSyntaxError} the pattern holds more than one name.
 */
export function parseNamePattern(spec: string): NamePattern {
  const text = spec.trim();
  const anyArguments = / \*$/.test(text);
  const name = anyArguments ? text.slice(0, -1).trimEnd() : text;
  if (/\s/.test(name)) throw new RuleSyntaxError(`"${name}" is more than one name: write the name alone, or "name *"`);
  return { pieces: name.split("*"), anyArguments };
}

/** For allow rules: case-sensitive, and with arguments only where the rule permits them. */
export function allowsName({ pieces, anyArguments }: NamePattern, name: string, args: string | undefined): boolean {
  return matchPieces(pieces, name) && (anyArguments || (args ?? "").trim() === "");
}

/** For deny and ask rules: ignores case and arguments. */
export function concernsName({ pieces }: NamePattern, name: string): boolean {
  return matchPieces(
    pieces.map((piece) => piece.toLowerCase()),
    name.trim().toLowerCase(),
  );
}

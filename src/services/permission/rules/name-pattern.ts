import { matchPieces } from "../../../platform/globs/match-pieces.ts";
import { RuleSyntaxError } from "./rule-syntax.ts";

/** A pattern for the name of an agent or skill. */
export type NamePattern = {
  /** The literal pieces of the name between its stars. */
  readonly pieces: readonly string[];
  /** True for a trailing ` *`: any arguments. */
  readonly anyArguments: boolean;
  /** Of `deploy:*`, which other agents also use for arguments: the pattern `deploy *`. */
  readonly orNamed?: NamePattern;
};

/**
 * Parses the spec of an Agent or Skill rule: `Explore`, `plugin:*`, `deploy *` (with any arguments, or none).
 * @param isSkill `/deploy` then means `deploy`, and `deploy:*` also means `deploy *`.
 * @param tightens For a deny or ask rule, `Explore:*` also means the agent `Explore`.
 * @throws {RuleSyntaxError} the pattern holds more than one name.
 */
export function parseNamePattern(spec: string, isSkill = false, tightens = false): NamePattern {
  const text = isSkill ? spec.trim().replace(/^\//, "") : spec.trim();
  const family = isSkill || tightens ? /^(.*[^\s*]):\*$/.exec(text)?.[1] : undefined;
  if (family !== undefined) return { ...parseNamePattern(text), orNamed: parseNamePattern(`${family} *`) };
  const anyArguments = / \*$/.test(text);
  const name = anyArguments ? text.slice(0, -1).trimEnd() : text;
  if (/\s/.test(name)) throw new RuleSyntaxError(`"${name}" is more than one name: write the name alone, or "name *"`);
  return { pieces: name.split("*"), anyArguments };
}

/** For allow rules: case-sensitive, and with arguments only where the rule permits them. */
export function allowsName(
  { pieces, anyArguments, orNamed }: NamePattern,
  name: string,
  args: string | undefined,
): boolean {
  if (orNamed && allowsName(orNamed, name, args)) return true;
  return matchPieces(pieces, name) && (anyArguments || (args ?? "").trim() === "");
}

/** For deny and ask rules: ignores case and arguments. */
export function concernsName({ pieces, orNamed }: NamePattern, name: string): boolean {
  if (orNamed && concernsName(orNamed, name)) return true;
  return matchPieces(
    pieces.map((piece) => piece.toLowerCase()),
    name.trim().toLowerCase(),
  );
}

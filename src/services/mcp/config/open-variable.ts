import { decodedEscapes } from "../../../contracts/decoded-escapes.ts";

/** The variable of a resource template whose value is being typed. */
export type OpenVariable = {
  readonly name: string;
  /** As typed so far, decoded. */
  readonly value: string;
  /** The variables before it. */
  readonly known: Readonly<Record<string, string>>;
  /** The URI up to the variable, as typed. */
  readonly before: string;
  /** The rest of the template after the variable. */
  readonly after: string;
  /** The URI with this value, and with the rest of the template. */
  filled(value: string): string;
};

/**
 * The variable at the end of a typed URI; undefined if the URI does not match the template, has not reached its first
 * variable, or is complete. Understands `{name}` and `{+name}` (RFC 6570): the other expressions are rare in names of
 * resources.
 */
export function openVariable(template: string, typed: string): OpenVariable | undefined {
  const [head = "", ...rest] = template.split("{");
  if (!typed.startsWith(head)) return undefined;
  const known: Record<string, string> = {};
  let at = head.length;
  for (const [index, part] of rest.entries()) {
    const [, plus, name, literal] = /^(\+?)(\w+)\}(.*)$/s.exec(part) ?? [];
    if (name === undefined || literal === undefined) return undefined;
    const end = literal === "" ? -1 : typed.indexOf(literal, at);
    if (end < 0) {
      const before = typed.slice(0, at);
      const after = [literal, ...rest.slice(index + 1)].join("{");
      const encode = plus === "+" ? encodeURI : encodeURIComponent;
      const filled = (value: string) => `${before}${encode(value.toWellFormed())}${after}`;
      const value = typed.slice(at);
      // An incomplete escape stays unchanged.
      return { name, value: decodedEscapes(value) ?? value, known, before, after, filled };
    }
    const value = typed.slice(at, end);
    known[name] = decodedEscapes(value) ?? value;
    at = end + literal.length;
  }
  return undefined;
}

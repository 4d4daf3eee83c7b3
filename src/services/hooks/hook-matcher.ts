/** Only these characters: a list of names, not a pattern. */
const NAMES = /^[\w|,\s]+$/;

/**
 * True if a hook that is registered for `matcher` wants to hear of `name` (a tool's, or an event's source).
 * Nothing, blank or `*` takes all; words with `|` or `,` between are a list of exact names; anything else is a regular
 * expression that may match anywhere. One that can't be read matches nothing.
 */
export function hookMatches(matcher: string | undefined, name: string | undefined): boolean {
  const pattern = matcher?.trim() ?? "";
  if (pattern === "" || pattern === "*" || name === undefined) return true;
  if (NAMES.test(pattern)) return pattern.split(/[|,]/).some((one) => one.trim() === name);
  const expression = compile(pattern);
  return expression?.test(name) ?? false;
}

/** Says what is wrong with a matcher; undefined when it can be used. */
export function matcherProblem(matcher: string): string | undefined {
  if (NAMES.test(matcher) || matcher.trim() === "" || matcher.trim() === "*" || compile(matcher)) return undefined;
  return "it is not a regular expression";
}

function compile(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern);
  } catch {
    return undefined;
  }
}

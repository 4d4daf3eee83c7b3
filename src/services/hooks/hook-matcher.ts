/** A matcher with only these characters is a list of names, not a pattern. */
const NAMES = /^[\w|,\s]+$/;

/**
 * True if the matcher `matcher` matches `name` (a tool's name, or an event's source). A missing or blank matcher and
 * `*` match every name; words separated by `|` or `,` are a list of exact names; any other matcher is a regular
 * expression that may match anywhere. An invalid expression matches nothing.
 */
export function hookMatches(matcher: string | undefined, name: string | undefined): boolean {
  const pattern = matcher?.trim() ?? "";
  if (pattern === "" || pattern === "*" || name === undefined) return true;
  if (NAMES.test(pattern)) return pattern.split(/[|,]/).some((one) => one.trim() === name);
  const expression = compile(pattern);
  return expression?.test(name) ?? false;
}

/** The problem with a matcher; undefined if it is usable. */
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

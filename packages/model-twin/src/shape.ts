/**
 * Small checks for the shape of parsed JSON. The checks report every fault with its path: `messages.3.content.0.text`.
 */

/** `code`: the name of this kind of fault in a wire's API, if the rule knows it. */
export type Problem = { readonly where: string; readonly message: string; readonly code?: string };
export type Report = (where: string, message: string, code?: string) => void;
export type Check = (value: unknown, where: string, report: Report) => void;

type Dictionary = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is Dictionary {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Joins a path: `at("messages", 3)` is `messages.3`. */
export function at(where: string, key: string | number): string {
  return where === "" ? `${key}` : `${where}.${key}`;
}

/** Runs a check and returns what it found, in the order found. */
export function problemsOf(check: (report: Report) => void): readonly Problem[] {
  const problems: Problem[] = [];
  check((where, message, code) => problems.push({ where, message, ...(code !== undefined && { code }) }));
  return problems;
}

export function explain({ where, message }: Problem): string {
  return where === "" ? message : `${where}: ${message}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

const expected = (what: string, value: unknown) => `must be ${what}, not ${kindOf(value)}`;

export const anything: Check = () => {};

export const anyString: Check = (value, where, report) => {
  if (typeof value !== "string") report(where, expected("a string", value));
};

export const nonEmptyString: Check = (value, where, report) => {
  if (typeof value !== "string") report(where, expected("a string", value));
  else if (value === "") report(where, "must not be empty");
};

export function matching(pattern: RegExp): Check {
  return (value, where, report) => {
    if (typeof value !== "string") report(where, expected("a string", value));
    else if (!pattern.test(value)) report(where, `${JSON.stringify(value)} must match ${pattern.source}`);
  };
}

export const anyBoolean: Check = (value, where, report) => {
  if (typeof value !== "boolean") report(where, expected("true or false", value));
};

export const anyObject: Check = (value, where, report) => {
  if (!isObject(value)) report(where, expected("an object", value));
};

export function numberFrom(min: number, max = Number.POSITIVE_INFINITY): Check {
  return (value, where, report) => {
    if (typeof value !== "number" || Number.isNaN(value)) report(where, expected("a number", value));
    else if (value < min) report(where, `must be at least ${min}, not ${value}`);
    else if (value > max) report(where, `must be at most ${max}, not ${value}`);
  };
}

export function integerFrom(min: number, max = Number.POSITIVE_INFINITY): Check {
  const inRange = numberFrom(min, max);
  return (value, where, report) => {
    if (typeof value === "number" && !Number.isInteger(value)) report(where, `must be a whole number, not ${value}`);
    else inRange(value, where, report);
  };
}

export function oneOf(...values: readonly string[]): Check {
  return (value, where, report) => {
    if (typeof value !== "string" || !values.includes(value)) {
      report(where, `${JSON.stringify(value)} is not one of ${values.map((known) => `"${known}"`).join(", ")}`);
    }
  };
}

export function nullable(check: Check): Check {
  return (value, where, report) => {
    if (value !== null) check(value, where, report);
  };
}

/** Applies one of two checks: the first to a string, the second to any other value. */
export function stringOr(check: Check): Check {
  return (value, where, report) => {
    if (typeof value === "string") return;
    if (value === null || typeof value !== "object") report(where, `${expected("a string or a list", value)}`);
    else check(value, where, report);
  };
}

export function arrayOf(check: Check, { min = 0 } = {}): Check {
  return (value, where, report) => {
    if (!Array.isArray(value)) return report(where, expected("an array", value));
    if (value.length < min) report(where, `must hold at least ${min} item${min === 1 ? "" : "s"}`);
    for (const [index, item] of value.entries()) check(item, at(where, index), report);
  };
}

export type Fields = { readonly [name: string]: Check };

/**
 * An object with all fields of `required`, any of `optional`, and no others. `unknownHint` may add a hint about an
 * unknown field.
 */
export function object(
  required: Fields,
  optional: Fields = {},
  unknownHint?: (name: string) => string | undefined,
): Check {
  return (value, where, report) => {
    if (!isObject(value)) return report(where, expected("an object", value));
    for (const [name, check] of Object.entries(required)) {
      if (value[name] === undefined) report(at(where, name), "is required");
      else check(value[name], at(where, name), report);
    }
    for (const [name, item] of Object.entries(value)) {
      if (Object.hasOwn(required, name) || item === undefined) continue;
      if (Object.hasOwn(optional, name)) optional[name]?.(item, at(where, name), report);
      else report(at(where, name), unknownHint?.(name) ?? "is not a field that is known here");
    }
  };
}

/** An object whose field `tag` names its kind. `strayHint` may add a hint about a tag that is not in the table. */
export function tagged(tag: string, variants: Fields, strayHint?: (found: string) => string | undefined): Check {
  return (value, where, report) => {
    if (!isObject(value)) return report(where, expected("an object", value));
    const found = value[tag];
    if (found === undefined) return report(at(where, tag), "is required");
    const check = typeof found === "string" && Object.hasOwn(variants, found) ? variants[found] : undefined;
    if (check) return check(value, where, report);
    const hint = typeof found === "string" ? strayHint?.(found) : undefined;
    oneOf(...Object.keys(variants))(found, at(where, tag), (place, message) => report(place, hint ?? message));
  };
}

/** Finds the first half of a surrogate pair without its other half, in keys as in values. */
export function loneSurrogates(value: unknown, where: string, report: Report): void {
  if (typeof value === "string") {
    if (!value.isWellFormed()) report(where, "holds half a surrogate pair, which is not valid Unicode");
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) loneSurrogates(item, at(where, index), report);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      loneSurrogates(key, at(where, key.toWellFormed()), report);
      loneSurrogates(item, at(where, key.toWellFormed()), report);
    }
  }
}

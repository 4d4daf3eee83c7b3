import type { Environment } from "../../platform/env.ts";

/** A header's or an attribute's name; values are percent-encoded, as in W3C Baggage, which the specification refers to. */
const PAIR = /^([^=\s]+)\s*=(.*)$/;
/** What HTTP allows in a header's name, and in its value (RFC 9110, 5.1 and 5.5). */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Reads `key=value,key=value`, as OTEL_EXPORTER_OTLP_HEADERS and OTEL_RESOURCE_ATTRIBUTES have it.
 * @returns the pairs, and how many parts are none.
 */
export function readPairs(text: string | undefined): {
  readonly pairs: Readonly<Record<string, string>>;
  readonly unread: number;
} {
  const parts = (text ?? "").split(",").map((part) => part.trim());
  const pairs: Record<string, string> = {};
  let unread = 0;
  for (const part of parts) {
    if (part === "") continue;
    const [, key, raw = ""] = PAIR.exec(part) ?? [];
    const value = decoded(raw.trim());
    if (key === undefined || value === undefined) unread += 1;
    else pairs[decoded(key) ?? key] = value;
  }
  return { pairs, unread };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Whether HTTP takes it as a header. */
export function isHeader(name: string, value: string): boolean {
  return HEADER_NAME.test(name) && HEADER_VALUE.test(value);
}

/** Milliseconds of a variable; undefined where it is empty or no positive whole number. */
export function millisecondsOf(env: Environment, name: string): number | undefined {
  const text = env[name]?.trim() ?? "";
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** The value of a variable; empty counts as unset, as the specification wants it. */
export function variable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

import type { Environment } from "../../platform/env.ts";

/** The name of a header or attribute; values are percent-encoded, as in W3C Baggage, which the specification refers to. */
const PAIR = /^([^=\s]+)\s*=(.*)$/;
/** Valid characters of a header's name and value in HTTP (RFC 9110, 5.1 and 5.5). */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Reads `key=value,key=value`, the format of OTEL_EXPORTER_OTLP_HEADERS and OTEL_RESOURCE_ATTRIBUTES.
 * @returns the pairs, and the number of invalid parts.
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

/** True if the pair is a valid HTTP header. */
export function isHeader(name: string, value: string): boolean {
  return HEADER_NAME.test(name) && HEADER_VALUE.test(value);
}

/** Milliseconds from a variable; undefined if it is empty or not a positive whole number. */
export function millisecondsOf(env: Environment, name: string): number | undefined {
  const text = env[name]?.trim() ?? "";
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** The value of a variable; empty counts as unset, as the specification requires. */
export function variable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

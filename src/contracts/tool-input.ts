import { z } from "zod";
import { issueSentence } from "./describe-issue.ts";
import { parsedJson } from "./parsed-json.ts";

/** Input after correction, with one phrase for each correction. */
type Corrected = { readonly value: Record<string, unknown>; readonly corrections: readonly string[] };

/**
 * Corrects the form of a call, never its meaning: known aliases of a field, numbers, booleans, arrays and objects sent
 * as strings, an integer for a string, null for an optional field. The schema refuses all other errors.
 */
export function coerceInput(
  raw: Readonly<Record<string, unknown>>,
  schema: z.ZodObject,
  aliases: Readonly<Record<string, string>>,
): Corrected {
  const value: [string, unknown][] = [];
  const corrections: string[] = [];
  for (const [given, sent] of Object.entries(raw)) {
    const key = fieldName(given, schema, aliases, raw);
    if (key !== given) corrections.push(`\`${given}\` was taken as \`${key}\``);
    const field = schema.shape[key];
    if (!(field instanceof z.ZodType)) {
      value.push([key, sent]);
      continue;
    }
    if (sent === null && field.safeParse(undefined).success && !field.safeParse(null).success) {
      corrections.push(`null for \`${key}\` was treated as absent`);
      continue;
    }
    if (isExact(sent) && !field.safeParse(sent).success && field.safeParse(String(sent)).success) {
      value.push([key, String(sent)]);
      corrections.push(`\`${key}\` was sent as a number and read as a string`);
      continue;
    }
    const fixed = typeof sent === "string" ? fromString(sent, field) : undefined;
    if (fixed === undefined) value.push([key, sent]);
    else {
      value.push([key, fixed.value]);
      corrections.push(`\`${key}\` was sent as a string and read as ${fixed.kind}`);
    }
  }
  // The object is built without assignment, because a field named `__proto__` would give the input hidden fields.
  return { value: Object.fromEntries(value), corrections };
}

/** True for a number whose text is what was sent: a long id has lost digits by now, and the version 3.10 its zero. */
function isExact(sent: unknown): sent is number {
  return Number.isSafeInteger(sent);
}

function fieldName(
  given: string,
  schema: z.ZodObject,
  aliases: Readonly<Record<string, string>>,
  raw: Readonly<Record<string, unknown>>,
): string {
  if (Object.hasOwn(schema.shape, given)) return given;
  const folded = fold(given);
  const known = Object.keys(schema.shape).find((name) => fold(name) === folded);
  const alias = Object.entries(aliases).find(([name]) => fold(name) === folded)?.[1];
  const target = known ?? alias;
  return target !== undefined && !Object.hasOwn(raw, target) ? target : given;
}

/**
 * Normalises `oldString`, `old_string` and `Old-String` to one name; names with a leading dash (`-A`) are unchanged,
 * since their case matters.
 */
function fold(name: string): string {
  return name.startsWith("-") ? name : name.replace(/[_-]/g, "").toLowerCase();
}

function fromString(sent: string, field: z.ZodType): { value: unknown; kind: string } | undefined {
  if (field.safeParse(sent).success) return undefined;
  const value = parsedJson(sent.trim() === "True" ? "true" : sent.trim() === "False" ? "false" : sent);
  if (value === undefined || typeof value === "string" || !field.safeParse(value).success) return undefined;
  const kind = Array.isArray(value)
    ? "an array"
    : value === null
      ? "null"
      : `a${typeof value === "object" ? "n" : ""} ${typeof value}`;
  return { value, kind };
}

/** One sentence that names the wrong values, their places, and the fields of the tool. */
export function explainIssues(tool: string, error: z.ZodError, schema: z.ZodObject): string {
  const problems = error.issues.slice(0, 5).map((issue) => issueSentence(issue));
  const fields = Object.entries(schema.shape).map(([name, field]) =>
    field instanceof z.ZodType && field.safeParse(undefined).success ? `${name}?` : name,
  );
  return `The input of ${tool} does not fit: ${problems.join("; ")}. Its fields are: ${fields.join(", ")}.`;
}

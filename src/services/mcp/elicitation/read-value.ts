import { nearestName } from "../../../contracts/did-you-mean.ts";
import type { FieldOption, FieldValue, FormField } from "./form-fields.ts";

type Read = { readonly value: FieldValue } | { readonly problem: string };

const FORMATS: Readonly<Record<string, { readonly name: string; fits(text: string): boolean }>> = {
  email: { name: "an e-mail address", fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text) },
  uri: { name: "a URL", fits: (text) => URL.canParse(text) },
  date: { name: "a date such as 2026-01-31", fits: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isDate(text) },
  "date-time": {
    name: "a time such as 2026-01-31T12:00:00Z",
    fits: (text) => /^\d{4}-\d{2}-\d{2}T/.test(text) && isDate(text),
  },
};

/** Reads the typed value of a field, or explains in one sentence why it is invalid. */
export function readValue(typed: string, field: FormField): Read {
  switch (field.kind) {
    case "text":
      return readText(typed, field);
    case "number":
      return readNumber(typed, field);
    case "yesno":
      if (/^(?:y|yes|true|1)$/i.test(typed.trim())) return { value: true };
      return /^(?:n|no|false|0)$/i.test(typed.trim()) ? { value: false } : { problem: "Answer yes or no." };
    case "one":
      return readOption(typed, field.options);
    case "some":
      return readOptions(typed, field);
  }
}

function readText(text: string, { format, min, max }: Extract<FormField, { kind: "text" }>): Read {
  const wanted = format === undefined ? undefined : FORMATS[format];
  if (wanted && !wanted.fits(text)) return { problem: `This must be ${wanted.name}.` };
  const length = [...text].length;
  if (length < min) return { problem: `This must have at least ${min} characters.` };
  return length > max ? { problem: `This may have at most ${max} characters.` } : { value: text };
}

function readNumber(typed: string, { isInteger, min, max }: Extract<FormField, { kind: "number" }>): Read {
  const value = Number(typed.trim());
  if (typed.trim() === "" || !Number.isFinite(value)) return { problem: "This must be a number." };
  if (isInteger && !Number.isInteger(value)) return { problem: "This must be a whole number." };
  if (value < min) return { problem: `This must be at least ${min}.` };
  return value > max ? { problem: `This must be at most ${max}.` } : { value };
}

function readOption(typed: string, options: readonly FieldOption[]): Read {
  const wanted = typed.trim().toLowerCase();
  const found =
    options.find(({ value }) => value.toLowerCase() === wanted) ??
    options.find(({ title }) => title.toLowerCase() === wanted) ??
    options[Number(wanted) - 1];
  if (found) return { value: found.value };
  const nearest = nearestName(
    typed.trim(),
    options.map(({ title }) => title),
  );
  return {
    problem: `There is no choice "${typed.trim()}"${nearest === undefined ? "" : `; did you mean ${nearest}?`}`,
  };
}

function readOptions(typed: string, { options, min, max }: Extract<FormField, { kind: "some" }>): Read {
  const parts = typed.split(",").flatMap((part) => (part.trim() === "" ? [] : [part]));
  const chosen = new Set<string>();
  for (const part of parts) {
    const read = readOption(part, options);
    if ("problem" in read) return read;
    chosen.add(String(read.value));
  }
  if (chosen.size < min) return { problem: `Choose at least ${min}.` };
  return chosen.size > max ? { problem: `Choose at most ${max}.` } : { value: [...chosen] };
}

function isDate(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

import { oneLine } from "@quoll/terminal-text/one-line";
import { z } from "zod";
import type { JsonObject } from "../../../contracts/message.ts";

export type FieldOption = { readonly value: string; readonly title: string };
export type FieldValue = string | number | boolean | readonly string[];

/** A field of a server's form. Texts are printable lines. */
export type FormField = {
  readonly name: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly default: FieldValue | undefined;
  /** True if the field seems to ask for a password or a key, which servers must not request in a form. */
  readonly isSecret: boolean;
} & (
  | { readonly kind: "text"; readonly format: string | undefined; readonly min: number; readonly max: number }
  | { readonly kind: "number"; readonly isInteger: boolean; readonly min: number; readonly max: number }
  | { readonly kind: "yesno" }
  | { readonly kind: "one"; readonly options: readonly FieldOption[] }
  | { readonly kind: "some"; readonly options: readonly FieldOption[]; readonly min: number; readonly max: number }
);

const MAX_COLUMNS = 200;
const MAX_FIELDS = 50;
const MAX_OPTIONS = 200;
const SECRET =
  /pass(?:word|phrase|code|wd)|secret|token|credential|\bapikey|\bkeys?\b|\bpin\b|\bcv[vc]\b|\bssn\b|\botp\b|\bone[ -]?time|verification code/i;

const text = z.string().optional().catch(undefined);
const limit = z.number().optional().catch(undefined);
const named = z
  .array(z.object({ const: z.string(), title: text }))
  .optional()
  .catch(undefined);
const values = z.array(z.string()).optional().catch(undefined);
const choices = { enum: values, enumNames: values, oneOf: named, anyOf: named };
const propertySchema = z.looseObject({
  type: z.string().catch("string"),
  title: text,
  description: text,
  default: z.unknown().optional(),
  format: text,
  minLength: limit,
  maxLength: limit,
  minimum: limit,
  maximum: limit,
  minItems: limit,
  maxItems: limit,
  ...choices,
  items: z.object(choices).optional().catch(undefined),
});
type Property = z.infer<typeof propertySchema>;

const formSchema = z.object({
  properties: z.record(z.string(), z.unknown()).catch({}),
  required: z.array(z.string()).catch([]).default([]),
});

/**
 * The fields of a form, in its own order (MCP, elicitation: flat objects of primitive values).
 * @param message The form's own text, which may also ask for a secret.
 */
export function formFields(requestedSchema: JsonObject, message = ""): readonly FormField[] {
  const asksForSecret = seemsSecret(message);
  const { properties, required } = formSchema.parse(requestedSchema);
  return Object.entries(properties)
    .slice(0, MAX_FIELDS)
    .flatMap(([name, raw]) => {
      const parsed = propertySchema.safeParse(raw);
      return parsed.success ? [fieldOf(name, parsed.data, required.includes(name))] : [];
    })
    .map((field) => (asksForSecret && isTyped(field) ? { ...field, isSecret: true } : field));
}

function isTyped({ kind }: FormField): boolean {
  return kind === "text" || kind === "number";
}

/** True if a text seems to ask for a password, a key or a code. `apiKey` and `card_pin` count as two words each. */
function seemsSecret(text: string): boolean {
  return SECRET.test(text.replace(/([a-z])([A-Z])/g, "$1 $2").replaceAll("_", " "));
}

function fieldOf(name: string, property: Property, isRequired: boolean): FormField {
  const title = oneLine(property.title ?? name, MAX_COLUMNS);
  const description = property.description === undefined ? undefined : oneLine(property.description, MAX_COLUMNS);
  const isSecret = seemsSecret(`${name} ${title} ${description ?? ""}`);
  const about = { name, title, description, isRequired, isSecret };
  const own = property.default;
  const options = optionsOf(property) ?? optionsOf(property.items ?? {});
  switch (property.type) {
    case "boolean":
      return { ...about, kind: "yesno", default: typeof own === "boolean" ? own : undefined };
    case "number":
    case "integer": {
      const { minimum: min = Number.NEGATIVE_INFINITY, maximum: max = Number.POSITIVE_INFINITY } = property;
      const isInteger = property.type === "integer";
      return { ...about, kind: "number", isInteger, min, max, default: typeof own === "number" ? own : undefined };
    }
    case "array": {
      const { minItems: min = 0, maxItems: max = Number.POSITIVE_INFINITY } = property;
      const chosen = z.array(z.string()).safeParse(own);
      return { ...about, kind: "some", options: options ?? [], min, max, default: chosen.data };
    }
    default: {
      const said = typeof own === "string" ? own : undefined;
      if (options) return { ...about, kind: "one", options, default: said };
      const { minLength: min = 0, maxLength: max = Number.POSITIVE_INFINITY, format } = property;
      return { ...about, kind: "text", format, min, max, default: said };
    }
  }
}

function optionsOf({ enum: plain, enumNames, oneOf, anyOf }: Partial<Property>): readonly FieldOption[] | undefined {
  const titled = oneOf ?? anyOf;
  const all = titled
    ? titled.map(({ const: value, title = value }) => ({ value, title }))
    : plain?.map((value, at) => ({ value, title: enumNames?.[at] ?? value }));
  return all?.slice(0, MAX_OPTIONS).map(({ value, title }) => ({ value, title: oneLine(title, MAX_COLUMNS) }));
}

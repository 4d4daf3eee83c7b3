import { isObject, type Report } from "../../shape.ts";
import type { Schema } from "./request.ts";

const FORMATS: Readonly<Record<string, readonly string[]>> = {
  STRING: ["enum", "date-time"],
  NUMBER: ["float", "double"],
  INTEGER: ["int32", "int64"],
};

function judgeFields(schema: Schema, where: string, report: Report): void {
  const { type, format, enum: values, items, properties, required = [], anyOf } = schema;
  if (type === undefined && !anyOf) report(`${where}.type`, "must be specified");
  if (format !== undefined && type !== undefined && FORMATS[type] && !FORMATS[type].includes(format))
    report(`${where}.format`, `only ${FORMATS[type].join(" and ")} are supported for ${type} type`);
  if (values && type !== "STRING") report(`${where}.enum`, "only allowed for STRING type");
  if (values?.includes("")) report(`${where}.enum[${values.indexOf("")}]`, "cannot be empty");
  if (type === "ARRAY" && !items) report(`${where}.items`, "missing field");
  if (type !== "ARRAY" && items) report(`${where}.items`, "only allowed for ARRAY type");
  if (type !== "OBJECT" && properties) report(`${where}.properties`, "only allowed for OBJECT type");
  if (type === "OBJECT" && properties && Object.keys(properties).length === 0)
    report(`${where}.properties`, "should be non-empty for OBJECT type");
  for (const [index, name] of required.entries()) {
    if (!Object.hasOwn(properties ?? {}, name)) report(`${where}.required[${index}]`, "property is not defined");
  }
}

/** Judges a schema of the API's own kind, and those in it. */
export function judgeSchema(schema: Schema, where: string, report: Report): void {
  judgeFields(schema, where, report);
  if (schema.items) judgeSchema(schema.items, `${where}.items`, report);
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    judgeSchema(property, `${where}.properties[${name}]`, report);
  for (const [index, variant] of (schema.anyOf ?? []).entries())
    judgeSchema(variant, `${where}.any_of[${index}]`, report);
}

/** JSON Schema is taken whole, whatever its keywords; only its form is judged. */
export function judgeJsonSchema(schema: unknown, where: string, report: Report): void {
  if (!isObject(schema)) report(where, "must be a JSON schema, which is an object");
}

import { isObject, type Report } from "../../shape.ts";

/**
 * Reads JSON as Google's APIs do, by tables of message types: names in either spelling, null as absent, a single value
 * where a list may stand, numbers as text. Faults are reported in the API's own form, with paths such as
 * `tools[0].function_declarations[1]`. Format: protobuf's "ProtoJSON".
 */
export type ProtoType =
  | { readonly kind: "string" | "bytes" | "bool" | "int32" | "int64" | "float" | "struct" | "value" }
  | { readonly kind: "enum"; readonly name: string; readonly values: readonly string[] }
  | { readonly kind: "list" | "map"; readonly of: ProtoType }
  | { readonly kind: "message"; readonly name: string; readonly fields: () => ProtoFields };
export type ProtoFields = { readonly [camelName: string]: ProtoType };

/** The code of every problem that this reader finds. */
export const PAYLOAD_PROBLEM = "payload";
/** The start of the API's message for a body that it can't parse. */
export const INVALID_JSON = "Invalid JSON payload received.";

const PACKAGE = "type.googleapis.com/google.ai.generativelanguage.v1beta";
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const WHOLE = /^-?\d+$/;
const INT32_LIMIT = 2 ** 31;
const SHOWN_CHARS = 100;

export const STRING: ProtoType = { kind: "string" };
export const BYTES: ProtoType = { kind: "bytes" };
export const BOOL: ProtoType = { kind: "bool" };
export const INT32: ProtoType = { kind: "int32" };
export const INT64: ProtoType = { kind: "int64" };
export const FLOAT: ProtoType = { kind: "float" };
/** A JSON object of any content. */
export const STRUCT: ProtoType = { kind: "struct" };
/** Any JSON. */
export const VALUE: ProtoType = { kind: "value" };
export const enumOf = (name: string, ...values: string[]): ProtoType => ({ kind: "enum", name, values });
export const listOf = (of: ProtoType): ProtoType => ({ kind: "list", of });
export const mapOf = (of: ProtoType): ProtoType => ({ kind: "map", of });
/** `fields` is a function, because a message may contain itself. */
export const messageOf = (name: string, fields: ProtoFields | (() => ProtoFields)): ProtoType => ({
  kind: "message",
  name,
  fields: typeof fields === "function" ? fields : () => fields,
});

const camelOf = (name: string) => name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
const snakeOf = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const joinPath = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
const atPath = (path: string) => (path === "" ? "" : ` at '${path}'`);

function typeName(type: ProtoType): string {
  switch (type.kind) {
    case "enum":
    case "message":
      return `${PACKAGE}.${type.name}`;
    case "struct":
    case "map":
      return "type.googleapis.com/google.protobuf.Struct";
    default:
      return `TYPE_${type.kind.toUpperCase()}`;
  }
}

function invalid(value: unknown, type: ProtoType, path: string, report: Report): void {
  const shown = JSON.stringify(value)?.slice(0, SHOWN_CHARS);
  report(path, `Invalid value${atPath(path)} (${typeName(type)}), ${shown}`, PAYLOAD_PROBLEM);
}

function numberOf(value: unknown, type: ProtoType): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number !== "number" || Number.isNaN(number)) return undefined;
  if (type.kind === "float") return number;
  const isWhole = typeof value === "string" ? WHOLE.test(value) : Number.isInteger(number);
  const fits = type.kind === "int64" || (number >= -INT32_LIMIT && number < INT32_LIMIT);
  return isWhole && fits ? number : undefined;
}

/** undefined for a value that doesn't fit. */
function scalarOf(value: unknown, type: ProtoType): unknown {
  switch (type.kind) {
    case "string":
      return typeof value === "string" ? value : undefined;
    case "bytes":
      return typeof value === "string" && BASE64.test(value) ? value : undefined;
    case "bool":
      return typeof value === "boolean" ? value : undefined;
    case "struct":
      return isObject(value) ? value : undefined;
    case "enum": {
      const name = typeof value === "string" ? value.toUpperCase() : "";
      return type.values.includes(name) ? name : undefined;
    }
    default:
      return numberOf(value, type);
  }
}

function readMessage(
  value: Readonly<Record<string, unknown>>,
  fields: ProtoFields,
  path: string,
  report: Report,
): unknown {
  const read: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    const camel = Object.hasOwn(fields, name) ? name : camelOf(name);
    const type = Object.hasOwn(fields, camel) ? fields[camel] : undefined;
    const unknownName = (why: string) =>
      report(path, `${INVALID_JSON} Unknown name ${JSON.stringify(name)}${atPath(path)}: ${why}`, PAYLOAD_PROBLEM);
    if (!type) unknownName("Cannot find field.");
    else if (Object.hasOwn(read, camel)) unknownName("Field is already set.");
    else if (Array.isArray(item) && type.kind !== "list" && type.kind !== "value")
      unknownName("Proto field is not repeating, cannot start list.");
    else if (item !== null || type.kind === "value")
      read[camel] = readProto(item, type, joinPath(path, snakeOf(camel)), report);
  }
  return read;
}

/**
 * The value with the names of its fields as the tables spell them.
 * A value that doesn't fit its type is left out and reported with the code `PAYLOAD_PROBLEM`.
 */
export function readProto(value: unknown, type: ProtoType, path: string, report: Report): unknown {
  if (type.kind === "value") return value;
  if (type.kind === "list") {
    const items = Array.isArray(value) ? value : [value];
    return items.map((item, index) => readProto(item, type.of, `${path}[${index}]`, report));
  }
  if (type.kind === "message" || type.kind === "map") {
    if (!isObject(value)) return invalid(value, type, path, report);
    if (type.kind === "message") return readMessage(value, type.fields(), path, report);
    const entries = Object.entries(value).map(([name, item], index) => {
      return [name, readProto(item, type.of, `${path}[${index}].value`, report)];
    });
    return Object.fromEntries(entries);
  }
  const scalar = scalarOf(value, type);
  if (scalar === undefined) invalid(value, type, path, report);
  return scalar;
}

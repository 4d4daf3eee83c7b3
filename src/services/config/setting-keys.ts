import { z } from "zod";
import { nearestNames } from "../../contracts/did-you-mean.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { settingsSchema } from "../../contracts/settings-schema.ts";

/** A key of the settings in the form that `config get` and `config set` accept. */
export type SettingKey = {
  /** The key as typed: `permissions.allow`. */
  readonly name: string;
  readonly path: readonly string[];
  readonly schema: unknown;
  /** A section contains other keys; the values of a list are joined across the files. */
  readonly kind: "section" | "list" | "value";
};

/** Names of a key, separated by dots; a name with a dot is put in double quotes: `models."gpt-5.1".price`. */
const KEY_PART = /"([^"]+)"|([^."]+)/g;

/**
 * Finds a key in the settings' schema.
 * @throws {UserFacingError} (exit 2) there is no such key; the message names the most similar one.
 */
export function findSettingKey(name: string): SettingKey {
  const path = [...name.matchAll(KEY_PART)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  let schema: unknown = settingsSchema;
  for (const part of path) schema = partSchema(schema, part) ?? unknownKey(name);
  if (path.length === 0 || path[0] === "$schema") return unknownKey(name);
  return { name, path, schema, kind: kindOf(schema) };
}

/** The names of all keys that have a fixed name; sections are left out. */
export function settingKeyNames(schema: unknown = settingsSchema, prefix = ""): readonly string[] {
  const plain = unwrapped(schema);
  if (!(plain instanceof z.ZodObject)) return prefix === "" ? [] : [prefix];
  return Object.entries(plain.shape)
    .filter(([name]) => name !== "$schema")
    .flatMap(([name, part]) => settingKeyNames(part, prefix === "" ? name : `${prefix}.${name}`));
}

/** The allowed values of each key that has few: `true` and `false`, or the names of an enum. */
export function settingValues(): Readonly<Record<string, readonly string[]>> {
  const known = settingKeyNames().map((name) => [name, choices(findSettingKey(name).schema)] as const);
  return Object.fromEntries(known.filter(([, values]) => values.length > 0));
}

/** A setting in words. `choices`: all values of the key, if they are few. */
export type SettingWords = {
  readonly description: string;
  readonly type: string;
  readonly choices: readonly string[];
};

/** Describes a setting by its schema. */
export function describeSetting({ schema }: Pick<SettingKey, "schema">): SettingWords {
  const all = choices(schema);
  const plain = unwrapped(schema);
  return {
    description: descriptionOf(schema),
    type: typeWords(plain, all),
    choices: isOpenUnion(plain) ? [] : all,
  };
}

function descriptionOf(schema: unknown): string {
  if (!(schema instanceof z.ZodType)) return "";
  return schema.description ?? (schema instanceof z.ZodOptional ? descriptionOf(schema.unwrap()) : "");
}

function typeWords(plain: unknown, all: readonly string[]): string {
  if (plain instanceof z.ZodArray) return "a list";
  if (all.length > 0 && !isOpenUnion(plain)) return all.join(" or ");
  if (plain instanceof z.ZodNumber) return "a number";
  if (plain instanceof z.ZodString) return "a text";
  return "JSON";
}

/** A union that accepts other values besides its listed words. */
function isOpenUnion(plain: unknown): boolean {
  return plain instanceof z.ZodUnion && plain.options.some((option) => choices(option).length === 0);
}

function choices(schema: unknown): readonly string[] {
  const plain = unwrapped(schema);
  if (plain instanceof z.ZodBoolean) return ["true", "false"];
  if (plain instanceof z.ZodEnum) return plain.options.map(String);
  if (plain instanceof z.ZodLiteral) return [...plain.values].map(String);
  return plain instanceof z.ZodUnion ? plain.options.flatMap(choices) : [];
}

/** The schema of a part of a value; undefined if the value has no such part. */
export function partSchema(schema: unknown, name: string): unknown {
  const plain = unwrapped(schema);
  if (plain instanceof z.ZodRecord) return plain.valueType;
  if (plain instanceof z.ZodUnion)
    return plain.options.map((option) => partSchema(option, name)).find((found) => found !== undefined);
  if (!(plain instanceof z.ZodObject)) return undefined;
  return Object.hasOwn(plain.shape, name) ? plain.shape[name] : plain.def.catchall;
}

export function unwrapped(schema: unknown): unknown {
  return schema instanceof z.ZodOptional ? unwrapped(schema.unwrap()) : schema;
}

function kindOf(schema: unknown): SettingKey["kind"] {
  const plain = unwrapped(schema);
  if (plain instanceof z.ZodArray) return "list";
  return plain instanceof z.ZodObject || plain instanceof z.ZodRecord ? "section" : "value";
}

function unknownKey(name: string): never {
  const names = settingKeyNames();
  const last = names.find((known) => known.endsWith(`.${name}`));
  const nearest = last ?? nearestNames(name, names, 1)[0];
  const hint =
    nearest === undefined
      ? "`/config` lists them all (in a shell: `quoll config schema`)."
      : `did you mean ${nearest}?`;
  throw new UserFacingError(`There is no setting "${name}": ${hint}`, 2);
}

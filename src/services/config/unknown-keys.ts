import type { Node } from "jsonc-parser/lib/esm/main.js";
import { z } from "zod";
import { nearestNames } from "../../contracts/did-you-mean.ts";

/** A key that no reader of the file uses, and the most similar known key. */
export type UnknownKey = {
  /** The key in the form `permissions.deny[0].mtach`. */
  readonly name: string;
  readonly offset: number;
  readonly nearest?: string;
};

/** All keys of a settings text that are not in its schema, in the order of the text. */
export function* unknownKeys(node: Node, schema: unknown, prefix = ""): Generator<UnknownKey, void> {
  const wanted = alternativeFor(node, schema);
  if (wanted instanceof z.ZodArray) {
    for (const [index, child] of (node.children ?? []).entries()) {
      yield* unknownKeys(child, wanted.element, `${prefix.replace(/\.$/, "")}[${index}].`);
    }
  }
  if (wanted instanceof z.ZodObject) yield* unknownIn(node, wanted, prefix);
}

function* unknownIn(node: Node, schema: z.ZodObject, prefix: string): Generator<UnknownKey, void> {
  const known = Object.keys(schema.shape).filter((name) => name !== "$schema");
  const takesAnyName = schema.def.catchall !== undefined;
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? [];
    const name = String(key?.value);
    if (Object.hasOwn(schema.shape, name)) {
      if (value) yield* unknownKeys(value, schema.shape[name], `${prefix}${name}.`);
    } else if (!takesAnyName) {
      const [nearest] = nearestNames(name, known, 1);
      const found = { name: prefix + name, offset: property.offset };
      yield nearest === undefined ? found : { ...found, nearest: prefix + nearest };
    }
  }
}

/** The part of a schema for values of this type. */
function alternativeFor(node: Node, schema: unknown): unknown {
  if (schema instanceof z.ZodOptional) return alternativeFor(node, schema.unwrap());
  if (!(schema instanceof z.ZodUnion)) return schema;
  return schema.options.find(
    (option) =>
      (node.type === "object" && option instanceof z.ZodObject) ||
      (node.type === "array" && option instanceof z.ZodArray),
  );
}

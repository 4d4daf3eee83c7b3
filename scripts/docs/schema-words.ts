/** The part of JSON Schema that our schemas use. */
export type SchemaNode = {
  readonly type?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
};

/** The fields of larger objects have a page of their own. */
const MAX_FIELDS = 20;

/** The type of a schema in a few words: `integer from 1`, `list of string`, `"content"|"count"`. */
export function typeWords(node: SchemaNode): string {
  if (node.const !== undefined) return quoted(node.const);
  if (node.enum) return node.enum.map(quoted).join(" | ");
  if (node.anyOf) return node.anyOf.map(typeWords).join(" | ");
  if (node.type === "array") return `list of ${node.items ? itemWords(node.items) : "anything"}`;
  if (node.type === "object") return objectWords(node);
  return `${node.type ?? "anything"}${rangeWords(node)}`;
}

/** Puts a union in parentheses, so that the end of the list is visible. */
function itemWords(node: SchemaNode): string {
  return node.anyOf ? `(${typeWords(node)})` : typeWords(node);
}

function objectWords({ properties, required = [], additionalProperties }: SchemaNode): string {
  if (!properties)
    return typeof additionalProperties === "object" ? `map to ${typeWords(additionalProperties)}` : "map";
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${name}${required.includes(name) ? "" : "?"}: ${typeWords(schema)}`,
  );
  return fields.length > MAX_FIELDS ? "object" : `{ ${fields.join(", ")} }`;
}

/** Leaves out the bounds of safe integers. */
function rangeWords({ minimum, maximum }: SchemaNode): string {
  const from = minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? "" : ` from ${minimum}`;
  const to = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? "" : ` to ${maximum}`;
  return from + to;
}

function quoted(value: unknown): string {
  return `\`${JSON.stringify(value)}\``;
}

/** Changes every text in a JSON value, except keys. */
export function mapTexts<Value>(value: Value, change: (text: string) => string): Value {
  return mapAny(value, change) as Value;
}

function mapAny(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapAny(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapAny(item, change)]));
}

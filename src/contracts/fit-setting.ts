import { isJsonObject, type JsonObject } from "./message.ts";
import type { Misfit, ObjectSetting, Setting } from "./setting.ts";

/** A value without its unknown keys, or the parts that do not fit: the first one and the others. */
export type Fitted = { readonly value: unknown } | { readonly misfit: Misfit; readonly others: readonly Misfit[] };

type KeyPath = readonly (string | number)[];

/** A misfit of a value of the right type: one of several forms is then certain to be the form that was meant. */
type Found = Misfit & { readonly isOfType?: true };

/** Checks a value of JSON against the form of a setting. */
export function fitSetting(value: unknown, setting: Setting): Fitted {
  const found: Found[] = [];
  const fitted = fit(value, setting, { path: [], found });
  const [first, ...others] = found.map(({ path, expected }) => ({ path, expected }));
  return first ? { misfit: first, others } : { value: fitted };
}

type Fitting = { readonly path: KeyPath; readonly found: Found[] };

function fit(value: unknown, setting: Setting, at: Fitting): unknown {
  switch (setting.type) {
    case "anything":
      return value;
    case "boolean":
      return typeof value === "boolean" ? value : miss(at, "true or false");
    case "text":
    case "path":
      return fitText(value, setting, at);
    case "url":
      if (typeof value !== "string") return miss(at, "a string");
      return /^\s*https?:\/\//i.test(value) && URL.canParse(value.trim())
        ? value.trim()
        : miss(at, "a valid url", true);
    case "integer":
    case "number":
      return fitNumber(value, setting, at);
    case "choice": {
      const isOne = setting.values.some((one) => one === value);
      return isOne ? value : miss(at, setting.values.map((one) => JSON.stringify(one)).join(" or "));
    }
    case "list":
      if (!Array.isArray(value)) return miss(at, "a list");
      if (value.length < (setting.min ?? 0)) miss(at, `a list of at least ${setting.min}`, true);
      return value.map((item, index) => fit(item, setting.of, { ...at, path: [...at.path, index] }));
    case "map":
      if (!isJsonObject(value)) return miss(at, "an object");
      return fitEach(Object.entries(value), setting.of, at);
    case "either":
      return fitOne(value, setting.of, at);
    case "object":
      return isJsonObject(value) ? fitObject(value, setting, at) : miss(at, "an object");
  }
}

function miss({ path, found }: Fitting, expected: string, isOfType?: true): undefined {
  found.push({ path, expected, ...(isOfType && { isOfType }) });
  return undefined;
}

function fitText(value: unknown, form: Extract<Setting, { type: "text" | "path" }>, at: Fitting): unknown {
  if (typeof value !== "string") return miss(at, "a string");
  if (value.length < (form.min ?? 0)) return miss(at, "some text", true);
  if (value.length > (form.max ?? Number.POSITIVE_INFINITY)) return miss(at, `at most ${form.max}`, true);
  return form.pattern?.test(value) === false ? miss(at, "of another form", true) : value;
}

function fitNumber(value: unknown, form: Extract<Setting, { type: "integer" | "number" }>, at: Fitting): unknown {
  if (typeof value !== "number" || !Number.isFinite(value)) return miss(at, "a number");
  const isWhole = form.type === "integer";
  if (isWhole && !Number.isInteger(value)) return miss(at, "a whole number");
  const most = isWhole ? Number.MAX_SAFE_INTEGER : Number.POSITIVE_INFINITY;
  if (isWhole && value < -most) return miss(at, `at least ${-most}`, true);
  if (isWhole && value > most) return miss(at, `at most ${most}`, true);
  if (form.above !== undefined && value <= form.above) return miss(at, `more than ${form.above}`, true);
  if (form.min !== undefined && value < form.min) return miss(at, `at least ${form.min}`, true);
  return form.max !== undefined && value > form.max ? miss(at, `at most ${form.max}`, true) : value;
}

function fitEach(entries: readonly (readonly [string, unknown])[], of: Setting, at: Fitting): JsonObject {
  const fitted = entries.map(([name, part]) => [name, fit(part, of, { ...at, path: [...at.path, name] })]);
  return Object.fromEntries(fitted) as JsonObject;
}

/** Of several forms, the one that fits; otherwise the one that fits most of the value is assumed. */
function fitOne(value: unknown, forms: readonly Setting[], at: Fitting): unknown {
  const tried = forms.map((form) => {
    const found: Found[] = [];
    return { found, value: fit(value, form, { path: at.path, found }) };
  });
  const fitting = tried.find(({ found }) => found.length === 0);
  if (fitting) return fitting.value;
  const [meant, ...others] = tried.filter(({ found }) => found.every(({ isOfType }) => isOfType));
  if (meant && others.length === 0) {
    at.found.push(...meant.found);
    return undefined;
  }
  const firsts = tried.flatMap(({ found: [first] }) => first ?? []);
  const inside = firsts.find(({ path }) => path.length > at.path.length);
  if (inside) at.found.push({ path: inside.path, expected: inside.expected });
  else miss(at, firsts.map(({ expected }) => expected).join(" or "));
  return undefined;
}

function fitObject(value: JsonObject, setting: ObjectSetting, at: Fitting): unknown {
  const { keys, others, isStrict, check } = setting;
  const before = at.found.length;
  const known = Object.entries(keys).flatMap(([name, key]) => {
    if (value[name] === undefined && !key.required) return [];
    return [[name, fit(value[name], key, { ...at, path: [...at.path, name] })] as const];
  });
  const more = Object.entries(value).filter(([name]) => !Object.hasOwn(keys, name));
  if (isStrict && more.length > 0) {
    const names = more.map(([name]) => JSON.stringify(name)).join(", ");
    miss(at, `what fits (Unrecognized key${more.length > 1 ? "s" : ""}: ${names})`, true);
  }
  const fitted = { ...Object.fromEntries(known), ...(others && fitEach(more, others, at)) };
  const misfit = at.found.length === before ? check?.(fitted as never) : undefined;
  if (misfit) miss({ ...at, path: [...at.path, ...misfit.path] }, misfit.expected);
  return fitted;
}

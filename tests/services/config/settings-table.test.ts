import { describe, expect, test } from "bun:test";
import { settingRows } from "../../../scripts/docs/settings-page.ts";
import { fitSetting } from "../../../src/contracts/fit-setting.ts";
import type { ObjectSetting, Setting, ValueOf } from "../../../src/contracts/setting.ts";
import { SETTINGS } from "../../../src/contracts/settings-table.ts";
import { takesEffectNow } from "../../../src/services/config/changed-settings.ts";
import { mergeSettings } from "../../../src/services/config/merge-settings.ts";
import { judgeParts } from "../../../src/services/config/project-policy.ts";
import { describeSetting, findSettingKey, settingKeyNames } from "../../../src/services/config/setting-keys.ts";
import { settingsJsonSchema } from "../../../src/services/config/settings-schema-text.ts";
import { tempProject } from "../../support/temp-project.ts";
import { load } from "./support.ts";

// biome-ignore format: the table's own form
const TABLE = {
  type: "object",
  keys: {
    ...SETTINGS.keys,
    coffee: { type: "object", keys: {
      cups: { type: "integer", min: 1, about: "Cups a day" },
      strength: { type: "choice", values: ["mild", "strong"], project: { trusted: "makes {key} {}" }, live: true, about: "How it tastes" },
      most: { type: "number", merge: "lowest", project: "now", about: "Cups that nobody may exceed" },
      beans: { type: "list", of: { type: "path" }, about: "Folders of beans" },
      rest: { type: "boolean", project: { only: true }, layer: "managed", about: "In the managed file only: a day off" },
    } },
  },
} as const satisfies ObjectSetting;

type Coffee = NonNullable<ValueOf<typeof TABLE>["coffee"]>;

describe("a key that is added to the table of settings", () => {
  test("has a type, a check and a description without any other line", () => {
    const coffee: Coffee = { cups: 2, strength: "mild", beans: ["~/beans"] };
    expect(fitSetting({ coffee }, TABLE)).toEqual({ value: { coffee } });
    expect(fitSetting({ coffee: { cups: 0 } }, TABLE)).toEqual({
      misfit: { path: ["coffee", "cups"], expected: "at least 1" },
      others: [],
    });
    expect(describeSetting(findSettingKey("coffee.strength", TABLE))).toEqual({
      description: "How it tastes",
      type: "mild or strong",
      choices: ["mild", "strong"],
    });
    expect(settingKeyNames(TABLE)).toContain("coffee.cups");
  });

  test("is merged: the highest value, the lowest cap, joined lists with absolute paths, and only the file that may set it", () => {
    const files = [
      { name: "user", folder: "/p", value: { coffee: { cups: 2, most: 9, beans: ["~/a", "b"], rest: true } } },
      { name: "own", folder: "/q", value: { coffee: { cups: 3, most: 12, beans: ["b", "/home/ann/a"] } } },
    ] as const;
    const coffee = { cups: 3, most: 9, beans: ["/home/ann/a", "/p/b", "/q/b"] };
    expect(mergeSettings(files, "/home/ann", TABLE) as object).toEqual({ coffee });
  });

  test("never counts in a project's file if it has no policy", () => {
    const judged = judgeParts({ coffee: { cups: 2, strength: "strong", most: 3 } }, TABLE);
    expect(judged.map(({ name, effectTime, what }) => [name, effectTime, what])).toEqual([
      ["coffee.cups", "never", "sets coffee.cups"],
      ["coffee.strength", "trusted", "makes coffee.strength strong"],
      ["coffee.most", "now", "sets coffee.most"],
    ]);
  });

  test("waits for the next start unless it is live", () => {
    const live = ["cups", "strength"].map((name) => takesEffectNow(["coffee", name], TABLE));
    expect(live).toEqual([false, true]);
  });

  test("is in the JSON Schema and on the reference page", () => {
    expect(settingsJsonSchema(TABLE)["properties"]).toMatchObject({
      coffee: { properties: { cups: { type: "integer", minimum: 1, description: "Cups a day" } } },
    });
    const rows = settingRows(TABLE).filter(([key]) => key?.startsWith("`coffee."));
    expect(rows).toEqual([
      ["`coffee.cups`", "integer from 1", "Cups a day", "never"],
      ["`coffee.strength`", '`"mild"` | `"strong"`', "How it tastes", "if trusted"],
      ["`coffee.most`", "number", "Cups that nobody may exceed", "at once; the lowest cap applies"],
      ["`coffee.beans`", "list of string", "Folders of beans", "never"],
      ["`coffee.rest`", "boolean", "In the managed file only: a day off", "at once, but only `true`"],
    ]);
  });
});

/** Every key that is no section. */
function* leaves(setting: Setting, path: readonly string[] = []): Generator<readonly [string, Setting], void> {
  if (setting.type !== "object" || setting.merge === "apart") yield [path.join("."), setting];
  else for (const [name, key] of Object.entries(setting.keys)) yield* leaves(key, [...path, name]);
}

test("every key of the person's own file arrives in the merged settings, but for the keys that are read apart", async () => {
  const values: Readonly<Partial<Record<Setting["type"], unknown>>> = { boolean: true, text: "auto", path: "/x" };
  const sample = (setting: Setting): unknown => {
    if (setting.type === "text" && setting.pattern) return ["auto", "/x"].find((text) => setting.pattern?.test(text));
    if (setting.type === "integer" || setting.type === "number") return (setting.min ?? 0) + 1;
    if (setting.type === "choice") return setting.values[0];
    if (setting.type === "list") return [sample(setting.of)];
    if (setting.type === "map") return { name: sample(setting.of) };
    if (setting.type === "either" && setting.of[0]) return sample(setting.of[0]);
    if (setting.type === "url") return "https://a.example";
    return setting.type === "object" ? {} : values[setting.type];
  };
  const merged = [...leaves(SETTINGS)].filter(([, { merge, layer }]) => merge !== "apart" && layer === undefined);
  const renamed = /^(?:permissions|env|destructiveGuard|skills)\b/;
  for (const [key, setting] of merged.filter(([name]) => !renamed.test(name))) {
    const value = sample(setting);
    const file = key.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
    await using project = await tempProject({ "config/settings.json": JSON.stringify(file) });
    const { settings } = await load(project);
    expect([key, settings]).toEqual([key, expect.objectContaining(file as object)]);
  }
});

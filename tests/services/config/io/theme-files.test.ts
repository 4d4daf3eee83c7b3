import { expect, test } from "bun:test";
import { findTheme, listThemes } from "../../../../src/services/config/io/theme-files.ts";
import { tempProject } from "../../../support/temp-project.ts";

test("a theme file changes colours of another theme; a fault names the file and the role", async () => {
  await using project = await tempProject({
    "sea.json":
      '{ "extends": "light", "accent": "#005f87", "dim": 240, "added": "brightBlue", "function": "blue", "band": "#eeeeee" }',
    "bad.json": '{ "accent": "#005f8" }',
    "other.json": '{ "colour": "red" }',
    "broken.json": "{",
    "dark.json": "{}",
    "notes.txt": "",
  });
  const colors = { accent: "#005f87", dim: 240, added: "brightBlue", function: "blue", band: "#eeeeee" } as const;
  expect(await findTheme(project.dir, "sea")).toEqual({ name: "sea", extends: "light", colors });
  expect(await findTheme(project.dir, "dark")).toEqual({ name: "dark", extends: "dark", colors: {} });
  const { themes, problems } = await listThemes(project.dir);
  expect(themes.map(({ name }) => name)).toEqual(["sea"]);
  expect(problems).toHaveLength(3);
  expect(problems[0]).toMatch(/bad\.json: accent: use #rrggbb/);
  expect(problems[1]).toContain("broken.json: ");
  expect(problems[2]).toMatch(/other\.json: .*colour/);
  expect(findTheme(project.dir, "none")).rejects.toThrow(/no theme "none"/);
  expect(findTheme(project.dir, "../x")).rejects.toThrow(/no theme/);
  expect((await listThemes(project.path("nowhere"))).themes).toEqual([]);
});

import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { Terminal } from "@xterm/headless";
import { Glob } from "bun";
import { ROOT, storedText } from "../../scripts/docs/generated-files.ts";
import { missingPictures, PICTURES } from "../../scripts/docs/pictures/names.ts";
import { screenSvg } from "../../scripts/docs/pictures/screen-svg.ts";
import { tempProject } from "../support/temp-project.ts";

const COLORS = { background: "#000000", text: "#eeeeee", frame: "#444444" };

test("every picture of the guide is there, small and shown by a page", async () => {
  expect(missingPictures(ROOT)).toEqual([]);
  await using empty = await tempProject();
  expect(missingPictures(empty.dir)).toContain(`${PICTURES}/turn.svg`);
  const pages = ["README.md", ...new Glob("docs/guide/*.md").scanSync({ cwd: ROOT })].map(storedText).join();
  for (const name of new Glob("*.svg").scanSync({ cwd: join(ROOT, PICTURES) })) {
    expect(statSync(join(ROOT, PICTURES, name)).size).toBeLessThan(60_000);
    expect(pages).toContain(`pictures/${name})`);
  }
});

test("a picture has the screen's text, colours and columns", async () => {
  const xterm = new Terminal({ cols: 20, rows: 3, allowProposedApi: true });
  const written = Promise.withResolvers<void>();
  xterm.write(
    "ab \u001b[1;38;2;255;0;16m<c>\u001b[m \u001b[38;5;67m漢\u001b[m\u001b[7mx\u001b[m 1.7s",
    written.resolve,
  );
  await written.promise;
  const svg = screenSvg(xterm, { colors: COLORS, title: "A screen" }, (text) => text.replace("1.7s", "1s"));
  xterm.dispose();
  const texts = [...svg.matchAll(/<text x="([\d.]+)"[^>]* fill="(#\w+)"([^>]*)>([^<]*)</g)].map((match) =>
    match.slice(1),
  );
  expect(texts).toEqual([
    ["16", "#eeeeee", "", "ab"],
    ["41.2", "#ff0010", ' font-weight="bold"', "&lt;c&gt;"],
    ["74.8", "#5f87af", "", "漢"],
    ["91.6", "#000000", "", "x"],
    ["108.4", "#eeeeee", "", "1s"],
  ]);
  expect(svg).toContain('<rect x="91.6" y="28" width="8.4" height="17" fill="#eeeeee"/>');
  // Rows without text at the end are not drawn: one row, the bar above it and the margin below.
  expect(svg).toContain(`height="${28 + 17 + 16}"`);
});

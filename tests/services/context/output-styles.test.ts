import { expect, test } from "bun:test";
import { listOutputStyles } from "../../../src/services/context/output-styles.ts";
import { tempProject } from "../../support/temp-project.ts";

const styled = (name: string, text: string) => `---\nname: ${name}\ndescription: About ${name}\n---\n${text}\n`;

async function list(files: Readonly<Record<string, string | Uint8Array>>, isTrusted = true) {
  await using place = await tempProject(files);
  const warned: string[] = [];
  const projectRoot = isTrusted ? place.path("project") : undefined;
  const styles = await listOutputStyles({ home: place.path("home"), projectRoot }, (line) => warned.push(line));
  return { styles: styles.map(({ name, description, text }) => [name, description, text]), warned };
}

test("styles of the user and the project are listed by name, and the project's counts", async () => {
  const { styles, warned } = await list({
    "home/.claude/output-styles/brief.md": styled("Brief", "Short."),
    "home/.quoll/output-styles/plain.md": "No header.\n",
    "project/.claude/output-styles/a.md": styled("Brief", "Shorter."),
    "project/.quoll/output-styles/b.md": styled("Brief", "Shortest."),
    "project/.quoll/output-styles/notes.txt": "no style",
  });
  expect(styles).toEqual([
    ["Brief", "About Brief", "Shortest."],
    ["plain", "", "No header."],
  ]);
  expect(warned).toEqual([]);
});

test("a project that is not trusted has no styles", async () => {
  const files = { "project/.quoll/output-styles/b.md": styled("Brief", "Shortest.") };
  expect((await list(files, false)).styles).toEqual([]);
  expect((await list(files)).styles).toHaveLength(1);
});

test("a file that is empty or too large is left out with one line", async () => {
  const { styles, warned } = await list({
    "home/.quoll/output-styles/empty.md": styled("Empty", ""),
    "home/.quoll/output-styles/huge.md": "x".repeat(40_000),
  });
  expect(styles).toEqual([]);
  expect(warned).toEqual([expect.stringContaining("empty.md"), expect.stringContaining("huge.md")]);
});

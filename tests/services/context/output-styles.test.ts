import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { contentFolders, STYLE_FOLDERS } from "../../../src/app/content-folders.ts";
import { listOutputStyles } from "../../../src/services/context/output-styles.ts";
import { tempProject } from "../../support/temp-project.ts";

const styled = (name: string, text: string) => `---\nname: ${name}\ndescription: About ${name}\n---\n${text}\n`;

type Listing = {
  readonly isTrusted?: boolean;
  readonly chosenByProject?: string;
  readonly links?: Readonly<Record<string, string>>;
  readonly hidden?: string;
};

async function list(
  files: Readonly<Record<string, string | Uint8Array>>,
  { isTrusted = true, chosenByProject, links = {}, hidden = "\n" }: Listing = {},
) {
  await using place = await tempProject(files);
  for (const [link, target] of Object.entries(links)) {
    mkdirSync(dirname(place.path(link)), { recursive: true });
    symlinkSync(target, place.path(link));
  }
  const warned: string[] = [];
  const project = { cwd: place.path("project"), root: place.path("project") };
  const own = { home: place.path("home"), config: place.path("home/.config/quoll") };
  const folders = contentFolders({}, { env: {}, own, project, plugins: [], isTrusted }, STYLE_FOLDERS);
  const styles = await listOutputStyles(folders, chosenByProject, {
    isHidden: (path) => path.includes(hidden),
    redact: async (text) => text.replaceAll("hunter2", "[hidden]"),
    notify: (line) => warned.push(line),
  });
  const ofFiles = styles.filter(({ file }) => file !== undefined);
  return { styles: ofFiles.map(({ name, description, text }) => [name, description, text]), all: styles, warned };
}

test("styles of the user and the project are listed by name; of two in one place the one below .quoll counts", async () => {
  const { styles, warned } = await list({
    "home/.claude/output-styles/brief.md": styled("Brief", "Short."),
    "home/.quoll/output-styles/plain.md": "No header.\n",
    "project/.claude/output-styles/a.md": styled("Team", "Shorter."),
    "project/.quoll/output-styles/b.md": styled("Team", "Shortest."),
    "project/.quoll/output-styles/notes.txt": "no style",
  });
  expect(styles).toEqual([
    ["Brief", "About Brief", "Short."],
    ["plain", "", "No header."],
    ["Team", "About Team", "Shortest."],
  ]);
  expect(warned).toEqual([]);
});

test("a project's style replaces the user's of the same name only if the project's setting chose the name", async () => {
  const files = {
    "home/.quoll/output-styles/brief.md": styled("Brief", "Mine."),
    "project/.quoll/output-styles/brief.md": styled("brief", "Theirs."),
  };
  const texts = async (chosenByProject?: string) =>
    (await list(files, chosenByProject === undefined ? {} : { chosenByProject })).styles.map(([, , text]) => text);
  expect(await texts()).toEqual(["Mine."]);
  expect(await texts("Other")).toEqual(["Mine."]);
  expect(await texts("BRIEF")).toEqual(["Theirs."]);
});

test("a project's style that leads out of the project by a link is left out, and the user's own link is followed", async () => {
  const { styles, warned } = await list(
    { "elsewhere/style.md": styled("Linked", "From elsewhere."), "project/inside.md": styled("Inside", "Here.") },
    {
      links: {
        "home/.quoll/output-styles/mine.md": "../../../elsewhere/style.md",
        "project/.claude/output-styles": "../../elsewhere",
        "project/.quoll/output-styles/in.md": "../../inside.md",
        "project/.quoll/output-styles/out.md": "../../../elsewhere/style.md",
      },
    },
  );
  expect(styles.map(([name]) => name)).toEqual(["Inside", "Linked"]);
  expect(warned).toEqual([expect.stringContaining("style.md"), expect.stringContaining("out.md")]);
});

test("a style that a rule hides, by its path or its link's target, is left out", async () => {
  const { styles, warned } = await list(
    { "home/.quoll/output-styles/vault.md": styled("A", "A."), "home/vault/b": styled("B", "B.") },
    { hidden: "vault", links: { "home/.quoll/output-styles/b.md": "../../vault/b" } },
  );
  expect(styles).toEqual([]);
  expect(warned).toHaveLength(2);
});

test("credentials in a style are replaced, and its name, its description and its path are printable", async () => {
  const { styles, warned } = await list({
    "home/.quoll/output-styles/a.md":
      "---\nname: A\u001b[31m\ndescription: hunter2\u001b]0;x\u0007\n---\nThe word is hunter2.\n",
    "home/.quoll/output-styles/b\u001b[31m.md": "",
  });
  expect(styles).toEqual([["A", "[hidden]", "The word is [hidden]."]]);
  expect(warned.join("")).not.toContain("\u001b");
  expect(warned).toHaveLength(1);
});

test("a project that is not trusted has no styles", async () => {
  const files = { "project/.quoll/output-styles/b.md": styled("Brief", "Shortest.") };
  expect((await list(files, { isTrusted: false })).styles).toEqual([]);
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

test("Quoll's own styles are listed, keep the coding instructions, and give way to a file of the same name", async () => {
  const { all } = await list({
    "home/.quoll/output-styles/a.md": "---\nname: Concise\nkeep-coding-instructions: false\n---\nMine.\n",
    "project/.claude/output-styles/b.md": "---\nname: learning\nkeep-coding-instructions: true\n---\nTheirs.\n",
    "project/.claude/output-styles/c.md": styled("plain", "No field."),
  });
  expect(all.map(({ name, keepsCoding, file }) => [name, keepsCoding, file !== undefined])).toEqual([
    ["Concise", false, true],
    ["explanatory", true, false],
    ["learning", true, true],
    ["plain", false, true],
  ]);
});

import { join } from "node:path";
import { Glob } from "bun";

/**
 * The module with the pages of the guide as text. Its list is written from the folder, so no page can be missing in it.
 * @param root The repository's folder; absolute.
 */
export function guidePagesText(root: string): string {
  const pages = [...new Glob("**/*.md").scanSync({ cwd: join(root, "docs/guide") })].map((path) => {
    const stem = path.replace(/\.md$/, "");
    return { path, stem, name: stem.replace(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase()) };
  });
  const byStem = pages.toSorted((a, b) => (a.stem < b.stem ? -1 : 1));
  return [
    "// Generated from the files of docs/guide: npm run docs.",
    ...byStem.map(({ path, name }) => `import ${name} from "../../../docs/guide/${path}" with { type: "text" };`),
    "",
    "/** The pages of the guide, by path below `docs/guide`. */",
    "export const GUIDE_PAGES: Readonly<Record<string, string>> = {",
    ...byStem.map(({ path, name }) => `  "${path}": ${name},`),
    "};",
    "",
  ].join("\n");
}

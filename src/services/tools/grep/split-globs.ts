import { relative } from "node:path";

/**
 * The globs of one `glob` field: `*.ts *.tsx` and `*.ts,*.tsx` are two, `*.{ts,tsx}` is one. Those that mean every file are
 * left out (for ripgrep they would bring back what git ignores), and one that names the searched folder again
 * (`src/*.ts` in `src`) is also tried without it.
 */
export function splitGlobs(glob: string | undefined, cwd: string, root: string): readonly string[] {
  const parts = (glob ?? "").split(/[\s,]+(?![^{]*\})/).filter((part) => part !== "");
  const inside = relative(cwd, root);
  return parts
    .filter((part) => !["*", "**", "**/*", "./**", "**/**"].includes(part))
    .map((part) => part.replace(/^(!?)\.\//, "$1"))
    .flatMap((part) => {
      const bare = part.replace(/^!/, "");
      const isAgain = inside !== "" && bare.startsWith(`${inside}/`);
      return isAgain ? [part, `${part.startsWith("!") ? "!" : ""}${bare.slice(inside.length)}`] : [part];
    });
}

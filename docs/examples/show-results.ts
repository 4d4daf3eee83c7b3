import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Extension } from "@quoll/extension-api";

/** What the four tools have in common: no input, and they read the folder. */
const common = {
  input: { type: "object", properties: {}, additionalProperties: false },
  level: "read",
  subjects: (_: unknown, { cwd }: { readonly cwd: string }) => [{ action: "read", path: cwd } as const],
} as const;

/** Four tools, one for each kind of result that a person sees drawn: a text, a list, a table and a diff. */
export const extension: Extension = {
  apiVersion: 1,
  setup(quoll) {
    quoll.defineTool({
      ...common,
      name: "Licence",
      description: "Tells the licence of the project.",
      async run(_, { cwd }) {
        const text = await readFile(join(cwd, "LICENSE"), "utf8");
        const [first = ""] = text.split("\n");
        // The model needs the name alone; the person can read the whole text.
        return { content: first, display: { kind: "text", text, summary: `${text.length} characters` } };
      },
    });

    quoll.defineTool({
      ...common,
      name: "Checklist",
      description: "Lists what a release still needs.",
      async run(_, { cwd }) {
        const names = await readdir(cwd);
        const wanted = ["README.md", "LICENSE", "CHANGELOG.md"];
        const missing = wanted.filter((name) => !names.includes(name));
        const items = wanted.map((name) =>
          missing.includes(name)
            ? ({ text: name, mark: "failed", note: "is missing" } as const)
            : ({ text: name, mark: "done" } as const),
        );
        return {
          content: missing.length === 0 ? "Nothing is missing." : `Missing: ${missing.join(", ")}`,
          display: { kind: "list", items, summary: `${missing.length} missing` },
        };
      },
    });

    quoll.defineTool({
      ...common,
      name: "Sizes",
      description: "Counts the lines of the files in the folder.",
      async run(_, { cwd, signal }) {
        const entries = await readdir(cwd, { withFileTypes: true });
        const rows: (readonly [string, number])[] = [];
        for (const { name } of entries.filter((entry) => entry.isFile())) {
          const text = await readFile(join(cwd, name), { encoding: "utf8", signal });
          rows.push([name, text.split("\n").length - 1]);
        }
        rows.sort((one, other) => other[1] - one[1]);
        return {
          content: rows.map(([name, lines]) => `${name}: ${lines} lines`).join("\n"),
          display: { kind: "table", columns: ["file", { name: "lines", align: "right" }], rows },
        };
      },
    });

    quoll.defineTool({
      ...common,
      name: "Tidy",
      description: "Tells what tidying notes.txt would change. It changes nothing.",
      async run(_, { cwd }) {
        const before = await readFile(join(cwd, "notes.txt"), "utf8");
        const after = before.replace(/[ \t]+$/gm, "");
        return {
          content: before === after ? "notes.txt is tidy." : "notes.txt has blanks at the ends of lines.",
          display: { kind: "diff", path: "notes.txt", before, after },
        };
      },
    });
  },
};

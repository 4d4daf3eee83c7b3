import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Extension } from "@quoll/extension-api";

/** A tool: the model counts the words of a file without reading it. */
export const extension: Extension = {
  apiVersion: 1,
  setup(quoll) {
    quoll.defineTool<{ file: string }>({
      name: "WordCount",
      description: "Counts the lines and words of a text file.",
      input: {
        type: "object",
        properties: { file: { type: "string", description: "The path of the file" } },
        required: ["file"],
        additionalProperties: false,
      },
      level: "read",
      // Permission rules for reading decide about this file.
      subjects: ({ file }) => [{ action: "read", path: file }],
      isConcurrencySafe: true,
      async run({ file }, { cwd, signal }) {
        const text = await readFile(resolve(cwd, file), { encoding: "utf8", signal });
        const words = text.split(/\s+/).filter((word) => word !== "");
        return `${text.split("\n").length - 1} lines, ${words.length} words`;
      },
    });
  },
};

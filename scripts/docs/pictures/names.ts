import { existsSync } from "node:fs";
import { join } from "node:path";

/** The folder of the pictures, from the repository root. */
export const PICTURES = "docs/guide/pictures";

/** The title of each picture, by the name of its file without the ending. */
export const TITLES = {
  "first-start": "Quoll after its first start",
  question: "Quoll asks about an edit",
  "question-light": "Quoll asks about an edit, in the light theme",
  turn: "A finished turn with code and a table",
  viewer: "The transcript viewer with a search",
  models: "The list of models",
  help: "The list of commands, keys and tools",
} as const;
export type PictureName = keyof typeof TITLES;

/** The pictures that have no file, by their paths from the root. What they show is not compared: drawing takes too long. */
export function missingPictures(root: string): readonly string[] {
  return Object.keys(TITLES)
    .map((name) => `${PICTURES}/${name}.svg`)
    .filter((path) => !existsSync(join(root, path)));
}

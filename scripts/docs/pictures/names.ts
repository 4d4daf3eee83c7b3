import { existsSync } from "node:fs";
import { join } from "node:path";

/** The folder of the pictures, from the repository root. */
export const PICTURES = "docs/guide/pictures";

/** The title of each picture, by the name of its file without the ending. */
export const TITLES = {
  "first-start": "Quoll after its first start",
  trust: "Quoll asks whether to trust the folder",
  question: "Quoll asks about an edit",
  "question-light": "Quoll asks about an edit, in the light theme",
  turn: "A finished turn with code and a table",
  undo: "The turn taken back",
  viewer: "The transcript viewer with a search",
  models: "The list of models",
  help: "The list of commands, keys and tools",
  rewind: "The preview of a rewind with a conflict",
  redo: "A rewind with a decided conflict, taken back",
  sessions: "The list of 10,000 sessions, filtered",
} as const;
export type PictureName = keyof typeof TITLES;

/** The folder of the recorded runs, from the repository root: files of asciicast, version 2. */
export const RUNS = "docs/guide/runs";
/** The runs that are recorded when the pictures are drawn, by the names of their files without the ending. */
export const RUN_NAMES = ["rewind", "sessions"] as const;
export type RunName = (typeof RUN_NAMES)[number];

/** The pictures that have no file, by their paths from the root. What they show is not compared: drawing takes too long. */
export function missingPictures(root: string): readonly string[] {
  return Object.keys(TITLES)
    .map((name) => `${PICTURES}/${name}.svg`)
    .concat(RUN_NAMES.map((name) => `${RUNS}/${name}.cast`))
    .filter((path) => !existsSync(join(root, path)));
}

import { existsSync } from "node:fs";
import { join } from "node:path";

/** The folder of the pictures, from the repository root. */
export const PICTURES = "docs/guide/pictures";

const NAMES = ["first-start", "question", "question-light", "turn", "viewer", "models", "help"] as const;
/** The name of a picture's file, without its ending. */
export type PictureName = (typeof NAMES)[number];

/** The pictures that have no file, by their paths from the root. What they show is not compared: drawing takes too long. */
export function missingPictures(root: string): readonly string[] {
  return NAMES.map((name) => `${PICTURES}/${name}.svg`).filter((path) => !existsSync(join(root, path)));
}

import { join } from "node:path";
import { namesIn } from "../../platform/files/list-folder-sync.ts";
import { pathState } from "../../platform/files/path-state.ts";
import type { ChosenExtension } from "./extension-places.ts";

/** The state of extension files when they were loaded; for a folder, of the files directly in it. */
export class FileStates {
  readonly #known: Map<ChosenExtension, string>;

  constructor(extensions: readonly ChosenExtension[]) {
    this.#known = new Map(extensions.map((one) => [one, stateOf(one)]));
  }

  /** The extensions whose files have changed since they were loaded, or since the last call. */
  changed(): readonly ChosenExtension[] {
    return [...this.#known].flatMap(([extension, before]) => {
      const now = stateOf(extension);
      if (now === before) return [];
      this.#known.set(extension, now);
      return [extension];
    });
  }
}

function stateOf({ file, folder }: ChosenExtension): string {
  if (folder === undefined) return pathState(file);
  return [...(namesIn(folder) ?? [])]
    .sort()
    .map((name) => `${name} ${pathState(join(folder, name))}`)
    .join("\n");
}

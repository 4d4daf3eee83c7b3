import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ArtifactStore } from "../contracts/ports.ts";
import { realPathOrSelf } from "./paths.ts";
import { makePrivateFolder, PRIVATE_FILE_MODE } from "./private-file.ts";

/** A folder for content that is too large for the context; created at first use. */
export interface ArtifactFolder extends ArtifactStore {
  /** Like `directory`, but creates nothing. */
  readonly path: string;
  /** Removes the folder when it is temporary. */
  dispose(): void;
}

/**
 * @param path Path of the folder, which may not exist yet; undefined for a temporary folder that ends with the session.
 */
export function artifactFolder(path: string | undefined): ArtifactFolder {
  const place = path === undefined ? realPathOrSelf(mkdtempSync(join(tmpdir(), "quoll-"))) : realPathOrSelf(path);
  return {
    path: place,
    get directory() {
      makePrivateFolder(place);
      return place;
    },
    async save(name, content) {
      makePrivateFolder(place);
      const file = join(place, name.replace(/[^\w.-]/g, "_"));
      writeFileSync(file, content, { mode: PRIVATE_FILE_MODE });
      return file;
    },
    dispose() {
      if (path === undefined) rmSync(place, { recursive: true, force: true });
    },
  };
}

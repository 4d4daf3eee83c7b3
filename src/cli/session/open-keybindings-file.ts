import { join } from "node:path";
import type { KeybindingsFile } from "../../faces/repl/keymap/keybindings-file.ts";
import { type Directories, shortPath } from "../../platform/directories.ts";
import { pathState } from "../../platform/files/path-state.ts";
import { entryExists } from "../../platform/paths.ts";
import { readSmallText } from "../../platform/private-file.ts";

export const KEYBINDINGS_FILE = "keybindings.json";
const MAX_BYTES = 256 * 1024;

/** The person's key bindings, which lie beside their settings for all projects. */
export function keybindingsFile({ config, home }: Pick<Directories, "config" | "home">): KeybindingsFile {
  const file = join(config, KEYBINDINGS_FILE);
  return {
    shown: shortPath(file, home),
    exists: () => entryExists(file),
    read: async () => (await readSmallText(file, MAX_BYTES)) ?? "",
    async change(change) {
      const { changeFile } = await import("../../services/config/change-file.ts");
      await changeFile({ file, what: "the key" }, change);
    },
    watch(changed) {
      let isOver = false;
      let close = () => {};
      const before = pathState(file);
      // After the first frame: no key needs the watch.
      setImmediate(async () => {
        const { FileWatch } = await import("../../services/hooks/io/file-watch.ts");
        if (isOver) return;
        const watch = new FileWatch(changed);
        close = () => watch.close();
        watch.add([file]);
        // The file may have changed before the watch.
        if (pathState(file) !== before) changed();
      });
      return () => {
        isOver = true;
        close();
      };
    },
  };
}

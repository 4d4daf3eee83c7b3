import { relative, resolve } from "node:path";
import { fileMentions } from "../../contracts/file-mention.ts";
import { kindAt } from "../../platform/files/kind-at.ts";
import { listFiles } from "../../platform/files/list-files.ts";
import { isInside } from "../../platform/paths.ts";
import { FileFinder } from "../../services/mentions/file-finder.ts";
import type { Agent } from "../agent/open-agent.ts";
import { ripgrepOf } from "../find-ripgrep.ts";
import type { App } from "../open-app.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";

const MAX_RECENT = 20;

export type FinderParts = { readonly app: App; readonly environment: ProjectEnvironment; readonly main: Agent };

/**
 * Finds files for the mentions of a session: files below its working folder, recently used files first.
 * @param root Absolute.
 */
export function fileFinder({ app, environment, main }: FinderParts, root: string): FileFinder {
  const isTrusted = (path: string) => !main.workspace.contains(path);
  const ripgrep = ripgrepOf({
    environment: environment.env,
    cache: environment.own.cache,
    version: app.version,
    isTrusted,
  });
  const mentioned = () =>
    main.engine.prompts
      .slice(-MAX_RECENT)
      .toReversed()
      .flatMap(({ text }) => fileMentions(text).flatMap(({ paths }) => paths.slice(-1)));
  return new FileFinder({
    root,
    home: environment.own.home,
    isHidden: (path) => main.permissions.isHidden(path),
    recent: async () => {
      const used = (await main.recentFiles(MAX_RECENT)).filter((path) => isInside(root, path));
      const paths = [...mentioned(), ...used.map((path) => relative(root, path))];
      return paths.filter((path) => kindAt(resolve(root, path)) === "file");
    },
    list: async (onFile, signal) => listFiles({ root, ripgrep: await (await ripgrep)(), signal, onFile }),
  });
}

import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { plural } from "@quoll/terminal-text/plural";
import { notToldYet } from "../../app/session/notices/not-told-yet.ts";
import { isJsonObject } from "../../contracts/message.ts";
import { entryExists } from "../../platform/paths.ts";
import { readSmallText } from "../../platform/private-file.ts";
import { MAX_SETTINGS_BYTES } from "../../services/config/read-layer.ts";
import { readHooks } from "../../services/importing/read-hooks.ts";
import type { ImportParts } from "./import-plan.ts";

const FILES = ["settings.json", "settings.local.json"];

type Parts = Pick<ImportParts, "own" | "project" | "isTrusted">;

/**
 * One line about the hooks of a project's `.claude` folder, which don't run; undefined without any, or if the project's
 * own settings have them too. The same hooks are named only once.
 */
export async function projectHooksLine({ own, project, isTrusted }: Parts): Promise<string | undefined> {
  // Without a project, the files of the home folder are treated as the user's.
  if (!isTrusted || project.root === own.home) return undefined;
  const files = FILES.map((name) => join(project.root, ".claude", name)).filter(entryExists);
  if (files.length === 0) return undefined;
  const theirs = (await Promise.all(files.map(hooksIn))).flat();
  const ours = theirs.length > 0 ? await hooksIn(join(project.root, ".quoll", "settings.json")) : [];
  const idle = theirs.filter((hook) => !ours.some((one) => isDeepStrictEqual(one, hook)));
  if (idle.length === 0) return undefined;
  if (notToldYet(own.state, "hooks-not-run", [JSON.stringify([project.root, idle])]).length === 0) return undefined;
  const [verb, them] = idle.length === 1 ? ["does", "it"] : ["do", "them"];
  return `${plural(idle.length, "hook")} in this project's .claude folder ${verb} not run in Quoll. How to move ${them}: quoll config import`;
}

/** An unreadable file has no hooks: `quoll config import` gives the reason. */
async function hooksIn(file: string): Promise<readonly unknown[]> {
  const [text, { parse }] = await Promise.all([
    readSmallText(file, MAX_SETTINGS_BYTES).catch(() => undefined),
    import("jsonc-parser/lib/esm/main.js"),
  ]);
  const value: unknown = parse(text ?? "", [], { allowTrailingComma: true });
  return isJsonObject(value) ? readHooks(value["hooks"]).flatMap(({ part }) => part ?? []) : [];
}

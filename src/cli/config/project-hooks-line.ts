import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { plural } from "@quoll/terminal-text/plural";
import { isJsonObject } from "../../contracts/message.ts";
import { sha256 } from "../../platform/digest.ts";
import { entryExists } from "../../platform/paths.ts";
import { makePrivateFolder, readSmallText, replacePrivateFile } from "../../platform/private-file.ts";
import { MAX_SETTINGS_BYTES } from "../../services/config/read-layer.ts";
import { readHooks } from "../../services/importing/read-hooks.ts";
import type { ImportParts } from "./import-plan.ts";

/** The maximum number of projects whose hooks were named; the oldest are forgotten. */
const MAX_PROJECTS = 200;
const MAX_BYTES = 64 * 1024;
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
  if (idle.length === 0 || !(await isFresh(own.state, project.root, JSON.stringify(idle)))) return undefined;
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

/** Remembers the hooks of a project. @returns false if the hooks were already remembered. */
async function isFresh(state: string, root: string, hooks: string): Promise<boolean> {
  const file = join(state, "named-hooks.json");
  const mark = sha256(hooks);
  const named = await readNamed(file);
  if (named[root] === mark) return false;
  const others = Object.entries(named).filter(([name]) => name !== root);
  try {
    makePrivateFolder(state);
    replacePrivateFile(file, `${JSON.stringify(Object.fromEntries([...others, [root, mark]].slice(-MAX_PROJECTS)))}\n`);
  } catch {
    // If the state folder can't be written, the line is only repeated.
  }
  return true;
}

async function readNamed(file: string): Promise<Readonly<Record<string, string>>> {
  try {
    const named: unknown = JSON.parse((await readSmallText(file, MAX_BYTES)) ?? "{}");
    const isNamed = isJsonObject(named) && Object.values(named).every((mark) => typeof mark === "string");
    return isNamed ? (named as Readonly<Record<string, string>>) : {};
  } catch {
    return {};
  }
}

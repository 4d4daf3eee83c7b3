import { join } from "node:path";
import { plural } from "@quoll/terminal-text/plural";
import { decidedByText } from "../../contracts/decided-by.ts";
import { outsideCallId } from "../../contracts/served-session.ts";
import { listFolder } from "../../platform/files/list-folder.ts";
import { subjectOf } from "../../services/tools/target-file.ts";
import type { Attached, MentionParts } from "./mention-parts.ts";
import type { MentionedFile } from "./mentioned-file.ts";

/** The maximum number of listed entries of a folder. */
const MAX_ENTRIES = 200;

/** Attaches the names in a folder, if Read may look into it; hidden files are left out. */
export async function attachFolder(
  { target, shown }: MentionedFile,
  { app, main, watch }: Pick<MentionParts, "app" | "main" | "watch">,
  signal: AbortSignal,
): Promise<Attached> {
  const call = {
    input: { file_path: target.path },
    level: "read",
    concurrencySafe: true,
    subjects: [subjectOf("read", target)],
    title: shown,
    corrections: [],
    run: async () => ({ content: (await namesIn(target.path, (path) => main.permissions.isHidden(path))).join("\n") }),
  } as const;
  const request = { toolUseId: outsideCallId(app.ids.next()), toolName: "Read", call };
  const verdict = await watch.permissions(main.permissions).authorize(request, signal);
  if (verdict.decision === "deny") {
    const text = `${shown} was not attached: ${verdict.message}`;
    return { blocks: [{ type: "text", text }], problem: `refused by ${decidedByText(verdict.decidedBy)}` };
  }
  const names = (await call.run()).content.split("\n").filter((name) => name !== "");
  const left = names.length - MAX_ENTRIES;
  const more = left > 0 ? [`[${plural(left, "more name")}; Glob lists them]`] : [];
  const text = [`The user attached the folder ${shown}. It holds:`, ...names.slice(0, MAX_ENTRIES), ...more].join("\n");
  return { blocks: [{ type: "text", text }], size: names.length === 1 ? "1 entry" : `${names.length} entries` };
}

async function namesIn(folder: string, isHidden: (path: string) => boolean): Promise<readonly string[]> {
  const entries = await listFolder(folder);
  return entries
    .filter(({ name }) => !isHidden(join(folder, name)))
    .map(({ name, kind }) => (kind === "folder" ? `${name}/` : name));
}

import { plural } from "@quoll/terminal-text/plural";
import { ToolFailedError } from "../../../contracts/errors.ts";
import { defineTool, type ToolResult, textResult } from "../../../contracts/tool.ts";
import { decode, detectEncoding, encodingName } from "../../../platform/files/encoding.ts";
import { readStamp } from "../../../platform/files/file-stamp.ts";
import { refuseReadOnly, writeFile } from "../../../platform/files/write-file.ts";
import { diffHunks } from "../diff-hunks.ts";
import type { FileMemory } from "../file-memory.ts";
import { knownState, type LoadedFile, loadKnown, MAX_WRITTEN_BYTES } from "../known-file.ts";
import { count, type PathDeps, resolveTarget, subjectOf, type Target } from "../target-file.ts";
import { writeSpec } from "./spec.ts";

export type WriteDeps = Pick<PathDeps, "home"> & { readonly memory: FileMemory };

/** What is to be written over what; `old` is undefined for a new file. */
type Plan = {
  readonly target: Target;
  readonly bytes: Buffer;
  readonly content: string;
  readonly old: LoadedFile | undefined;
};

export const writeTool = ({ home, memory }: WriteDeps) =>
  defineTool(writeSpec, async (input, { cwd, signal }) => {
    const content = input.content.toWellFormed();
    const bytes = Buffer.from(content, "utf8");
    if (bytes.length > MAX_WRITTEN_BYTES) {
      throw new ToolFailedError(`The content is ${count(bytes.length)} bytes; 64 MiB is the most that Write takes.`);
    }
    const target = await resolveTarget(input.file_path, { cwd, home });
    const load = () => loadOld(target, input.file_path, memory, signal);
    const old = await load();
    const before = old && textOf(old);
    return {
      level: "write",
      concurrencySafe: false,
      subjects: [subjectOf("write", target)],
      title: target.shown,
      preview: { kind: "diff", path: target.shown, isNew: !old, hunks: diffHunks(before ?? "", content).hunks },
      run: async () => {
        const plan = { target, bytes, content, old: await load() };
        const stamp = await writeFile({ path: target.path, bytes, expected: plan.old?.stamp, signal });
        memory.noteMade(target.path, knownState(stamp, bytes), "write");
        return answer(plan);
      },
    };
  });

/** The file as it is, when there is one; checks that it may be replaced. */
async function loadOld(
  target: Target,
  given: string,
  memory: FileMemory,
  signal: AbortSignal,
): Promise<LoadedFile | undefined> {
  const stamp = await readStamp(target.path);
  if (!stamp) {
    if (given.endsWith("/")) throw new ToolFailedError(`${target.shown}/ names a folder. Give the path of a file.`);
    return undefined;
  }
  if (stamp.kind === "folder") throw new ToolFailedError(`${target.shown} is a folder. Give the path of a file.`);
  refuseReadOnly(target.path, stamp);
  return loadKnown(target, memory, signal);
}

/** Text for the diff; undefined for a file that is none. */
function textOf({ bytes }: LoadedFile): string | undefined {
  const encoding = detectEncoding(bytes);
  return encoding === "binary" || (bytes.length % 2 === 1 && encoding.name.startsWith("utf-16"))
    ? undefined
    : decode(bytes, encoding);
}

function answer({ target, bytes, content, old }: Plan): ToolResult {
  const lines = content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
  const verb = old ? "Replaced" : "Created";
  const diff = diffHunks((old && textOf(old)) ?? "", content);
  return textResult(
    `${verb} ${target.shown} (${plural(lines, "line")}, ${plural(bytes.length, "byte")}).${encodingNote(old)}`,
    { display: { kind: "diff", path: target.shown, isNew: !old, ...diff } },
  );
}

function encodingNote(old: LoadedFile | undefined): string {
  const encoding = old && detectEncoding(old.bytes);
  const name = encoding && encoding !== "binary" ? encodingName(encoding) : undefined;
  return name ? ` It was ${name} and is plain UTF-8 now.` : "";
}

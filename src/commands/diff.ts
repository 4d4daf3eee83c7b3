import { plural } from "@quoll/terminal-text/plural";
import type { Command } from "../contracts/command.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { ChangedFile, ChangeGroup } from "../contracts/session-changes.ts";

const SIGNS = { same: " ", added: "+", removed: "-" } as const;

/** Shows what the session changed, and what differs from the last commit. */
export const diffCommand: Command = {
  name: "diff",
  summary: "Show what this session changed, and what differs from the last commit",
  interactive: true,
  needsNoServers: true,
  async run(_argument, { changes }, signal) {
    const view = await changes?.();
    if (!view) throw new UserFacingError("`git diff` in a shell shows what differs from the last commit.");
    const own = view.ofSession();
    const tree = await view.ofTree(signal);
    const groups: readonly ChangeGroup[] = [
      { title: `Changed in this session: ${amount(own)}`, files: own },
      ...(tree ? [{ title: `Against the last commit: ${amount(tree.files)}`, files: tree.files }] : []),
    ].filter(({ files }) => files.length > 0);
    const notes = tree?.notes ?? [];
    if (groups.length === 0 && notes.length === 0) return { kind: "text", lines: ["Nothing has changed."] };
    if (groups.length === 0) return { kind: "text", lines: notes };
    return { kind: "changes", title: "Changes", groups, notes, lines: [...groups.flatMap(groupLines), ...notes] };
  },
};

function amount(files: readonly ChangedFile[]): string {
  const sum = (side: "added" | "removed") => files.reduce((total, file) => total + file[side], 0);
  return `${plural(files.length, "file")} +${sum("added")} −${sum("removed")}`;
}

function groupLines({ title, files }: ChangeGroup): readonly string[] {
  return [title, ...files.flatMap(fileLines), ""];
}

function fileLines({ path, added, removed, hunks }: ChangedFile): readonly string[] {
  const body = hunks.flatMap(({ oldStart, newStart, lines }) => [
    `@@ -${oldStart} +${newStart} @@`,
    ...lines.map(({ kind, text }) => `${SIGNS[kind]}${text}`),
  ]);
  return [`${path} +${added} −${removed}`, ...body];
}

import type { WritingCall } from "../contracts/checkpoint.ts";
import type { ToolUseBlock } from "../contracts/message.ts";
import type { HazardKind, Subject } from "../contracts/subject.ts";
import type { ToolCall } from "../contracts/tool.ts";

/** The hazards whose effects leave the files of this machine. */
const OUTSIDE: ReadonlySet<HazardKind> = new Set(["publishes", "remote-history", "database"]);
const MAX_COMMAND_CHARS = 80;

/** A call as checkpoints see it; undefined for a call that writes no files of this machine. */
export function writingCall(
  use: Pick<ToolUseBlock, "id">,
  call: Pick<ToolCall, "level" | "title" | "subjects" | "preview">,
  { agentId, folder }: Pick<WritingCall, "agentId" | "folder">,
): WritingCall | undefined {
  const { level, title, subjects, preview } = call;
  if (level !== "write" && level !== "execute") return undefined;
  const paths = subjects.flatMap((subject) => (subject.action === "write" ? [subject.path] : []));
  const hazards = subjects.flatMap((subject) => (subject.action === "execute" ? subject.hazards : []));
  const dangers = hazards.filter(({ kind }) => OUTSIDE.has(kind)).map(({ text }) => text);
  const outside = [...new Set([...dangers, ...subjects.flatMap(overNetwork)])];
  const programs = subjects.flatMap((subject) => (subject.action === "execute" ? programOf(subject) : []));
  return {
    toolUseId: use.id,
    agentId,
    level,
    folder,
    title,
    ...(preview?.kind === "command" && { command: preview.command }),
    paths: [...new Set(paths)],
    ...(programs.length > 0 && { programs: [...new Set(programs)] }),
    ...(outside.length > 0 && { outside }),
  };
}

/** A command that works over the network, such as a push or an install, unless it only fetches. */
function overNetwork(subject: Subject): readonly string[] {
  if (subject.action !== "execute" || !subject.needsNetwork || subject.reaches?.needsAll) return [];
  const text = subject.command.replaceAll(/\s+/g, " ").trim();
  return [text.length > MAX_COMMAND_CHARS ? `${text.slice(0, MAX_COMMAND_CHARS - 1)}…` : text];
}

/** The program of a command, and the one behind its wrappers. */
function programOf({ command, alternatives = [], resolved = [] }: Extract<Subject, { action: "execute" }>) {
  return [command, ...alternatives, ...resolved].flatMap((text) => text.trim().split(/\s+/, 1));
}

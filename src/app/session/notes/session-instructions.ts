import { join } from "node:path";
import { formatCount } from "@quoll/terminal-text/format-amount";
import {
  type InstructionFile,
  NOTE_SCOPES,
  type NoteScope,
  type NoteTarget,
  type SessionInstructions,
} from "../../../contracts/instructions.ts";
import { shortPath } from "../../../platform/directories.ts";
import { entryExists } from "../../../platform/paths.ts";
import type { OpenedSession } from "../opened-session.ts";

/** The candidate files of each scope; the line is added to the first existing file, or else to the first candidate. */
const NAMES: Readonly<Record<NoteScope, readonly string[]>> = {
  project: ["AGENTS.md", "CLAUDE.md", "QUOLL.md"],
  local: ["AGENTS.local.md", "CLAUDE.local.md", "QUOLL.local.md"],
  user: [".quoll/AGENTS.md", ".quoll/QUOLL.md"],
};

type Parts = Pick<OpenedSession, "environment" | "sandbox" | "main">;

/**
 * The instruction files of a session, for commands. The code that writes and reads the files is loaded at the first
 * use.
 */
export function sessionInstructions({ environment, sandbox, main }: Parts): SessionInstructions {
  const { engine, instructions, permissions } = main;
  const { own, project } = environment;
  const folderOf = (scope: NoteScope) => (scope === "user" ? own.home : project.root);
  const target = (scope: NoteScope): NoteTarget => {
    const paths = NAMES[scope].map((name) => join(folderOf(scope), name));
    const [first = ""] = paths;
    const path = paths.find(entryExists) ?? first;
    const name = shortPath(path, own.home, project.root);
    return { scope, path, name, exists: entryExists(path) };
  };
  let added = 0;
  return {
    list: (signal) => instructions.list(signal),
    targets: () => NOTE_SCOPES.map(target),
    async add(scope, words, signal) {
      const { path, name } = target(scope);
      const outside = await sandbox.beginUnconfined({ makes: [path], mayMakeMore: false }, signal);
      const { addLine } = await import("../../../services/context/instructions/add-line.ts");
      // The user's own files may be links to any location.
      const within = scope === "user" ? "/" : project.root;
      const { line, isNew } = await addLine({ path, within, words }, signal).finally(() => outside.end());
      const file = (await instructions.list(signal)).find((one) => one.path === path);
      if (file?.state === "active" && engine.state.messages.length > 0) {
        const { instructionElement } = await import("../../../services/context/instructions/instruction-element.ts");
        added += 1;
        engine.taskNews.addModelNote(
          `instructions:${path}:${added}`,
          instructionElement({ name: file.name, body: line }),
        );
      }
      const isLocal = scope === "local" && isNew && entryExists(join(project.root, ".git"));
      return [
        `Added to ${name}: ${line}`,
        ...(file?.state === "active"
          ? []
          : [`The file has no effect: ${file?.why ?? "Quoll does not read the file"}.`]),
        ...(isLocal ? [`Keep the file out of git: add ${name} to .gitignore.`] : []),
      ];
    },
    async edited(path, signal) {
      const texts = await instructions.changed(path);
      const isToTell = texts.length > 0 && engine.state.messages.length > 0;
      if (isToTell) engine.taskNews.addModelNote(`instructions:${path}`, texts.map(({ text }) => text).join("\n"));
      const file = (await instructions.list(signal)).find((one) => one.path === path);
      return file
        ? [`${statusLine(file)}${isToTell ? " The model gets the new text with your next prompt." : ""}`]
        : [];
    },
    async report(signal) {
      const path = join(project.root, "AGENTS.md");
      const { repositoryFacts } = await import("../../../services/context/init/repository-facts.ts");
      const facts = await repositoryFacts(project.root, (file) => permissions.isHidden(file), signal);
      return { target: path, exists: entryExists(path), facts };
    },
  };
}

function statusLine({ name, state, why, chars, tokens }: InstructionFile): string {
  const size = `${formatCount(chars)} characters, about ${formatCount(tokens)} tokens`;
  return `${name}: ${state}${why === undefined ? "" : ` (${why})`}, ${size}.`;
}

import type { Clock } from "../../contracts/ports.ts";
import { folderSketch, listedName } from "../../platform/folder-sketch.ts";
import { gitBranch } from "../../platform/git/find-ref.ts";

export type SessionContextOptions = {
  readonly cwd: string;
  readonly projectRoot: string;
  /** For example `linux x64`. */
  readonly platform: string;
  readonly clock: Clock;
  /** How permission questions are answered, if they can occur. */
  readonly questions: "answered" | "unanswered" | "never asked";
  /** A setting switches the sandbox of commands off. It is not yet known whether the machine has a sandbox. */
  readonly isSandboxOff: boolean;
  /** In other folders, commands that follow the folder's settings are asked about. */
  readonly isTrusted: boolean;
  /** Runtimes and package managers that the project's files ask for, and that exist. */
  readonly programs: readonly string[];
  /** True for a path that no list may name; checked for every name. */
  isHidden(path: string): boolean;
};

const QUESTION_LINES: Readonly<Record<SessionContextOptions["questions"], readonly string[] | undefined>> = {
  answered: undefined,
  unanswered: ["Permission questions: nobody can answer"],
  "never asked": ["Permission questions: none, every call runs unasked"],
};

const UNTRUSTED = "Folder not trusted: commands that follow its settings need consent, git status, diff and log too";

/**
 * Facts about the environment for the model, sent once in the first user message, so that the system
 * prompt is the same for every session and stays cached.
 */
export function sessionContext(options: SessionContextOptions): string {
  const { cwd, projectRoot, platform, clock, questions, isSandboxOff, isTrusted, programs, isHidden } = options;
  const branch = gitBranch(cwd);
  const lines = [
    `Working folder: ${cwd}`,
    ...(projectRoot === cwd ? [] : [`Project root: ${projectRoot}`]),
    `Platform: ${platform}`,
    `Date: ${new Date(clock.now()).toISOString().slice(0, 10)}`,
    branch === undefined ? "Not a git repository" : `Git branch: ${branch}`,
    ...(QUESTION_LINES[questions] ?? []),
    ...(isTrusted || questions === "never asked" ? [] : [UNTRUSTED]),
    ...(isSandboxOff ? ["Sandbox: off"] : []),
    ...(programs.length > 0 ? [`Programs here: ${programs.join(" ")}`] : []),
    filesLine(cwd, isHidden),
  ];
  // Names of folders and branches are untrusted text: they must not close the element.
  const place = lines.join("\n").replaceAll("</environment", "<\\/environment");
  return `<environment>\n${place}\n</environment>`;
}

/** A file list that saves the model a first look: in a small project all names, in a large project the upper levels. */
function filesLine(cwd: string, isHidden: (path: string) => boolean): string {
  const { names, isWhole, closed } = folderSketch(cwd, isHidden);
  if (names.length === 0) return "Files: none";
  const extent = !isWhole ? "not all" : closed.length > 0 ? `all but inside ${closed.join(" ")}` : "all";
  return `Files (${extent}): ${names.map(listedName).join(" ")}`;
}

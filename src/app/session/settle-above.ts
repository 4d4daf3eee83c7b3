import { join } from "node:path";
import { revealedLine } from "@quoll/terminal-text/one-line";
import { namedFew } from "../../contracts/words.ts";
import { type Directories, shortPath } from "../../platform/directories.ts";
import type { FolderAbove } from "../../services/context/instructions/find-above.ts";
import { openInstructionAnswers } from "../../services/trust/instruction-answers.ts";
import type { ProjectPorts } from "./settle-trust.ts";
import { StartupCancelledError } from "./startup-cancelled.ts";

/** The maximum number of files that a line names. */
const MAX_NAMED = 5;
const MAX_NAME_COLUMNS = 200;

type Asking = {
  readonly root: string;
  readonly own: Pick<Directories, "home" | "state">;
  /** True: all of them are read in this run. */
  readonly isTrusted: boolean;
};

/**
 * Decides about the instruction files of folders above the project. The person's answer is saved for each folder.
 * @returns the folders whose files are read.
 * @throws {StartupCancelledError} the person chose to leave.
 */
export async function settleAbove(
  found: readonly FolderAbove[],
  { root, own, isTrusted }: Asking,
  { askAbove, startupWarning }: Pick<ProjectPorts, "askAbove" | "startupWarning">,
): Promise<readonly string[]> {
  if (isTrusted) return found.map(({ folder }) => folder);
  const answers = await openInstructionAnswers(join(own.state, "instructions-above.json"));
  if (answers.warning !== undefined) startupWarning(answers.warning);
  const known = found.filter(({ folder }) => answers.isRead(folder) === true).map(({ folder }) => folder);
  const open = found.filter(({ folder }) => answers.isRead(folder) === undefined);
  if (open.length === 0) return known;
  const files = open.flatMap(({ folder, names }) =>
    names.map((name) => revealedLine(shortPath(join(folder, name), own.home), MAX_NAME_COLUMNS)),
  );
  if (!askAbove) {
    startupWarning(
      `instruction files above this folder are left out: ${namedFew(files, MAX_NAMED)}. To read them in this run, add --trust.`,
    );
    return known;
  }
  const answer = await askAbove({ root, files });
  if (answer === "exit") throw new StartupCancelledError(root);
  const folders = open.map(({ folder }) => folder);
  const problem = await answers.save(folders, answer === "read");
  if (problem !== undefined) startupWarning(problem);
  return answer === "read" ? found.map(({ folder }) => folder).filter((one) => answers.isRead(one) ?? true) : known;
}

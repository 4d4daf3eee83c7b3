import { partsOf } from "@quoll/bash-syntax/command-parts";
import { stripWrappers } from "@quoll/bash-syntax/strip-wrappers";
import type { SimpleCommand } from "@quoll/bash-syntax/types";
import type { LocatedPart } from "./earlier-locations.ts";
import type { ShellFolder } from "./shell-folder.ts";

const GIT: ReadonlySet<string> = new Set(["git"]);

/** True if this is `git submodule foreach`, which runs its words in every submodule. */
export function isForeach(command: SimpleCommand): boolean {
  return partsOf(stripWrappers(command) ?? command, GIT).some(
    ({ args }) => args[0]?.value === "submodule" && args.some(({ value }) => value === "foreach"),
  );
}

/** A command in each submodule affects all of them. */
export function inSubmodules(part: LocatedPart, folder: ShellFolder): LocatedPart {
  const subjects = part.subjects.map((subject) => {
    if (subject.action !== "execute") return subject;
    const hazards = subject.hazards.map((hazard) =>
      hazard.folder === undefined ? { ...hazard, paths: [], folder: folder?.real, inSubmodules: true } : hazard,
    );
    return { ...subject, hazards };
  });
  return { ...part, subjects };
}

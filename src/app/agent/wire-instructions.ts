import type { InstructionFile, InstructionText } from "../../contracts/instructions.ts";
import type { Message } from "../../contracts/message.ts";
import type { Redactor, Workspace } from "../../contracts/ports.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { Subject } from "../../contracts/subject.ts";
import type { PermissionService } from "../../services/permission/permission-deps.ts";
import { isSecret } from "../../services/permission/secrets.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";

type Parts = {
  readonly config: Pick<SessionConfig, "isBare">;
  readonly place: ProjectEnvironment;
  readonly workspace: Workspace;
  readonly permissions: Pick<PermissionService, "isHidden" | "mayRead">;
  redactor(): Promise<Redactor>;
  warn(line: string): void;
  /** Gives the messages of the next request. */
  messages(): readonly Message[];
};

/** The instruction files of an agent. The code that reads them is loaded at the first use. */
export type AgentInstructions = {
  /** The texts that a compaction removed and did not attach again. */
  lost(): Promise<readonly InstructionText[]>;
  /** The texts that take effect when a call touches these subjects, each text once. */
  touched(subjects: readonly Subject[]): Promise<readonly InstructionText[]>;
  /** Every text in force, as the files hold it now: a compaction attaches them again. */
  inForce(): Promise<readonly InstructionText[]>;
  /** Every known file with its state. */
  list(signal: AbortSignal): Promise<readonly InstructionFile[]>;
  /** The text of a changed file, if the model does not have this text yet. */
  changed(path: string): Promise<readonly InstructionText[]>;
  /** The texts in force that the model does not have, after a move to another checkout. */
  unseen(): Promise<readonly InstructionText[]>;
  /** Called when another conversation has replaced this one. */
  forget(): Promise<void>;
};

export function wireInstructions(parts: Parts): AgentInstructions {
  const { config, place, workspace, permissions, warn, messages } = parts;
  const { own, settings, managedSettingsFile: managedSettings } = place;
  const loaded: { redactor?: Redactor } = {};
  const openIn = async (projectRoot: string) => {
    const [{ InstructionFiles }, { ownFolders }] = await Promise.all([
      import("../../services/context/instructions/instruction-files.ts"),
      import("../../services/context/instructions/families.ts"),
    ]);
    return new InstructionFiles({
      projectRoot,
      home: own.home,
      cwd: () => workspace.cwd,
      own: ownFolders({ ...own, managedSettings }),
      isOff: (family) => settings.instructions?.[family] === false,
      isHidden: (path) => permissions.isHidden(path),
      isSecret,
      mayRead: (path) => permissions.mayRead(path),
      isTrusted: place.isTrusted,
      redact: (text) => {
        if (!loaded.redactor) throw new Error("An instruction file was read before the redactor was loaded.");
        return loaded.redactor.redact(text);
      },
      messages,
      warn,
    });
  };
  // The main conversation can move to another checkout of the project.
  let known: { readonly root: string; readonly files: ReturnType<typeof openIn> } | undefined;
  const opened = () => {
    const { root } = place.project;
    if (known?.root !== root) known = { root, files: openIn(root) };
    return known.files;
  };
  const ready = async () => {
    loaded.redactor ??= await parts.redactor();
    return opened();
  };
  const unlessBare = async <Value>(read: () => Promise<readonly Value[]>) => (config.isBare ? [] : read());
  return {
    lost: () => unlessBare(async () => (await ready()).lost()),
    touched: (subjects) => unlessBare(async () => (await ready()).touched(subjects.flatMap(touchedPath))),
    // The redactor takes longer to load than all else before a first request; a folder without files needs none.
    inForce: () => unlessBare(async () => ((await opened()).mayReadFiles() ? await ready() : await opened()).inForce()),
    list: (signal) => unlessBare(async () => (await ready()).list(signal)),
    changed: (path) => unlessBare(async () => (await ready()).changed(path)),
    unseen: () => unlessBare(async () => (await ready()).unseen()),
    forget: async () => (await opened()).forget(),
  };
}

/** The path that a call names itself: files that a search finds and names that a listing shows don't count. */
function touchedPath(subject: Subject): readonly string[] {
  if (subject.action !== "read" && subject.action !== "write") return [];
  return subject.isFound || subject.isNameOnly ? [] : [subject.path];
}

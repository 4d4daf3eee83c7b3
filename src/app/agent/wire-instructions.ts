import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import type { InstructionFile, InstructionText } from "../../contracts/instructions.ts";
import type { Message } from "../../contracts/message.ts";
import type { Redactor } from "../../contracts/ports.ts";
import type { Answerer } from "../../contracts/session-config.ts";
import type { Subject } from "../../contracts/subject.ts";
import { CHARS_PER_TOKEN } from "../../contracts/token-estimate.ts";
import type { QueryEngine } from "../../engine/query-engine.ts";
import { isInside } from "../../platform/paths.ts";
import type { InstructionFiles } from "../../services/context/instructions/instruction-files.ts";
import { isSecret } from "../../services/permission/judge/secrets.ts";
import type { PermissionService } from "../../services/permission/permission-deps.ts";
import type { AgentParts } from "./agent-parts.ts";

type OfAgent = {
  readonly permissions: Pick<PermissionService, "isHidden" | "mayRead">;
  /** Gives the messages of the next request. */
  messages(): readonly Message[];
};

/** The instruction files of an agent. The code that reads the instruction files is loaded at the first use. */
export type AgentInstructions = {
  /** The texts that a compaction removed and did not attach again. */
  lost(): Promise<readonly InstructionText[]>;
  /** The instruction texts that become active when a call touches these subjects; each text is returned once. */
  touched(subjects: readonly Subject[]): Promise<readonly InstructionText[]>;
  /** Every active instruction text with its current content: a compaction attaches these texts again. */
  inForce(): Promise<readonly InstructionText[]>;
  /** Every known file with its state. */
  list(signal: AbortSignal): Promise<readonly InstructionFile[]>;
  /** The text of a changed file, if the model does not have this text yet. */
  changed(path: string): Promise<readonly InstructionText[]>;
  /** The active texts that the model does not have yet after a move to another checkout. */
  unseen(): Promise<readonly InstructionText[]>;
  /** Called when another conversation has replaced this one. */
  forget(): Promise<void>;
};

const MAX_NAME_COLUMNS = 200;

export function wireInstructions(
  { session, environment, workspace }: Pick<AgentParts, "session" | "environment" | "workspace">,
  { permissions, messages }: OfAgent,
): AgentInstructions {
  const { config, notices } = session;
  const { env, own, settings, managedSettingsFile: managedSettings } = environment;
  const loaded: { redactor?: Redactor } = {};
  /** @param isAdded True for a folder outside the project: files that apply to every folder are read only once. */
  const openIn = async (projectRoot: string, isAdded = false) => {
    const [{ InstructionFiles }, { ownFolders }] = await Promise.all([
      import("../../services/context/instructions/instruction-files.ts"),
      import("../../services/context/instructions/families.ts"),
    ]);
    return new InstructionFiles({
      projectRoot,
      home: own.home,
      cwd: () => workspace.cwd,
      own: isAdded
        ? []
        : ownFolders({ ...own, managedSettings, claude: env["CLAUDE_CONFIG_DIR"], codex: env["CODEX_HOME"] }),
      above: isAdded ? [] : environment.instructionsAbove,
      isOff: (family) => settings.instructions?.[family] === false,
      isHidden: (path) => permissions.isHidden(path),
      isSecret,
      mayRead: (path) => permissions.mayRead(path),
      isTrusted: environment.isTrusted,
      redact: (text) => {
        if (!loaded.redactor) throw new Error("An instruction file was read before the redactor was loaded.");
        return loaded.redactor.redact(text);
      },
      messages,
      notify: notices.notify,
      notified: notices.toldProblems,
    });
  };
  // The main conversation can move to another checkout of the project.
  let known: { readonly root: string; readonly files: ReturnType<typeof openIn> } | undefined;
  const opened = () => {
    const { root } = environment.project;
    if (known?.root !== root) known = { root, files: openIn(root) };
    return known.files;
  };
  // The person can add folders at any time. Instruction files of an added folder join when the model works in it.
  const added = new Map<string, ReturnType<typeof openIn>>();
  const all = async () => {
    for (const root of workspace.roots.slice(1))
      if (!isInside(environment.project.root, root) && !added.has(root)) added.set(root, openIn(root, true));
    return Promise.all([opened(), ...added.values()]);
  };
  const ready = async () => {
    loaded.redactor ??= await session.redactor();
    return all();
  };
  const ofAll = async <Value>(read: (files: InstructionFiles) => readonly Value[] | Promise<readonly Value[]>) =>
    config.isBare ? [] : (await Promise.all((await ready()).map(read))).flat();
  const readInForce = async () => {
    const texts = await ofAll((files) => files.inForce());
    const { loadWantedEncodings } = await import("../../platform/files/encoding.ts");
    return (await loadWantedEncodings()) ? ofAll((files) => files.inForce()) : texts;
  };
  return {
    lost: () => ofAll((files) => files.lost()),
    touched: (subjects) => ofAll((files) => files.touched(subjects.flatMap(touchedPath))),
    // The redactor takes longer to load than everything else before a first request, and folders without instruction
    // files don't need it.
    inForce: async () => (config.isBare || !(await all()).some((files) => files.mayReadFiles()) ? [] : readInForce()),
    list: (signal) => ofAll((files) => files.list(signal)),
    changed: (path) => ofAll((files) => files.changed(path)),
    unseen: () => ofAll((files) => files.unseen()),
    forget: async () => {
      for (const files of await all()) files.forget();
    },
  };
}

/** The path that a call itself names: files that a search finds and names that a listing shows don't count. */
function touchedPath(subject: Subject): readonly string[] {
  if (subject.action !== "read" && subject.action !== "write") return [];
  return subject.isFound || subject.isNameOnly ? [] : [subject.path];
}

/** Adds instruction texts that a call made active to the model's next request, and tells a person about each text. */
export function announceInstructions(
  texts: readonly InstructionText[],
  answerer: Answerer,
  engine: Pick<QueryEngine, "taskNews" | "notify">,
): void {
  for (const { path, name, text } of texts) {
    engine.taskNews.addModelNote(`instructions:${path}`, text);
    const tokens = plural(Math.ceil(text.length / CHARS_PER_TOKEN), "token");
    if (answerer === "person")
      engine.notify(`Added the instructions of ${oneLine(name, MAX_NAME_COLUMNS)} (${tokens}).`);
  }
}

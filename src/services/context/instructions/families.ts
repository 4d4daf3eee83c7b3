import { dirname, join } from "node:path";
import type { InstructionFamily, InstructionOrigin } from "../../../contracts/instructions.ts";

/** A folder whose files are rules, each with a header that says when it applies. */
type RuleFolder = { readonly path: string; readonly ending: ".md" | ".mdc" };

type Names = {
  readonly family: InstructionFamily;
  /** Relative to a folder of the project. */
  readonly files?: readonly string[];
  readonly rules?: RuleFolder;
  /** The user's own files for one project, which are usually not committed. */
  readonly local?: readonly string[];
};

/** The names in each folder of a project, in the order in which the model reads them; local files come last. */
export const PROJECT_NAMES: readonly Names[] = [
  { family: "agents", files: ["AGENTS.md"], local: ["AGENTS.local.md"] },
  {
    family: "claude",
    files: ["CLAUDE.md", ".claude/CLAUDE.md"],
    rules: { path: ".claude/rules", ending: ".md" },
    local: ["CLAUDE.local.md"],
  },
  {
    family: "quoll",
    files: ["QUOLL.md", ".quoll/QUOLL.md"],
    rules: { path: ".quoll/rules", ending: ".md" },
    local: ["QUOLL.local.md"],
  },
  { family: "gemini", files: ["GEMINI.md"] },
  { family: "qwen", files: ["QWEN.md"] },
  { family: "crush", files: ["CRUSH.md"], local: ["CRUSH.local.md"] },
  { family: "copilot", files: [".github/copilot-instructions.md"] },
  { family: "cursor", rules: { path: ".cursor/rules", ending: ".mdc" } },
];

/** Folders outside every project. In each folder, only the first existing file is read. */
export type OwnFolder = {
  readonly folder: string;
  readonly family: InstructionFamily;
  readonly origin: Extract<InstructionOrigin, "managed" | "user">;
  readonly firstOf: readonly string[];
  readonly rules?: RuleFolder;
};

export type OwnPlaces = {
  /** `$HOME`. */
  readonly home: string;
  /** Quoll's folder of settings. */
  readonly config: string;
  /** The managed settings file; the administrator's instructions are in the same folder. */
  readonly managedSettings: string;
  /** `CLAUDE_CONFIG_DIR` and `CODEX_HOME`, if they are set: the folders instead of `~/.claude` and `~/.codex`. */
  readonly claude?: string | undefined;
  readonly codex?: string | undefined;
};

/** The folders of the administrator and of the user, in the order in which the model reads them. */
export function ownFolders({ home, config, managedSettings, claude, codex }: OwnPlaces): readonly OwnFolder[] {
  const user = (folder: string, family: InstructionFamily, ...firstOf: readonly string[]) =>
    ({ folder, family, origin: "user", firstOf }) as const;
  const rules = { path: "rules", ending: ".md" } as const;
  return [
    { folder: dirname(managedSettings), family: "quoll", origin: "managed", firstOf: ["QUOLL.md", "AGENTS.md"] },
    user(codex || join(home, ".codex"), "codex", "AGENTS.override.md", "AGENTS.md"),
    user(join(home, ".gemini"), "gemini", "GEMINI.md"),
    { ...user(claude || join(home, ".claude"), "claude", "CLAUDE.md"), rules },
    user(config, "quoll", "QUOLL.md", "AGENTS.md"),
    { ...user(join(home, ".quoll"), "quoll", "QUOLL.md", "AGENTS.md"), rules },
  ];
}

/** The folder to which a project file applies, by its name; undefined if the file is not an instruction file. */
export function aboutFolder(name: string): string | undefined {
  for (const { files = [], local = [], rules } of PROJECT_NAMES) {
    const own = [...files, ...local].find((one) => name === one || name.endsWith(`/${one}`));
    if (own !== undefined) return name.slice(0, -own.length);
    const at = rules && name.endsWith(rules.ending) ? `/${name}`.lastIndexOf(`/${rules.path}/`) : -1;
    if (at >= 0) return name.slice(0, at);
  }
  return undefined;
}

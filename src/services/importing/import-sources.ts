import { join } from "node:path";
import { errorMessage } from "../../contracts/errors.ts";
import { namesIn } from "../../platform/files/list-folder.ts";
import { entryExists, isInside } from "../../platform/paths.ts";
import { readSmallText } from "../../platform/private-file.ts";
import { type ImportLine, leftOut } from "./import-line.ts";
import type { ImportFormat } from "./read-import.ts";

export const IMPORT_TOOLS = ["claude", "codex", "gemini", "opencode"] as const;
export type ImportTool = (typeof IMPORT_TOOLS)[number];
export const TOOL_NAMES: Readonly<Record<ImportTool, string>> = {
  claude: "Claude Code",
  codex: "Codex",
  gemini: "Gemini CLI",
  opencode: "opencode",
};

const MAX_BYTES = 16 * 1024 * 1024;

export type ImportEnvironment = {
  readonly home: string;
  readonly projectRoot: string;
  /** Environment variables; some set the configuration folders of the other programs. */
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** A file that can be imported. */
export type ImportFile = {
  readonly tool: ImportTool;
  /** Absolute. */
  readonly file: string;
  /** The settings that get its content: the user's, or the user's own for this project. */
  readonly scope: "user" | "own";
  /** True for a file that the project's authors can write. */
  readonly isOfProject: boolean;
  read(text: string): Promise<readonly ImportLine[]>;
};

type Source = Omit<ImportFile, "isOfProject">;

/** The content of one file, as read. */
export type ImportedFile = Omit<ImportFile, "read"> & { readonly lines: readonly ImportLine[] };

/** The files of other programs that exist, in their order of precedence. */
export function importFiles(environment: ImportEnvironment): readonly ImportFile[] {
  const { home, projectRoot } = environment;
  return [...claude(environment), ...codex(environment), ...gemini(environment), ...opencode(environment)].flatMap(
    (one) => {
      const isOfProject = one.scope === "own" && isInside(projectRoot, one.file);
      // Without a project, the files of the home folder are treated as the user's.
      return entryExists(one.file) && !(isOfProject && projectRoot === home) ? [{ ...one, isOfProject }] : [];
    },
  );
}

/** Reads a file. A file that can't be read becomes one line that says why. */
export async function importFile({ read, ...file }: ImportFile): Promise<ImportedFile> {
  try {
    const text = (await readSmallText(file.file, MAX_BYTES)) ?? "";
    return { ...file, lines: await read(text) };
  } catch (error) {
    const [why = ""] = errorMessage(error).split("\n");
    return { ...file, lines: [leftOut("the file", `it can't be read: ${why}`)] };
  }
}

function claude({ home, projectRoot, env }: ImportEnvironment): readonly Source[] {
  const moved = env["CLAUDE_CONFIG_DIR"];
  const folder = moved || join(home, ".claude");
  const state = moved ? join(moved, ".claude.json") : join(home, ".claude.json");
  const inProject = (name: string) => join(projectRoot, ".claude", name);
  return [
    { tool: "claude", file: join(folder, "settings.json"), scope: "user", read: as("claudeSettings", true) },
    { tool: "claude", file: inProject("settings.json"), scope: "own", read: as("claudeSettings") },
    { tool: "claude", file: inProject("settings.local.json"), scope: "own", read: as("claudeSettings") },
    { tool: "claude", file: join(folder, "keybindings.json"), scope: "user", read: as("claudeKeys", true) },
    { tool: "claude", file: state, scope: "user", read: as("claudeServers", true) },
    { tool: "claude", file: state, scope: "own", read: as("claudeProject", false, projectRoot) },
  ];
}

function codex({ home, env }: ImportEnvironment): readonly Source[] {
  const folder = env["CODEX_HOME"] || join(home, ".codex");
  const rules = (namesIn(join(folder, "rules")) ?? []).filter((name) => name.endsWith(".rules")).toSorted();
  return [
    { tool: "codex", file: join(folder, "config.toml"), scope: "user", read: as("codexConfig", true) },
    { tool: "codex", file: join(folder, "hooks.json"), scope: "user", read: as("codexHooks", true) },
    ...rules.map((name): Source => {
      const file = join(folder, "rules", name);
      return { tool: "codex", file, scope: "user", read: as("codexRules", true) };
    }),
  ];
}

function gemini({ home, projectRoot }: ImportEnvironment): readonly Source[] {
  const folder = join(home, ".gemini");
  const policies = (namesIn(join(folder, "policies")) ?? []).filter((name) => name.endsWith(".toml")).toSorted();
  const ofProject = join(projectRoot, ".gemini", "settings.json");
  return [
    { tool: "gemini", file: join(folder, "settings.json"), scope: "user", read: as("geminiSettings", true) },
    { tool: "gemini", file: ofProject, scope: "own", read: as("geminiSettings") },
    ...policies.map((name): Source => {
      return { tool: "gemini", file: join(folder, "policies", name), scope: "user", read: as("geminiPolicy", true) };
    }),
  ];
}

function opencode({ home, projectRoot, env }: ImportEnvironment): readonly Source[] {
  const folder = join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode");
  const names = ["opencode.json", "opencode.jsonc"];
  return [
    ...names.map((name): Source => {
      return { tool: "opencode", file: join(folder, name), scope: "user", read: as("opencode", true) };
    }),
    ...names.map((name): Source => {
      return { tool: "opencode", file: join(projectRoot, name), scope: "own", read: as("opencode") };
    }),
  ];
}

/** The readers and their libraries are loaded with the first file. */
function as(format: ImportFormat, isOfUser = false, projectRoot = ""): ImportFile["read"] {
  return async (text) => (await import("./read-import.ts")).readImport(format, { text, isOfUser, projectRoot });
}

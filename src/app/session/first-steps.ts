import { join } from "node:path";
import type { FirstSteps } from "../../contracts/first-steps.ts";
import { shortPath } from "../../platform/directories.ts";
import { entryExists } from "../../platform/paths.ts";
import { fileNames } from "../../platform/read-chunks.ts";
import type { Session } from "./session.ts";

const README = /^readme(?:\.(?:md|txt|rst))?$/i;
const MANIFESTS: readonly string[] = ["package.json", "Makefile", "Cargo.toml", "go.mod", "pyproject.toml"];

type Parts = Pick<Session, "environment" | "choice" | "main">;

/**
 * The first steps; undefined for a person who has their own settings, or has typed anything into Quoll before. Reads
 * the file names in the working folder.
 */
export function firstSteps({ environment, choice, main }: Parts): FirstSteps | undefined {
  const { own } = environment;
  if ([join(own.config, "settings.json"), join(own.state, "history")].some(entryExists)) return undefined;
  const { cwd } = main.workspace;
  const names = fileNames(cwd);
  const isOffline = choice.provider === "offline";
  return {
    model: "endpoint" in choice ? configured(choice, own.home) : isOffline ? WITHOUT_MODEL : `${choice.model}`,
    look: "`/help` lists everything; `/config`, `/theme` and `/status` show and change it",
    examples: isOffline ? offlineExamples(names) : modelExamples(names),
  };
}

const WITHOUT_MODEL =
  "none yet: `/login` adds one, or set ANTHROPIC_API_KEY. Until then the offline engine does simple requests.";

function configured(
  { model, provider, endpoint }: Extract<Session["choice"], { readonly endpoint: unknown }>,
  home: string,
): string {
  const { keySource, keyFrom } = endpoint;
  const from = keyFrom.startsWith("/") ? shortPath(keyFrom, home) : keyFrom;
  const key = keySource === "none" ? "" : `, key from ${from}`;
  return `${model} of ${provider}${key}; \`/model\` and \`/login\` change it`;
}

/** Requests that the offline engine understands. */
function offlineExamples(names: readonly string[]): readonly string[] {
  const readme = names.find((name) => README.test(name));
  const first = readme ?? names.find((name) => !name.startsWith("."));
  const looks = first === undefined ? 'create notes.txt with "first line\\n"' : `read ${quoted(first)} first 20 lines`;
  return [looks, 'find "TODO"', "what can you do"];
}

function modelExamples(names: readonly string[]): readonly string[] {
  const shown = names.filter((name) => !name.startsWith("."));
  if (shown.length === 0) return ["make a small web page with a clock", "/init", "!ls"];
  const readme = names.find((name) => README.test(name));
  const hasTests = MANIFESTS.some((name) => names.includes(name));
  return [
    "what does this project do?",
    readme === undefined ? `explain @${shown[0]}` : `what is missing in @${readme}?`,
    hasTests ? "run the tests and fix what fails" : "find a bug and fix it",
  ];
}

function quoted(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : JSON.stringify(name);
}

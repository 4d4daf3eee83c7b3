import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Background } from "../contracts/background.ts";
import { orUndefined } from "../contracts/or-undefined.ts";
import { parsedJson } from "../contracts/parsed-json.ts";
import type { Environment } from "./env.ts";

const FILE = "terminal-backgrounds.json";
/** The maximum number of remembered terminals, since a person uses few kinds; the oldest is dropped. */
const MAX_TERMINALS = 16;

type TerminalEnvironment = { readonly state: string; readonly env: Environment };

/**
 * The background that this kind of terminal last reported; undefined if it never reported one. Read before the first
 * paint, when the terminal has not been asked yet.
 */
export function rememberedBackground(environment: TerminalEnvironment): Background | undefined {
  return readAll(environment.state).find(([name]) => name === kindOf(environment.env))?.[1];
}

/** Saves the background color that a terminal reported. It does not matter if the file can't be written. */
export async function rememberBackground({ state, env }: TerminalEnvironment, told: Background): Promise<void> {
  const kind = kindOf(env);
  const others = readAll(state).filter(([name]) => name !== kind);
  const kept = [...others, [kind, told] as const].slice(-MAX_TERMINALS);
  const { replaceIfPossible } = await import("./private-file.ts");
  replaceIfPossible(join(state, FILE), `${JSON.stringify(Object.fromEntries(kept))}\n`);
}

/** Terminals that name themselves differ more than the terminal types that they claim. */
function kindOf(env: Environment): string {
  return env["TERM_PROGRAM"] || env["TERM"] || "";
}

function readAll(state: string): readonly (readonly [string, Background])[] {
  const found = parsedJson(orUndefined(() => readFileSync(join(state, FILE), "utf8")) ?? "");
  return Object.entries(found ?? {}).filter((one): one is [string, Background] => isBackground(one[1]));
}

function isBackground(value: unknown): value is Background {
  return value === "dark" || value === "light";
}

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { SPEC_SENTENCES } from "./spec-sentences.ts";

const LIMIT_MS = 60_000;
const SHOWN_WORDS = 600;

const checkSchema = z.object({
  id: z.string(),
  description: z.string().default(""),
  status: z.string(),
  errorMessage: z.string().optional(),
  specReferences: z.array(z.object({ url: z.string().optional() })).default([]),
});
type Check = z.infer<typeof checkSchema>;

export type Suite = {
  readonly node: string;
  readonly program: string;
  readonly root: string;
  /** Variables that name the build: a client that has to make it again uses up the time of its scenario. */
  readonly built: Readonly<Record<string, string>>;
};
export type Outcome = {
  readonly isPassed: boolean;
  readonly checks: number;
  readonly passedChecks: number;
  readonly failed: readonly Check[];
  /** The last words of the suite, for a scenario that failed without a failed check. */
  readonly words: string;
};

/** Plays one scenario: the suite starts its server and then our client. */
export function runScenario(suite: Suite, scenario: string): Promise<Outcome> {
  const client = "bun scripts/conformance-mcp/client.ts";
  return runSuite(suite, ["client", "--command", client, "--scenario", scenario, "--timeout", String(LIMIT_MS)]);
}

/** Plays one scenario against a server of ours. */
export function runServerScenario(suite: Suite, scenario: string, url: string): Promise<Outcome> {
  return runSuite(suite, ["server", "--url", url, "--scenario", scenario]);
}

async function runSuite({ node, program, root, built }: Suite, words: readonly string[]): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "quoll-conformance-"));
  try {
    const command = [node, program, ...words, "-o", folder];
    const env = { ...process.env, ...built };
    const child = Bun.spawn(command, { cwd: root, env, stdout: "pipe", stderr: "pipe" });
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    const checks = checksIn(folder).filter(({ status }) => status !== "INFO");
    const failed = checks.filter(({ status }) => status !== "SUCCESS");
    const lastWords = `${out}${err}`.trim().slice(-SHOWN_WORDS);
    const passedChecks = checks.length - failed.length;
    return { isPassed: code === 0, checks: checks.length, passedChecks, failed, words: lastWords };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One line for each failed check, then the sentence of the specification that the scenario tests. */
export function failureLines(scenario: string, { failed, words }: Outcome): readonly string[] {
  const about = failed.flatMap(({ id, description, errorMessage, specReferences }) => [
    `${id}: ${errorMessage ?? description}`,
    ...specReferences.flatMap(({ url }) => (url === undefined ? [] : [`  ${url}`])),
  ]);
  const sentence = SPEC_SENTENCES[scenario];
  const spec = sentence === undefined ? [] : [`The specification: "${sentence}"`];
  return [...(about.length > 0 ? about : words.split("\n")), ...spec];
}

function checksIn(folder: string): readonly Check[] {
  const file = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith("checks.json"));
  if (file === undefined) return [];
  return z.array(checkSchema).parse(JSON.parse(readFileSync(join(folder, file), "utf8")));
}

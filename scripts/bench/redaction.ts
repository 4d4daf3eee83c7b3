/**
 * Redaction alone: speed, loading time, and the number of lines in real sources that look like secrets. Run directly
 * (`bun scripts/bench/redaction.ts [folder …]`), it prints lines, hits and rate of each folder, and the places of the hits.
 */
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { Glob } from "bun";
import { createRedactor } from "../../src/services/redaction/create-redactor.ts";
import { secretFinder } from "../../src/services/redaction/find-secrets.ts";
import type { BenchPlace, Measurement } from "./measurement.ts";

const ROOT = resolve(import.meta.dir, "../..");
const SOURCES = "**/*.{ts,tsx,js,mjs,cjs,json,md,yml,yaml,toml,sh,css,html,py}";
const OWN_FOLDERS = ["src", "packages", "docs", "scripts"];
/** Targets of redaction. */
const MOST_HITS_A_THOUSAND = 1;
const MOST_MS_A_RESULT = 5;
/** The largest result of a tool. */
const RESULT_CHARS = 100_000;

type Scan = { readonly lines: number; readonly chars: number; readonly ms: number; readonly hits: readonly string[] };

/** Searches all sources of some folders for secrets. */
async function scan(folders: readonly string[]): Promise<Scan> {
  // Measures the loading of the rules first, as in the program.
  const { ruleSetFinder } = await import("../../src/services/redaction/rule-set.ts");
  const find = secretFinder(ruleSetFinder(), []);
  const hits: string[] = [];
  let [lines, chars, ms] = [0, 0, 0];
  for (const folder of folders) {
    for (const file of new Glob(SOURCES).scanSync({ cwd: resolve(ROOT, folder), absolute: true })) {
      if (/\/(?:\.git|\.cache)\//.test(file)) continue;
      const text = readFileSync(file, "utf8");
      const startedAt = performance.now();
      const found = find(text);
      ms += performance.now() - startedAt;
      lines += text.split("\n").length;
      chars += text.length;
      for (const { start, kind } of found) {
        hits.push(`${relative(ROOT, file)}:${text.slice(0, start).split("\n").length} ${kind}`);
      }
    }
  }
  return { lines, chars, ms, hits };
}

const perThousand = ({ lines, hits }: Scan) => (hits.length / lines) * 1_000;

/** The part `redaction` of the bench. */
export async function benchRedaction(_place: BenchPlace, runs: number): Promise<readonly Measurement[]> {
  const startedAt = performance.now();
  const redactor = await createRedactor({ key: new Uint8Array(32) });
  const loadMs = performance.now() - startedAt;
  const text = readFileSync(resolve(ROOT, "package-lock.json"), "utf8").slice(0, RESULT_CHARS);
  const result = Array.from({ length: runs }, () => {
    const start = performance.now();
    redactor.redact(text);
    return performance.now() - start;
  });
  const own = await scan(OWN_FOLDERS);
  const libraries = await scan(["node_modules"]);
  const part = "redaction";
  const target = MOST_HITS_A_THOUSAND;
  return [
    { part, name: "load, from source", unit: "ms", values: [loadMs] },
    { part, name: "100,000 chars without a secret", unit: "ms", values: result, target: MOST_MS_A_RESULT },
    { part, name: "hits in 1,000 lines, own", unit: "×", values: [perThousand(own)], target },
    { part, name: "hits in 1,000 lines, libraries", unit: "×", values: [perThousand(libraries)], target },
  ];
}

if (import.meta.main) {
  for (const folder of process.argv.length > 2 ? process.argv.slice(2) : [...OWN_FOLDERS, "node_modules"]) {
    const { lines, chars, ms, hits } = await scan([folder]);
    const rate = lines === 0 ? 0 : (hits.length / lines) * 1_000;
    console.log(
      `${folder}: ${lines} lines, ${hits.length} hits, ${rate.toFixed(3)} in 1,000 lines, ${(chars / ms / 1_000).toFixed(0)} MB/s`,
    );
    for (const hit of hits) console.log(`  ${hit}`);
  }
}

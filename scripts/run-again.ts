/** More files with failures are a fault, and no busy machine. */
const MAX_FILES = 3;

export type Counts = { readonly passed: number; readonly failed: number };

/** A run of test files, with the files in which tests failed. */
export type TestRun = Counts & { readonly failedFiles: readonly string[] };

/**
 * Runs the files with failures once more, with nothing beside them, and prints whether they pass then: such a failure depends on
 * the load of the machine. The run stays red in any case.
 * @param runAlone Runs test files one after another.
 */
export async function runAgain(
  { failedFiles }: TestRun,
  runAlone: (files: readonly string[]) => Promise<Counts>,
  print: (line: string) => void = console.log,
): Promise<void> {
  if (failedFiles.length === 0 || failedFiles.length > MAX_FILES) return;
  print(`Run again, alone: ${failedFiles.join(" ")}`);
  const { failed } = await runAlone(failedFiles.map((file) => `./${file}`));
  if (failed === 0) print(`Passed alone, so they depend on the load of the machine: ${failedFiles.join(" ")}`);
}

/**
 * The test files in which tests failed or an error came between them; none if a failure belongs to no file.
 * @param report What `bun test` prints: a line with the file, then its failures; at the end the failures of all files again.
 * @param failed The sum of the report.
 */
export function failedFilesIn(report: string, failed: number): readonly string[] {
  const files = new Set<string>();
  let file = "";
  let found = 0;
  for (const line of report.split("\n")) {
    if (/^\d+ tests? (?:failed|skipped):$/.test(line)) break;
    file = /^(\S+\.test\.tsx?):$/.exec(line)?.[1] ?? file;
    if (!line.startsWith("(fail) ") && line !== "# Unhandled error between tests") continue;
    found += 1;
    files.add(file);
  }
  return found === failed && !files.has("") ? [...files] : [];
}

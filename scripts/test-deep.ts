/**
 * `npm run test:deep`: fresh seeds, whole matrices, long runs and large inputs, which `npm test` has one small case each of. The
 * seed follows from the commit, so that each commit draws new cases and a red run can be repeated; `TEST_SEED=N npm run test:deep`
 * sets another one. Arguments choose test files; `TEST_DEEP_PART=K/N` runs every Nth file from the Kth on, counted from 0. The last line is `N passed, N failed`; the exit code is 1 unless all passed.
 */
import { builtArtefacts } from "../tests/support/built.ts";
import { deepTestFiles } from "./deep-cases.ts";
import { runAgain } from "./run-again.ts";
import { finish, runTests } from "./run-tests.ts";

/** Undefined outside of a repository: each test file then draws a seed. */
async function seedOfCommit(): Promise<string | undefined> {
  const git = Bun.spawn(["git", "rev-parse", "HEAD"], { stdout: "pipe", stderr: "ignore" });
  const [hash, code] = await Promise.all([new Response(git.stdout).text(), git.exited]);
  return code === 0 ? String(Number.parseInt(hash.slice(0, 7), 16)) : undefined;
}

const seed = process.env["TEST_SEED"] ?? (await seedOfCommit());
if (seed !== undefined) process.env["TEST_SEED"] = seed;
await builtArtefacts();
const selection = process.argv.slice(2);
const [part = 0, parts = 1] = (process.env["TEST_DEEP_PART"] ?? "0/1").split("/").map(Number);
const files = deepTestFiles()
  .filter((_, at) => at % parts === part)
  .map((file) => `./${file}`);
const isSelection = selection.length > 0;
const run = await runTests(isSelection ? selection : files, { isDeep: true });
if (!isSelection) await runAgain(run, (again) => runTests(again, { isDeep: true, workers: 1 }));
finish([run]);

/**
 * `npm test`: types, lint, floors, unused exports, docs, and all tests but the deep ones. `npm test -- --changed [commit]` runs
 * the tests that your changes can reach, since where the branch left main or since a commit; other arguments go to `bun test` and leave the
 * other checks out. The last line is `N passed, N failed`; the exit code is 1 unless all passed.
 */
import { builtArtefacts } from "../tests/support/built.ts";
import { changedFiles, ownRepository, testsReachedBy } from "./changed-tests.ts";
import { runChecks } from "./checks.ts";
import type { Counts } from "./run-again.ts";
import { finish, runAllTests, runTests } from "./run-tests.ts";

const NONE: Counts = { passed: 0, failed: 0 };

async function reached(since: string | undefined): Promise<Counts> {
  const tests = testsReachedBy(changedFiles(since), ownRepository());
  console.log(`${tests.length} test files can be reached by the changes`);
  return tests.length > 0 ? runTests(tests.map((file) => `./${file}`)) : NONE;
}

const [first, ...rest] = process.argv.slice(2);
const isSelection = first !== undefined && first !== "--changed";
// Many tests wait for a terminal or a server: the checks take the time that they leave. The build comes before the tests, which
// would each wait for it.
const checks = isSelection ? NONE : runChecks();
if (!isSelection) await builtArtefacts();
const tests = isSelection
  ? await runTests([first, ...rest])
  : first === "--changed"
    ? await reached(rest[0])
    : await runAllTests();
finish([await checks, tests]);

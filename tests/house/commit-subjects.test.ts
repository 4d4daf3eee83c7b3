import { expect, setDefaultTimeout, test } from "bun:test";
import { ROOT } from "./house-rules.ts";

setDefaultTimeout(60_000);

const MAX_SUBJECT_CHARS = 72;
/** The commits that came before the rule are not measured by it. */
const LAST_BEFORE_THE_RULE = "7e3689d";
const MAX_COMMITS = 200;

/** The problems of the first line of a commit message: `area: say what changes`, in at most 72 characters. */
function subjectProblems(subject: string): readonly string[] {
  return [
    ...(subject.length > MAX_SUBJECT_CHARS ? [`${subject.length} characters`] : []),
    ...(/^(?:[a-z0-9][\w./-]*(?:, [a-z0-9][\w./-]*)*: \S|Revert ")/.test(subject) ? [] : ["no area"]),
    ...(subject.endsWith(".") ? ["a full stop"] : []),
    ...(/^[^:]+: (?!embed |speed |exceed |proceed )(?:\w{3,}(?:ed|ing)|(?:add|change|fix|make|remove|rename|update|use)s) /.test(
      subject,
    )
      ? ["not imperative"]
      : []),
  ];
}

/** The newest subjects since the rule; in a shallow clone those that are there, and none without a repository. */
async function recentSubjects(): Promise<readonly string[]> {
  const isDeep = (await git("merge-base", "--is-ancestor", LAST_BEFORE_THE_RULE, "HEAD")).code === 0;
  const range = isDeep ? [`${LAST_BEFORE_THE_RULE}..HEAD`] : ["-n", "1", "HEAD"];
  const { code, out } = await git("log", "--no-merges", "-n", String(MAX_COMMITS), "--format=%s", ...range);
  return code === 0 ? out.split("\n").filter((line) => line !== "") : [];
}

async function git(...args: readonly string[]) {
  const child = Bun.spawn(["git", ...args], { cwd: ROOT, stdout: "pipe", stderr: "ignore" });
  const [out, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  return { out, code };
}

test("every commit since the rule has a subject that names its area and fits a line", async () => {
  const wrong = (await recentSubjects()).map((subject) => [subject, subjectProblems(subject)] as const);
  expect(wrong.filter(([, problems]) => problems.length > 0)).toEqual([]);
});

test.each<[subject: string, problems: readonly string[]]>([
  ["engine: count recoveries per overflow", []],
  ["bench: speed up the soak run", []],
  ["repl, headless: show the reason of a refusal", []],
  ['Revert "engine: count recoveries per overflow"', []],
  [`docs: ${"x".repeat(MAX_SUBJECT_CHARS)}`, ["78 characters"]],
  ["Fix the build", ["no area"]],
  ["wip", ["no area"]],
  ["engine: count recoveries.", ["a full stop"]],
  ["engine: fixed the count", ["not imperative"]],
  ["engine: adds a count", ["not imperative"]],
])("the subject %j has these problems: %j", (subject, problems) => {
  expect(subjectProblems(subject)).toEqual(problems);
});

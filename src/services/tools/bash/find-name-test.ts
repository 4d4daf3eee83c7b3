/** The entries that a `find` search may pass on. */
export type NameTest = {
  isMatch(name: string): boolean;
  /** Links and folders are excluded. */
  readonly filesOnly: boolean;
  /** True if the expression is more than a list of tests, so that all entries match. */
  readonly isAny?: true;
};

/** Independent tests of find; after any other expression, all entries count as passed on. */
const PLAIN_TESTS = /^-(?:name|iname|type|maxdepth|mindepth|path|size|mtime|mmin|newer|print|print0|empty)$/;

/**
 * The names that `find … -name '*.ts' -type f` passes on, or all if its expression is more than a list of tests.
 * @param args The command's words.
 */
export function findNameTest(args: readonly string[]): NameTest {
  const start = args.findIndex((word) => /^[-!(,]/.test(word));
  const tests = withoutExceptions(start < 0 ? [] : args.slice(start));
  if (!tests.every((word) => !/^[-!(),]/.test(word) || PLAIN_TESTS.test(word)))
    return { isMatch: () => true, filesOnly: false, isAny: true };
  const valuesOf = (flag: string) => tests.flatMap((word, at) => (tests[at - 1] === flag ? [word] : []));
  const patterns = [
    ...valuesOf("-name").map((text) => patternOf(text, "su")),
    ...valuesOf("-iname").map((text) => patternOf(text, "sui")),
  ];
  return {
    isMatch: (name) => patterns.every((pattern) => pattern.test(name)),
    filesOnly: valuesOf("-type").includes("f"),
  };
}

/** `-not -path './x/*'` only excludes entries. Ignoring the expression yields too many names, never too few. */
function withoutExceptions(tests: readonly string[]): readonly string[] {
  const isException = (at: number) =>
    /^(?:!|-not)$/.test(tests[at] ?? "") && /^-(?:name|iname|path|ipath|type)$/.test(tests[at + 1] ?? "");
  return tests.filter((_, at) => !isException(at) && !isException(at - 1) && !isException(at - 2));
}

/** A bracket expression counts as a wildcard, which yields too many names, never too few. */
function patternOf(text: string, flags: string): RegExp {
  if (/[[\\]/.test(text)) return /^/;
  const source = text
    .replace(/[.+^${}()|\]]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, flags);
}

/** Which entries a search by `find` may pass on. */
export type NameTest = {
  isMatch(name: string): boolean;
  /** Links and folders are left out. */
  readonly filesOnly: boolean;
};

/** Tests of find that hold or don't whatever the others say; behind anything else all may be passed on. */
const PLAIN_TESTS = /^-(?:name|iname|type|maxdepth|mindepth|path|size|mtime|mmin|newer|print|print0|empty)$/;

/**
 * The names that `find … -name '*.ts' -type f` passes on, or all where its expression is more than a row of tests.
 * @param args Its words.
 */
export function nameTest(args: readonly string[]): NameTest {
  const start = args.findIndex((word) => /^[-!(,]/.test(word));
  const tests = withoutExceptions(start < 0 ? [] : args.slice(start));
  if (!tests.every((word) => !/^[-!(),]/.test(word) || PLAIN_TESTS.test(word)))
    return { isMatch: () => true, filesOnly: false };
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

/** `-not -path './x/*'` only leaves out more: without it too much is named, never too little. */
function withoutExceptions(tests: readonly string[]): readonly string[] {
  const isException = (at: number) =>
    /^(?:!|-not)$/.test(tests[at] ?? "") && /^-(?:name|iname|path|ipath|type)$/.test(tests[at + 1] ?? "");
  return tests.filter((_, at) => !isException(at) && !isException(at - 1) && !isException(at - 2));
}

/** A bracket expression counts as anything: that names too much, never too little. */
function patternOf(text: string, flags: string): RegExp {
  if (/[[\\]/.test(text)) return /^/;
  const source = text
    .replace(/[.+^${}()|\]]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, flags);
}

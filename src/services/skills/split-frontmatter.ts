const HEADER = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/;

export type SplitFile = {
  /** The text between the first two lines of `---`; undefined if the file does not begin with such a part. */
  readonly header: string | undefined;
  readonly body: string;
};

/** Splits a Markdown file at its frontmatter. Line ends become `\n`, and a byte order mark is left out. */
export function splitFrontmatter(file: string): SplitFile {
  const text = file.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const found = HEADER.exec(text);
  return found ? { header: found[1] ?? "", body: text.slice(found[0].length) } : { header: undefined, body: text };
}

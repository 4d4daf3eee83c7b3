/** Phrases of a Read result by which a compaction recognises that the result does not show the whole file. */

/** The result shows no lines, because an earlier result shows the same lines. */
export const UNCHANGED_WORDS = "is unchanged since you read these lines";
/** The result stops before the end of the file. */
export const MORE_LINES_WORDS = "go on with offset:";
/** The result stops before the last page of a document. */
export const MORE_PAGES_WORDS = "go on with pages:";

/** The pages of a call, in words: `page 3`, `pages 3-5`. */
export function pagesWords(pages: string): string {
  return `${/^\d+(?:\s+as\s.*)?$/.test(pages.trim()) ? "page" : "pages"} ${pages.trim()}`;
}

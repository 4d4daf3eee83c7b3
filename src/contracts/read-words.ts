/** Advice in a result of Read that stops before the end of the file, or before the last page of a document. */
export const MORE_LINES_WORDS = "go on with offset:";
export const MORE_PAGES_WORDS = "go on with pages:";

/** The pages of a call, in words: `page 3`, `pages 3-5`. */
export function pagesWords(pages: string): string {
  return `${/^\d+(?:\s+as\s.*)?$/.test(pages.trim()) ? "page" : "pages"} ${pages.trim()}`;
}

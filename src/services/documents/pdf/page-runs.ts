import type { PdfPage } from "./open-pdf.ts";
import type { Run } from "./text-lines.ts";

type Annotation = {
  readonly subtype?: string;
  readonly rect?: readonly number[];
  readonly url?: string;
  readonly unsafeUrl?: string;
  readonly fieldType?: string;
  readonly fieldValue?: unknown;
  readonly checkBox?: boolean;
  readonly hidden?: boolean;
  readonly file?: { readonly filename?: string };
};

export type PageContent = {
  readonly runs: readonly Run[];
  /** Text that stands askew, in the order of the file. */
  readonly turned: readonly string[];
  readonly links: readonly string[];
  /** The names of files that are attached to the page. */
  readonly files: readonly string[];
};

/** Text turned by more than this is not part of the lines of a page; as a sine. */
const MAX_SLOPE = 0.1;

/** Ligatures and glyph forms of Latin, Armenian, Hebrew and Arabic letters (Unicode, Alphabetic Presentation Forms). */
const GLYPH_FORMS = /[\ufb00-\ufb17\ufb1d-\ufb28\ufb2a-\ufbb1\ufbd3-\ufc5d\ufc64-\ufdfc\ufe80-\ufefc]+/g;

/** The text of a page, the values of its form fields, and what it links to. */
export async function pageRuns(page: PdfPage): Promise<PageContent> {
  const viewport = page.getViewport({ scale: 1 });
  const runs: Run[] = [];
  const turned: string[] = [];
  // The library's normalisation also changes signs that a person copies as they are, such as µ.
  const { items } = await page.getTextContent({ includeMarkedContent: false, disableNormalization: true });
  for (const item of items) {
    if (!("str" in item) || item.str.trim() === "") continue;
    const text = item.str.replace(GLYPH_FORMS, (forms) => forms.normalize("NFKC"));
    const [a = 1, b = 0, , , x = 0, y = 0] = multiplied(viewport.transform, item.transform);
    if (Math.abs(b) > MAX_SLOPE * Math.hypot(a, b) || a < 0) {
      turned.push(text.replace(/\s/g, " "));
      continue;
    }
    const run = { text, x, y, width: item.width, size: item.height || Math.hypot(a, b) };
    runs.push(item.dir === "rtl" ? { ...run, isRightToLeft: true } : run);
  }
  const annotations: readonly Annotation[] = await page.getAnnotations({ intent: "display" });
  for (const annotation of annotations) {
    const run = fieldRun(annotation, (x, y) => viewport.convertToViewportPoint(x, y));
    if (run) runs.push(run);
  }
  const links = annotations.flatMap(({ url, unsafeUrl }) => url ?? unsafeUrl ?? []);
  const files = annotations.flatMap(({ file }) => file?.filename ?? []);
  return { runs, turned, links: [...new Set(links)], files };
}

/** The value of a form field, where the field is. */
function fieldRun(annotation: Annotation, place: (x: number, y: number) => number[]): Run | undefined {
  const { subtype, rect, hidden } = annotation;
  if (subtype !== "Widget" || hidden || !rect) return undefined;
  const text = fieldText(annotation);
  if (text === "") return undefined;
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = rect;
  const [left = 0, bottom = 0] = place(x1, y1);
  const [right = 0, top = 0] = place(x2, y2);
  const size = Math.min(Math.abs(bottom - top), 12);
  return {
    text,
    x: Math.min(left, right),
    y: Math.max(bottom, top) - size * 0.25,
    width: Math.abs(right - left),
    size,
  };
}

function fieldText({ fieldType, fieldValue, checkBox }: Annotation): string {
  if (fieldType === "Btn") return checkBox ? (fieldValue && fieldValue !== "Off" ? "[x]" : "[ ]") : "";
  const values = Array.isArray(fieldValue) ? fieldValue : [fieldValue];
  return values
    .filter((value) => typeof value === "string")
    .join(", ")
    .replace(/\s+/g, " ")
    .trim();
}

/** The product of two matrices of PDF 32000-1, 8.3.3. */
function multiplied(outer: readonly number[], inner: readonly number[]): readonly number[] {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = outer;
  const [g = 1, h = 0, i = 0, j = 1, k = 0, l = 0] = inner;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

import { printProblem } from "../../platform/host.ts";
import { answerOrder, CONVERT_COMMAND } from "../../platform/processes/convert-child.ts";
import type { DocumentOrder } from "../../services/documents/document-order.ts";
import type { ConvertOrder } from "../../services/web/io/convert-page.ts";

/** Links to places in the document itself stay plain text. */
const NO_BASE = "about:blank";

/** The child that converts a web page or a document. @returns the exit code. */
export async function runConverter(): Promise<number> {
  const code = await answerOrder(converted);
  if (code !== 0) printProblem(`${CONVERT_COMMAND} is for Quoll's own use.`);
  return code;
}

async function converted(order: ConvertOrder | DocumentOrder, bytes: Uint8Array): Promise<unknown> {
  if (order.as !== "document" && order.as !== "part-of-pdf") {
    const { convertBytes } = await import("../../services/web/convert-bytes.ts");
    return convertBytes(order, bytes);
  }
  const [{ convertDocument }, { MarkdownWriter }, { visible }] = await Promise.all([
    import("../../services/documents/convert-document.ts"),
    import("../../services/web/markdown/markdown-writer.ts"),
    import("../../services/web/visible-text.ts"),
  ]);
  const newWriter = () => new MarkdownWriter({ url: NO_BASE, keepsAround: true });
  return convertDocument(order, bytes, { newWriter, visible });
}

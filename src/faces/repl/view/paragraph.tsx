import { wrapText } from "@quoll/terminal-text/wrap-text";
import { Text } from "ink";

type Props = {
  readonly text: string;
  readonly columns: number;
  /** The look of each of its lines. */
  readonly paint: (line: string) => string;
};

/** A text in lines of at most `columns`. Ink's own wrapping keeps the blank at which it breaks a line, and puts it before the next. */
export function Paragraph({ text, columns, paint }: Props) {
  return <Text wrap="truncate-end">{wrapText(text, columns).map(paint).join("\n")}</Text>;
}

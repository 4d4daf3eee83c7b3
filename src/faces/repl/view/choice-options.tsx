import { joinedLines } from "@quoll/terminal-text/one-line";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import { Box, Text } from "ink";
import { Lines } from "./dialog-box.tsx";
import { GLYPHS, type Theme } from "./theme.ts";
import type { TypedRows } from "./typed-rows.ts";

/** How much of the options' descriptions is shown, from all to nothing. */
export type Detail = "whole" | "line" | "none";

export type ShownRow =
  | ShownOption
  /** The line that is being typed. */
  | { readonly typed: TypedRows };

type ShownOption = {
  readonly number: number;
  readonly label: string;
  readonly description: string;
  readonly isMarked: boolean;
  readonly isChosen: boolean;
};

type Props = {
  readonly rows: readonly ShownRow[];
  readonly detail: Detail;
  readonly theme: Theme;
  readonly columns: number;
};

/** The columns of the mark, and of the number, before an option. */
const LEAD_COLUMNS = 2;

/** The numbered rows of a question, each option with its description below. */
export function ChoiceOptions({ rows, ...style }: Props) {
  return (
    <Box flexDirection="column">
      {rows.map((row) =>
        "typed" in row ? (
          <Lines key="typed" lines={row.typed.lines} />
        ) : (
          <ChoiceOption key={row.number} option={row} {...style} />
        ),
      )}
    </Box>
  );
}

type OptionProps = Omit<Props, "rows"> & { readonly option: ShownOption };

function ChoiceOption({ option, detail, theme, columns }: OptionProps) {
  const { number, label, description, isMarked, isChosen } = option;
  const paint = isMarked || isChosen ? theme.strong : (text: string) => text;
  const room = columns - 2 * LEAD_COLUMNS;
  return (
    <Box>
      <Box width={LEAD_COLUMNS} flexShrink={0}>
        <Text>{isMarked ? theme.accent(GLYPHS.choice) : " "}</Text>
      </Box>
      <Box width={LEAD_COLUMNS} flexShrink={0}>
        <Text>{paint(`${number} `)}</Text>
      </Box>
      <Box flexDirection="column">
        <Paragraph text={label} columns={room} paint={paint} />
        {description !== "" && detail === "whole" && <Paragraph text={description} columns={room} paint={theme.dim} />}
        {description !== "" && detail === "line" && (
          <Text>{theme.dim(truncateText(joinedLines(description), room))}</Text>
        )}
      </Box>
    </Box>
  );
}

type ParagraphProps = {
  readonly text: string;
  readonly columns: number;
  /** The look of each of its lines. */
  readonly paint: (line: string) => string;
};

/** A text in lines of at most `columns`. Ink's own wrapping keeps the blank at which it breaks a line, and puts it before the next. */
function Paragraph({ text, columns, paint }: ParagraphProps) {
  return <Text wrap="truncate-end">{wrapText(text, columns).map(paint).join("\n")}</Text>;
}

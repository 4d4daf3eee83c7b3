import { joinedLines } from "@quoll/terminal-text/one-line";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { Box, Text } from "ink";
import { Paragraph } from "./paragraph.tsx";
import { GLYPHS, type Theme } from "./theme.ts";

/** How much of the options' descriptions is shown, from all to nothing. */
export type Detail = "whole" | "line" | "none";

export type ShownOption = {
  readonly label: string;
  readonly description: string;
  readonly isMarked: boolean;
  readonly isChosen: boolean;
};

type Props = {
  readonly options: readonly ShownOption[];
  readonly detail: Detail;
  readonly theme: Theme;
  readonly columns: number;
};

/** The columns of the mark, and of the number, before an option. */
const LEAD_COLUMNS = 2;

/** The options of a question, numbered from 1, each with its description below. */
export function ChoiceOptions({ options, ...style }: Props) {
  return (
    <Box flexDirection="column">
      {options.map((option, at) => (
        <ChoiceOption key={option.label} option={option} number={at + 1} {...style} />
      ))}
    </Box>
  );
}

type OptionProps = Omit<Props, "options"> & { readonly option: ShownOption; readonly number: number };

function ChoiceOption({ option, number, detail, theme, columns }: OptionProps) {
  const { label, description, isMarked, isChosen } = option;
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

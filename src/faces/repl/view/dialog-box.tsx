import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { drawComponent, LastDrawn } from "./draw-component.ts";
import { BORDER_COLUMNS, innerColumns } from "./layout.ts";
import type { Theme } from "./theme.ts";

type Style = {
  readonly title: string;
  /** Shown at the right of the title. */
  readonly place?: string;
  readonly theme: Theme;
  readonly columns: number;
};
type Props = Style & {
  /** The upper part of a box has no lower edge, the lower part no title. */
  readonly part?: "upper" | "lower";
  readonly children: ReactNode;
};

/** A box with a title around content that is at most as wide as `innerColumns`. */
export function DialogBox({ title, place = "", theme, columns, part, children }: Props) {
  const { accent, strong } = theme;
  const [side, rule] = [accent("│"), accent("─")];
  const border = {
    topLeft: "",
    top: rule,
    topRight: "",
    left: side,
    right: side,
    bottomLeft: accent("╰"),
    bottom: rule,
    bottomRight: accent("╯"),
  };
  const width = innerColumns(columns);
  const corner = place === "" ? "╮" : ` ${place} ╮`;
  const shown = truncateText(title, width - textWidth(corner));
  return (
    <Box flexDirection="column" width={width + BORDER_COLUMNS}>
      {part !== "lower" && (
        <Box>
          <Text>{`${accent("╭")} ${strong(shown)} `}</Text>
          <Box flexGrow={1} borderStyle={border} borderLeft={false} borderRight={false} borderBottom={false} />
          <Text>{accent(corner)}</Text>
        </Box>
      )}
      <Box flexDirection="column" paddingX={1} borderStyle={border} borderTop={false} borderBottom={part !== "upper"}>
        {children}
      </Box>
    </Box>
  );
}

const lastUpper = new LastDrawn<readonly string[]>();
const lastLower = new LastDrawn<readonly string[]>();

/**
 * A box around lines of at most `innerColumns`. The upper ones and those at the end, which most keys change, are drawn each by
 * themselves.
 */
export function dialogLines(upper: readonly string[], lower: readonly string[], style: Style): readonly string[] {
  const { title, place, theme, columns } = style;
  const drawn = (part: "upper" | "lower", lines: readonly string[]) => () =>
    drawComponent(
      <DialogBox part={part} {...style}>
        <Lines lines={lines} />
      </DialogBox>,
      columns,
    );
  return [
    ...lastUpper.draw([title, place, theme, columns, ...upper], drawn("upper", upper)),
    ...lastLower.draw([theme, columns, ...lower], drawn("lower", lower)),
  ];
}

/** Lines that are no wider than their place; an empty one is a row too. */
export function Lines({ lines }: { readonly lines: readonly string[] }) {
  return lines.length > 0 && <Text wrap="truncate-end">{lines.join("\n") || " "}</Text>;
}

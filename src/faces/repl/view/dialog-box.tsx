import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { drawComponent } from "./draw-component.ts";
import { LastDrawn } from "./last-drawn.ts";
import { BORDER_COLUMNS, innerColumns } from "./layout.ts";
import type { Theme } from "./theme.ts";

type Props = {
  readonly title: string;
  /** Shown at the right of the title. */
  readonly place?: string;
  readonly theme: Theme;
  readonly columns: number;
  readonly children: ReactNode;
};

/** A box with a title around content that is at most as wide as `innerColumns`. */
export function DialogBox({ title, place = "", theme, columns, children }: Props) {
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
      <Box>
        <Text>{`${accent("╭")} ${strong(shown)} `}</Text>
        <Box flexGrow={1} borderStyle={border} borderLeft={false} borderRight={false} borderBottom={false} />
        <Text>{accent(corner)}</Text>
      </Box>
      <Box flexDirection="column" paddingX={1} borderStyle={border} borderTop={false}>
        {children}
      </Box>
    </Box>
  );
}

const lastDrawn = new LastDrawn<readonly string[]>();

/** A box around lines of at most `innerColumns`. */
export function dialogLines(
  lines: readonly string[],
  { columns, ...style }: Omit<Props, "children">,
): readonly string[] {
  const { title, place, theme } = style;
  return lastDrawn.draw([title, place, theme, columns, ...lines], () => {
    const box = (
      <DialogBox columns={columns} {...style}>
        <Lines lines={lines} />
      </DialogBox>
    );
    return drawComponent(box, columns);
  });
}

/** Lines that are no wider than their place; an empty one is a row too. */
export function Lines({ lines }: { readonly lines: readonly string[] }) {
  return lines.length > 0 && <Text wrap="truncate-end">{lines.join("\n") || " "}</Text>;
}

import { Static, Text, useApp, useCursor } from "ink";
import { Component, type ReactNode, useInsertionEffect, useMemo, useSyncExternalStore } from "react";
import type { AppendOnly } from "../../protocol/transcript/append-only.ts";
import type { PrintedRow, ReplScreen } from "./repl-screen-state.ts";
import type { LivePlaces } from "./terminal/live-places.ts";
import { placeOf } from "./terminal/row-places.ts";
import type { Frame } from "./view/live-frame.ts";

type Props = {
  readonly screen: ReplScreen;
  readonly live: LivePlaces;
  /** Receives each frame that goes to the terminal. */
  readonly painted: (frame: Frame) => void;
  /** Receives the function that suspends Ink. */
  readonly mounted: (suspend: Suspend) => void;
};

export type Suspend = () => Promise<{ resume(): Promise<void> }>;

/** The transcript, printed once row by row, and the live frame below it. */
export function Screen({ screen, live, painted, mounted }: Props) {
  const { printed, frame } = useSyncExternalStore(
    (listener) => screen.subscribe(listener),
    () => screen.snapshot,
  );
  const { setCursorPosition } = useCursor();
  setCursorPosition(frame.cursor);
  useInsertionEffect(() => painted(frame), [frame, painted]);
  const places = useMemo(() => live.of(frame.lines), [live, frame]);
  const { suspendTerminal } = useApp();
  useInsertionEffect(() => mounted(() => suspendTerminal()), [suspendTerminal, mounted]);
  return (
    <>
      <Static items={asItems(printed)}>{(row) => <Text key={row.key}>{placeOf(row)}</Text>}</Static>
      {frame.lines.length > 0 && <Text>{places.join("\n")}</Text>}
    </>
  );
}

/** Ink's `Static` only reads the length of its items and slices the new ones, so the transcript need not be copied. */
function asItems(rows: AppendOnly<PrintedRow>): PrintedRow[] {
  return rows as unknown as PrintedRow[];
}

type BoundaryProps = { readonly children: ReactNode; readonly failed: (error: unknown) => void };

/** A fault in drawing ends the REPL properly, instead of leaving half a frame. */
export class DrawingBoundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidCatch(error: unknown) {
    this.props.failed(error);
  }

  override render() {
    return this.state.hasFailed ? null : this.props.children;
  }
}

import type { RendererDefinition } from "@quoll/extension-api";
import { plainText } from "@quoll/terminal-text/plain-text";
import { z } from "zod";
import { errorMessage } from "../../contracts/errors.ts";
import type { FaultyCode } from "./within-time.ts";

const MAX_MS = 50;
const MAX_LINES = 200;
const drawnSchema = z.union([z.string(), z.array(z.string())]);

/** Draws a line of a fenced block; undefined if the line can't be drawn. */
export type DrawLine = (text: string, columns: number) => readonly string[] | undefined;

/** The renderer of an extension, which is disabled after its first fault. */
export function lineRenderer(renderer: RendererDefinition, { clock, code, fault }: FaultyCode): DrawLine {
  let isOff = false;
  return (text, columns) => {
    if (isOff) return undefined;
    try {
      const startedMs = clock.monotonicMs();
      const drawn = drawnSchema.safeParse(code.call(() => renderer.line(text, { columns })));
      const tookMs = clock.monotonicMs() - startedMs;
      if (!drawn.success) throw new Error("it returned something other than text");
      if (tookMs > MAX_MS) throw new Error(`it took ${Math.round(tookMs)} ms for a line`);
      const whole = typeof drawn.data === "string" ? drawn.data : drawn.data.join("\n");
      return plainText(whole).split("\n").slice(0, MAX_LINES);
    } catch (error) {
      isOff = true;
      fault(`its renderer of ${renderer.language} was disabled: ${errorMessage(error)}`);
      return undefined;
    }
  };
}

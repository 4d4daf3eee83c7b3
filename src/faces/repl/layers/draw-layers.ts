import type { Block, Layer, Room } from "./layer.ts";

/** The visible layers, from the top down to the first layer that hides the layers below it. */
export function visibleLayers(layers: readonly Layer[]): readonly Layer[] {
  const at = layers.findIndex(({ place }) => place === "whole");
  return layers.slice(0, at + 1);
}

/** Draws the layers together: the layer that hides others first, then the others in the remaining rows. */
export function drawLayers(layers: readonly Layer[], room: Room): Block {
  let all: Block = { lines: [] };
  for (const layer of [...visibleLayers(layers)].reverse()) {
    const drawn = layer.lines({ ...room, maxRows: Math.max(1, room.maxRows - all.lines.length) });
    all = joined(all, drawn, layer.place);
  }
  return all;
}

function joined(below: Block, drawn: Block, place: Layer["place"]): Block {
  const isAbove = place === "above";
  const lines = isAbove ? [...drawn.lines, ...below.lines] : [...below.lines, ...drawn.lines];
  const shift = isAbove ? drawn.lines.length : 0;
  const cursor = below.cursor ? { x: below.cursor.x, y: below.cursor.y + shift } : drawn.cursor;
  const preview = drawn.preview ?? below.preview;
  return { lines, ...(cursor && { cursor }), ...(preview && { preview }) };
}

import type { ImageBlock, UserBlock } from "../../../contracts/message.ts";
import type { Row, ScreenEvent } from "../../../protocol/transcript/transcript.ts";

/** The images of a message or of a call's result. */
export type FoundImages = {
  /** The id of the message or call. */
  readonly key: string;
  readonly images: readonly ImageBlock[];
};

/** The images of an event of the conversation; undefined if it has none. */
export function imagesOf(event: ScreenEvent): FoundImages | undefined {
  switch (event.type) {
    case "tool_finished":
      return found(event.result.toolUseId, event.result.content);
    case "turn_started":
      return found(event.message.id, event.message.content);
    case "words_added":
      return event.by === "user" ? found(event.message.id, event.message.content) : undefined;
    default:
      return undefined;
  }
}

/** The messages and calls of a row. */
export function imageKeysOf(row: Row): readonly string[] {
  if (row.kind === "user") return row.messageId === undefined ? [] : [row.messageId];
  if (row.kind === "tool") return [row.tool.use.id];
  return row.kind === "explorations" ? row.tools.map(({ use }) => use.id) : [];
}

function found(key: string, content: string | readonly UserBlock[]): FoundImages | undefined {
  const images = typeof content === "string" ? [] : content.filter((block) => block.type === "image");
  return images.length === 0 ? undefined : { key, images };
}

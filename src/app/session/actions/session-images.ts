import type { UserBlock } from "../../../contracts/message.ts";
import type { ImagePasting } from "../../../contracts/pasted-image.ts";
import type { ImageParts, ImageStore } from "./image-store.ts";

export type SessionImages = {
  readonly paste: ImagePasting;
  /** The images that a prompt names. */
  attach(words: string): Promise<readonly UserBlock[]>;
};

/** The images that a person pastes. The code for images is loaded with the first image. */
export function sessionImages(parts: ImageParts): SessionImages {
  let loaded: Promise<ImageStore> | undefined;
  const load = () => {
    loaded ??= import("./image-store.ts").then(({ ImageStore }) => new ImageStore(parts));
    return loaded;
  };
  return {
    paste: {
      fromClipboard: async (signal) => (await load()).fromClipboard(signal),
      fromFiles: async (paths, signal) => (await load()).fromFiles(paths, signal),
    },
    attach: async (words) => (words.includes("[Image ") ? (await load()).attach(words) : []),
  };
}

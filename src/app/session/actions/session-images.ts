import { lazy } from "@quoll/async/lazy";
import type { UserBlock } from "../../../contracts/message.ts";
import type { ImagePasting } from "../../../contracts/pasted-image.ts";
import type { ImageParts } from "./image-store.ts";

export type SessionImages = ImagePasting & {
  /** The images that a prompt names. */
  attach(words: string): Promise<readonly UserBlock[]>;
};

/** The images that a person pastes. The code for images is loaded with the first image. */
export function sessionImages(parts: ImageParts): SessionImages {
  const store = lazy(async () => new (await import("./image-store.ts")).ImageStore(parts));
  return {
    fromClipboard: async (signal) => (await store()).fromClipboard(signal),
    fromFiles: async (paths, signal) => (await store()).fromFiles(paths, signal),
    attach: async (words) => (words.includes("[Image ") ? (await store()).attach(words) : []),
  };
}

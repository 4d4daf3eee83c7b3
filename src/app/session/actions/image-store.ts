import { LRUCache } from "lru-cache";
import { imageHeader } from "../../../contracts/image-header.ts";
import type { ImageBlock, UserBlock } from "../../../contracts/message.ts";
import { type ImagePasting, imageMark, imageNumbers, type PastedImages } from "../../../contracts/pasted-image.ts";
import type { ModelCatalog } from "../../../contracts/ports.ts";
import { clipboardImage } from "../../../platform/clipboard-image.ts";
import { loadFile } from "../../../platform/files/load-file.ts";
import { resolvePath } from "../../../platform/files/resolve-path.ts";
import { isDamaged, shrinkImage } from "../../../platform/shrink-image.ts";
import { MAX_FILE_BYTES, MAX_LOADED_BYTES, MAX_SIDE_PIXELS } from "../../../services/tools/read/read-image.ts";
import type { Agent } from "../../agent/open-agent.ts";
import type { ProjectEnvironment } from "../project-environment.ts";

/** The maximum number of images kept for one session; the oldest are dropped first. Most take less than 1 MB. */
const MAX_IMAGES = 50;

export type ImageParts = {
  readonly environment: ProjectEnvironment;
  readonly catalog: ModelCatalog;
  main(): Agent;
};

/** Larger images take too long to decode. */
const MAX_CHECKED_PIXELS = 40_000_000;
const IMAGE_NAME = /\.(?:png|jpe?g|gif|webp)$/i;

const unreadable = (path: string): PastedImages => ({
  problem: `${path} is not an image that Quoll can read. Its path stays as text.`,
  keepsText: true,
});

type StoredImage = { readonly block: ImageBlock; readonly size: string };

/** The images that a person pasted, by their numbers. A prompt names them as text, `[Image 1]`, until it is sent. */
export class ImageStore implements ImagePasting {
  readonly #parts: ImageParts;
  readonly #images = new LRUCache<number, StoredImage>({ max: MAX_IMAGES });
  #last = 0;

  constructor(parts: ImageParts) {
    this.#parts = parts;
  }

  async fromClipboard(signal: AbortSignal): Promise<PastedImages> {
    const { env, machine } = this.#parts.environment;
    const isTrusted = (path: string) => !this.#parts.main().workspace.contains(path);
    const found = await clipboardImage({ os: machine.platform, env, isTrusted }, signal);
    if ("problem" in found) return found;
    return (
      (await this.#add(found.bytes, "The image in the clipboard")) ?? { problem: "There is no image in the clipboard." }
    );
  }

  async fromFiles(paths: readonly string[], signal: AbortSignal): Promise<PastedImages | undefined> {
    const { workspace, permissions } = this.#parts.main();
    const marks: string[] = [];
    for (const path of paths) {
      try {
        const target = await resolvePath(path, { cwd: workspace.cwd, home: this.#parts.environment.own.home });
        if (permissions.isHidden(target.path))
          return { problem: `${path} was not attached: a rule denies reading it.` };
        const { bytes } = await loadFile(target.path, MAX_LOADED_BYTES, signal);
        const added = await this.#add(bytes, path);
        if (!added) return IMAGE_NAME.test(path) ? unreadable(path) : undefined;
        if ("problem" in added) return added;
        marks.push(...added.marks);
      } catch {
        signal.throwIfAborted();
        return undefined;
      }
    }
    return { marks };
  }

  /** The named images as blocks. One line tells the person which images are sent, or why an image is not. */
  attach(words: string): readonly UserBlock[] {
    const { catalog, main } = this.#parts;
    const { engine, state } = main();
    const named = imageNumbers(words).flatMap((number) => {
      const image = this.#images.get(number) ?? this.#fromLeft(number);
      return image ? [{ ...image, mark: imageMark(number) }] : [];
    });
    if (named.length === 0) return [];
    const marks = named.map(({ mark }) => mark).join(", ");
    const { model } = state.model;
    if (!catalog.capabilities(model).images) {
      engine.notify(`${marks} ${named.length === 1 ? "was" : "were"} not sent: ${model} takes no images.`);
      return [{ type: "text", text: `${marks}: not attached, since this model takes no images.` }];
    }
    engine.notify(`Attached ${named.map(({ mark, size }) => `${mark} (${size})`).join(", ")}.`, "info");
    return named.flatMap(({ mark, block }) => [{ type: "text", text: `${mark}:` } as const, block]);
  }

  /** @returns undefined if the bytes are not an image. */
  async #add(bytes: Buffer, name: string): Promise<PastedImages | undefined> {
    const header = imageHeader(bytes);
    if (!header?.width || !header.height) return undefined;
    const { width, height, mediaType } = header;
    const isChecked = mediaType === "image/png" || mediaType === "image/jpeg";
    if (isChecked && width * height <= MAX_CHECKED_PIXELS && (await isDamaged(bytes))) return undefined;
    const fits = bytes.length <= MAX_FILE_BYTES && Math.max(width, height) <= MAX_SIDE_PIXELS;
    const sent = fits
      ? { bytes, mediaType }
      : await shrinkImage(bytes, { maxSide: MAX_SIDE_PIXELS, maxBytes: MAX_FILE_BYTES });
    if (!sent) return { problem: `${name} is too large (${width}×${height}): paste a smaller copy.` };
    const number = this.#nextNumber();
    const block = { type: "image", mediaType: sent.mediaType, data: sent.bytes.toString("base64") } as const;
    this.#images.set(number, { block, size: `${width}×${height}` });
    return { marks: [imageMark(number)] };
  }

  /** The image of a prompt that a rewind has put back into the editor, also one of an earlier process. */
  #fromLeft(number: number): StoredImage | undefined {
    const name = `${imageMark(number)}:`;
    for (const entry of this.#parts.main().engine.conversation.leftByRewind().toReversed()) {
      const content: readonly UserBlock[] = entry.kind === "user" ? entry.message.content : [];
      const at = content.findIndex((one) => one.type === "text" && one.text === name);
      const block = at < 0 ? undefined : content[at + 1];
      if (block?.type !== "image") continue;
      const { width, height } = imageHeader(Buffer.from(block.data, "base64")) ?? {};
      const image = { block, size: `${width ?? "?"}×${height ?? "?"}` };
      this.#images.set(number, image);
      return image;
    }
    return undefined;
  }

  /** Each number is used only once in a conversation, even after it is resumed or rewound. */
  #nextNumber(): number {
    const { prompts, conversation } = this.#parts.main().engine;
    const left = conversation.leftByRewind().flatMap((entry) => (entry.kind === "user" ? [entry.prompt] : []));
    const used = [...prompts.map(({ text }) => text), ...left].flatMap(imageNumbers);
    this.#last = Math.max(this.#last, ...used) + 1;
    return this.#last;
  }
}

/** The maximum length of a piece in a message to a person. */
const MAX_PIECE_CHARS = 200;

/** Thrown inside the package where the meaning of a source is no longer certain; `parse` turns it into an answer. */
export class NotUnderstood extends Error {
  override name = "NotUnderstood";
  readonly piece: string;
  constructor(
    readonly reason: string,
    piece: string,
  ) {
    super(reason);
    this.piece = piece.length > MAX_PIECE_CHARS ? `${piece.slice(0, MAX_PIECE_CHARS)}…` : piece;
  }
}

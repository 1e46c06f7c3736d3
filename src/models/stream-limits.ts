// Limits on reading a model server's answer, the same for every client.

export type ReadLimits = {
  /** Maximum wait for the next token. */
  readonly idleMs: number
  readonly lineBytes: number
  readonly responseBytes: number
  /** More than any model needs: an event has three or more lines, an answer fewer events than this allows. */
  readonly lines: number
}

export const defaultLimits: ReadLimits = {
  idleMs: 120_000,
  lineBytes: 4 * 1024 * 1024,
  responseBytes: 32 * 1024 * 1024,
  lines: 1_000_000,
}

/** An answer that is no stream, which is parsed at once: twice the text that a turn takes, since letters may be escaped. */
export const maxWholeBytes = 8 * 1024 * 1024
/** An error's body is read to this length. */
export const maxErrorBytes = 64 * 1024
/** The context window, in tokens, of a model without a known one. */
export const defaultWindow = 128_000

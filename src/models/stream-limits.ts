// How much of a model server's answer is read, and how long the next token is awaited: the same for every client.

export type ReadLimits = {
  /** Longest wait for the next token. */
  readonly idleMs: number
  readonly lineBytes: number
  readonly responseBytes: number
  /** Three or more lines an event, and no model has as many tokens. */
  readonly lines: number
}

export const defaultLimits: ReadLimits = {
  idleMs: 120_000,
  lineBytes: 4 * 1024 * 1024,
  responseBytes: 32 * 1024 * 1024,
  lines: 1_000_000,
}

/** Of an error's body, only so much is read. */
export const maxErrorBytes = 64 * 1024
/** Of a model that nobody knows. */
export const defaultWindow = 128_000

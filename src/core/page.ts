// Pages of lists, newest first.

export type PageQuery = {
  readonly limit: number
  /** `nextCursor` of the page before. */
  readonly cursor?: string
}

export type Page<T> = { readonly rows: readonly T[]; readonly nextCursor?: string }

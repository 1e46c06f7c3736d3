// Pages of lists, newest first.

export type PageQuery = {
  readonly limit: number
  /** `nextCursor` of the page before. */
  readonly cursor?: string
}

export type Page<T> = { readonly rows: readonly T[]; readonly nextCursor?: string }

/** The rows of all pages. */
export async function* allRows<T>(pageAfter: (cursor: string | undefined) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | undefined
  do {
    const { rows, nextCursor } = await pageAfter(cursor)
    yield* rows
    cursor = nextCursor
  } while (cursor !== undefined)
}

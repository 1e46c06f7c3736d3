// Lists that the gateway gives in pages.

export type Page<T> = { readonly rows: readonly T[]; readonly next: string | null }

/** Reads the first pages of a list; `more` is true where it goes on after them. */
export async function readPages<T>(
  max: number,
  read: (cursor: Readonly<Record<string, string>>) => Promise<Page<T>>,
): Promise<{ readonly rows: readonly T[]; readonly more: boolean }> {
  const rows: T[] = []
  let next: string | null = null
  for (let page = 0; page < max; page++) {
    const found: Page<T> = await read(next === null ? {} : { cursor: next })
    rows.push(...found.rows)
    next = found.next
    if (next === null) break
  }
  return { rows, more: next !== null }
}

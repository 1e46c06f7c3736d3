// The query fields that lists share.
import * as z from 'zod/mini'
import { isUuid } from '#core/ids.ts'

/** How many rows; more than the most counts as the most. */
export function limit({ usual, most }: { usual: number; most: number }) {
  return z.pipe(
    z._default(z.string().check(z.regex(/^[1-9]\d{0,8}$/, 'must be a whole number of 1 or more')), String(usual)),
    z.transform((text) => Math.min(Number(text), most)),
  )
}

/** Where the last page ended, as it was told there. */
export const cursor = z.optional(z.string().check(z.refine(isUuid, 'must be the next_cursor of a page before')))

/** A sequence number of a thread. */
export const after = z.pipe(
  z._default(z.string().check(z.regex(/^\d{1,15}$/, 'must be a sequence number')), '0'),
  z.transform(Number),
)

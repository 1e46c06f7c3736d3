// Query fields shared by the list routes.
import * as z from 'zod/mini'
import { isUuid } from '#core/ids.ts'

/** The number of rows. Values above the maximum are lowered to it. */
export function limit({ defaultLimit, maxLimit }: { defaultLimit: number; maxLimit: number }) {
  return z.pipe(
    z._default(
      z.string().check(z.regex(/^[1-9]\d{0,8}$/, 'must be a whole number of 1 or more')),
      String(defaultLimit),
    ),
    z.transform((text) => Math.min(Number(text), maxLimit)),
  )
}

/** The `next_cursor` of the page before. */
export const cursor = z.optional(z.string().check(z.refine(isUuid, 'must be the next_cursor of a page before')))

/** The seq of a thread's item after which to read; 0 reads from the beginning. */
export const after = z.pipe(
  z._default(z.string().check(z.regex(/^\d{1,15}$/, 'must be a sequence number')), '0'),
  z.transform(Number),
)

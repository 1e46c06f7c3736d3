// Path and query of requests, and the pages that lists are answered with.
import type { FastifyRequest } from 'fastify'
import { isObject } from '#core/json.ts'

const defaultPage = 20
const maxPage = 100

/** The id in the path. */
export function idOf({ params }: FastifyRequest): string {
  return isObject(params) ? String(params['id']) : ''
}

/** The id of an item in the path. */
export function itemIdOf({ params }: FastifyRequest): string {
  return isObject(params) ? String(params['item']) : ''
}

export function queryOf({ query }: FastifyRequest): Readonly<Record<string, string | undefined>> {
  if (!isObject(query)) return {}
  return Object.fromEntries(
    Object.entries(query).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  )
}

export type PageQuery = {
  readonly order: 'asc' | 'desc'
  /** The id of the item that the page follows. */
  readonly after?: string
  readonly size: number
}

/** Newest first, unless `order=asc`. A malformed limit counts as none. */
export function pageQuery(request: FastifyRequest): PageQuery {
  const { order, after, limit } = queryOf(request)
  return {
    order: order === 'asc' ? 'asc' : 'desc',
    ...(after !== undefined && { after }),
    size: Math.min(Math.max(Math.trunc(Number(limit ?? defaultPage)) || defaultPage, 1), maxPage),
  }
}

export function pageOf<T extends { readonly id: string }>(data: readonly T[], more: boolean) {
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: more,
  }
}

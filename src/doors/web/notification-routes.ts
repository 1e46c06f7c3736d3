// Routes of notifications: each user's own ways, quiet hours and outbox.
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import { isUuid } from '#core/ids.ts'
import { type Route, route } from '#http/routes.ts'
import { entryWire, testWire, viewWire, wayWire } from '#reach/notification-wire.ts'
import type { Notifications } from '#reach/notifications.ts'
import { NotificationsAnswer, OutboxAnswer, TestAnswer, WayWire } from '#doors/web/wire/notification.ts'
import { cursor, limit } from './paging.ts'

const text = z.string().check(z.maxLength(8_192))
const events = z.optional(z.array(text).check(z.maxLength(10)))
const content = z.optional(z.boolean())
const WayBody = z.object({
  kind: text,
  url: z.optional(text),
  subscription: z.optional(z.object({ endpoint: text, keys: z.object({ p256dh: text, auth: text }) })),
  events,
  content,
  /** The browser of a subscription, in words. */
  label: z.optional(text),
  /** The endpoint that the browser had before. */
  replaces: z.optional(text),
})
const ChangeBody = z.object({ events, content })
const QuietBody = z.object({
  quiet: z.nullable(z.object({ from: text, to: text, zone: z.optional(text) })),
})
const OutboxQuery = z.object({ limit: limit({ defaultLimit: 50, maxLimit: 200 }), cursor })

/** Notifications are loaded at the first request. */
export type NotificationRouteParts = { readonly notifications: () => Promise<Notifications> }

export function notificationRoutes({ notifications }: NotificationRouteParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/notifications',
      who: 'user',
      summary: 'Your ways to be notified and your quiet hours',
      answers: { 200: NotificationsAnswer },
      handle: async ({ caller: { user } }) =>
        viewWire(await (await notifications()).view(user)) satisfies z.output<typeof NotificationsAnswer>,
    }),
    route({
      method: 'PATCH',
      path: '/api/notifications',
      who: 'user',
      summary: 'Set your quiet hours; null switches them off',
      body: QuietBody,
      answers: { 200: NotificationsAnswer },
      async handle({ body: { quiet }, caller: { user } }) {
        const all = await notifications()
        await all.setQuiet(user, quiet)
        return viewWire(await all.view(user))
      },
    }),
    route({
      method: 'POST',
      path: '/api/notifications/ways',
      who: 'user',
      summary: 'Add a way: an ntfy topic by its url, or a browser by its push subscription',
      body: WayBody,
      answers: { 201: WayWire },
      async handle({ body: { label: browser, ...body }, caller: { user } }, reply) {
        const added = await (await notifications()).addWay(user, { ...body, browser })
        return reply.code(201).send(wayWire(added))
      },
    }),
    route({
      method: 'PATCH',
      path: '/api/notifications/ways/:id',
      who: 'user',
      summary: 'Choose the events of a way, and whether messages have the words of a thread',
      body: ChangeBody,
      answers: { 200: WayWire },
      handle: async ({ params, body, caller: { user } }) =>
        wayWire(await (await notifications()).changeWay(user, idOf(params.id), body)),
    }),
    route({
      method: 'DELETE',
      path: '/api/notifications/ways/:id',
      who: 'user',
      summary: 'Remove a way, or the note about one that was gone',
      answers: { 204: null },
      async handle({ params, caller: { user } }, reply) {
        await (await notifications()).removeWay(user, idOf(params.id))
        return reply.code(204).send()
      },
    }),
    route({
      method: 'POST',
      path: '/api/notifications/ways/:id/test',
      who: 'user',
      counted: true,
      summary: 'Send a test message by a way',
      answers: { 200: TestAnswer },
      handle: async ({ params, caller: { user } }) =>
        testWire(await (await notifications()).test(user, idOf(params.id))) satisfies z.output<typeof TestAnswer>,
    }),
    route({
      method: 'GET',
      path: '/api/notifications/outbox',
      who: 'user',
      summary: 'What was sent to you and what is due, newest first',
      query: OutboxQuery,
      answers: { 200: OutboxAnswer },
      async handle({ query: { limit, cursor }, caller: { user } }) {
        const page = await (await notifications()).outbox(user, { limit, ...(cursor && { cursor }) })
        return { outbox: page.rows.map(entryWire), next_cursor: page.nextCursor ?? null } satisfies z.output<
          typeof OutboxAnswer
        >
      },
    }),
  ]
}

function idOf(id: string): string {
  if (!isUuid(id)) throw new AppError('not_found', 'the way does not exist')
  return id
}

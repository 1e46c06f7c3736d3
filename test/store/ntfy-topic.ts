// A topic of ntfy as a way of notification, news for it, and its entries in the outbox.
import { type NewNews, newsEvents, type NewWay, type NotificationWay } from '#core/notification.ts'
import type { Store } from '#core/store.ts'
import type { UserId } from '#core/ids.ts'
import { ada } from './harness.ts'

export const topic: NewWay = {
  kind: 'ntfy',
  target: 'https://ntfy.test/secret-topic',
  label: 'ntfy.test',
  events: newsEvents,
  content: false,
}
export const newsOf = (subject: string, over: Partial<NewNews> = {}): NewNews => ({
  event: 'finished',
  subject,
  ...over,
})
export const addWay = (store: Store, user: UserId = ada, over: Partial<NewWay> = {}): Promise<NotificationWay> =>
  store.notifications.addWay(user, { ...topic, ...over }, 20)

export async function stateOf(store: Store, id: string) {
  return (await store.notifications.outbox(ada, { limit: 99 })).rows.find((each) => each.id === id)
}

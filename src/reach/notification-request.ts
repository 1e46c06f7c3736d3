// One request about notifications as data: commands send it to a running service, or handle it themselves.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { testWire, viewWire, wayWire } from './notification-wire.ts'
import type { Notifications, WayInput } from './notifications.ts'

export type NotificationRequest =
  | { readonly do: 'list' }
  | { readonly do: 'add'; readonly way: WayInput }
  | { readonly do: 'remove'; readonly id: string }
  /** Tests one way, or all. */
  | { readonly do: 'test'; readonly id?: string }
  | {
      readonly do: 'quiet'
      readonly quiet: { readonly from: string; readonly to: string; readonly zone?: string } | null
    }

export type WayJson = ReturnType<typeof wayWire>
export type NotificationsJson = ReturnType<typeof viewWire>
export type TestedJson = ReturnType<typeof testWire> & { readonly way: WayJson }

/** The answer is JSON: the notifications of the user, a way, or what became of tests. */
export async function answerRequest(
  notifications: Notifications,
  user: UserId,
  request: NotificationRequest,
): Promise<unknown> {
  switch (request.do) {
    case 'list':
      return viewWire(await notifications.view(user))
    case 'add':
      return wayWire(await notifications.addWay(user, request.way))
    case 'remove':
      return notifications.removeWay(user, request.id)
    case 'test':
      return test(notifications, user, request.id)
    case 'quiet':
      await notifications.setQuiet(user, request.quiet)
      return viewWire(await notifications.view(user))
    default:
      return request satisfies never
  }
}

async function test(notifications: Notifications, user: UserId, id: string | undefined): Promise<TestedJson[]> {
  const { ways } = await notifications.view(user)
  const chosen = ways.filter((way) => id === undefined || way.id === id)
  if (chosen.length === 0 && id !== undefined) throw new AppError('not_found', 'the way does not exist')
  return Promise.all(
    chosen.map(async (way) => ({ ...testWire(await notifications.test(user, way.id)), way: wayWire(way) })),
  )
}

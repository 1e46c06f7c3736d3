// Notifications: the ways to this user, quiet hours, and Web Push on this device.
import { signal } from '@preact/signals'
import type { NotificationSettings, TestOutcome, Way } from '#doors/web/wire/notification.ts'
import { faultText, request } from '../api/client.ts'
import { loaded } from './loaded.ts'

const testMs = 40_000

export const notifications = loaded(() => request<NotificationSettings>('GET', '/api/notifications'))

export type NewsEvent = Way['events'][number]
export type Quiet = NonNullable<NotificationSettings['quiet']>

/** The push endpoint of this browser, if it is subscribed. */
export const ownEndpoint = signal<string | undefined>(undefined)

/** Why this browser cannot be notified; undefined if it can. */
export function pushProblem(): string | undefined {
  if (!isSecureContext) return 'Browsers allow notifications only over HTTPS, or on localhost.'
  if (!('serviceWorker' in navigator) || !('PushManager' in globalThis)) {
    return 'This browser cannot be notified. On an iPhone, add Atrium to the home screen first.'
  }
  if (Notification.permission === 'denied') {
    return 'This browser refuses notifications from Atrium: allow them in its settings for this site.'
  }
  return undefined
}

/** True once the browser lets this page notify, also without a push service. */
export const allowedHere = signal(globalThis.Notification?.permission === 'granted')

/** Asks the browser to let this page notify while it is in the background. Throws an Error with words for the user. */
export async function allowHere(): Promise<void> {
  const problem = pushProblem()
  if (problem !== undefined) throw new Error(problem)
  allowedHere.value = (await Notification.requestPermission()) === 'granted'
  if (!allowedHere.value) throw new Error(pushProblem() ?? 'Notifications were not allowed.')
}

/** Looks whether this browser is subscribed. */
export async function findSubscription(): Promise<void> {
  if (pushProblem() !== undefined) return
  const registration = await navigator.serviceWorker.getRegistration('/')
  ownEndpoint.value = (await registration?.pushManager.getSubscription())?.endpoint
}

/** Subscribes this browser and adds it as a way. Throws ApiFault, or an Error with words for the user. */
export async function enableHere(pushKey: string): Promise<void> {
  await allowHere()
  await navigator.serviceWorker.register('/service-worker.js')
  const { pushManager } = await navigator.serviceWorker.ready
  // A subscription is bound to the key that it was made with.
  const before = await pushManager.getSubscription()
  await before?.unsubscribe()
  const subscription = await subscribe(pushManager, pushKey)
  const body = { kind: 'push', subscription, label: browserName(), ...(before && { replaces: before.endpoint }) }
  await request<Way>('POST', '/api/notifications/ways', { body })
  ownEndpoint.value = subscription.endpoint
  await notifications.load()
}

async function subscribe(pushManager: PushManager, applicationServerKey: string): Promise<PushSubscription> {
  try {
    return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
  } catch (error) {
    throw new Error(`The push service of this browser was not reached: ${faultText(error)}`, { cause: error })
  }
}

/** Adds an ntfy topic. Throws ApiFault. */
export async function addTopic(url: string): Promise<void> {
  await request<Way>('POST', '/api/notifications/ways', { body: { kind: 'ntfy', url } })
  await notifications.load()
}

/** Throws ApiFault. */
export async function changeWay(id: string, change: Partial<Pick<Way, 'events' | 'content'>>): Promise<void> {
  await request<Way>('PATCH', pathOf(id), { body: change })
  await notifications.load()
}

/** Removes a way, also in this browser, or the note about one that was gone. Throws ApiFault. */
export async function removeWay(id: string): Promise<void> {
  const way = notifications.data.peek()?.ways.find((each) => each.id === id)
  await request('DELETE', pathOf(id))
  if (way?.url !== undefined && way.url === ownEndpoint.peek()) await unsubscribeHere()
  await notifications.load()
}

/** Removes the way of this browser, if it has one. Throws ApiFault. */
export async function disableHere(): Promise<void> {
  await findSubscription()
  const endpoint = ownEndpoint.peek()
  if (endpoint === undefined) return
  const { ways } = await request<NotificationSettings>('GET', '/api/notifications')
  const own = ways.find(({ url }) => url === endpoint)
  if (own) await request('DELETE', pathOf(own.id))
  await unsubscribeHere()
}

/** Ends the subscription of this browser: nothing is shown in it any more. */
async function unsubscribeHere(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration('/')
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
  ownEndpoint.value = undefined
}

/** Throws ApiFault. */
export async function testWay(id: string): Promise<TestOutcome> {
  const outcome = await request<TestOutcome>('POST', `${pathOf(id)}/test`, { body: {}, deadlineMs: testMs })
  if (outcome.outcome === 'gone') await notifications.load()
  return outcome
}

/** Throws ApiFault. */
export async function setQuiet(quiet: Quiet | null): Promise<void> {
  notifications.data.value = await request<NotificationSettings>('PATCH', '/api/notifications', { body: { quiet } })
}

/** This browser in words: "Firefox on Linux". */
function browserName(): string {
  const { userAgent } = navigator
  const find = (names: readonly (readonly [pattern: RegExp, name: string])[], other: string): string =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? other
  return `${find(browsers, 'A browser')} on ${find(systems, 'a device')}`
}

const browsers = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS/, 'Firefox'],
  [/Chrome\/|CriOS/, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const
const systems = [
  [/Android/, 'Android'],
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Windows/, 'Windows'],
  [/Mac OS/, 'Mac'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
] as const

function pathOf(id: string): string {
  return `/api/notifications/ways/${encodeURIComponent(id)}`
}

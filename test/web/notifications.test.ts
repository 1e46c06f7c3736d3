// Notifications in a real browser: this device by Web Push, its service worker, ntfy, quiet hours, ways that were gone.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { NotificationSettings } from '#doors/web/wire/notification.ts'
import { openPushService } from '../reach/push-service.ts'
import { patienceMs, until } from '../until.ts'
import { follow, useSite } from './browser.ts'
import { noBrowser } from './launch.ts'

const skip = noBrowser('whole')
const service = await openPushService()
after(() => service.close())
const site = useSite({
  script: { loop: true, replies: [{ when: 'endless', text: 'working', delayMs: 3_600_000 }, { text: 'Hello' }] },
  env: { ATRIUM_PRIVATE_HOSTS: service.host },
  browser: 'whole',
})

/** How long a message that was pushed is waited for at first. */
const minPushMs = 1_000

/** No push service is reached in tests: the browser subscribes at ours, which hands on what it got. */
async function subscribeHere(page: Page): Promise<void> {
  await page.addInitScript(`{
    const { endpoint, keys } = ${JSON.stringify(service.subscription)}
    let subscribed = null
    const subscription = {
      endpoint, keys, toJSON: () => ({ endpoint, keys }),
      unsubscribe: async () => { subscribed = null; return true },
    }
    PushManager.prototype.subscribe = async () => (subscribed = subscription)
    PushManager.prototype.getSubscription = async () => subscribed
  }`)
}

/** Hands a payload to the service worker, as the browser does when it comes from a push service. */
async function deliver(page: Page): Promise<(payload: unknown) => Promise<void>> {
  const session = await page.context().newCDPSession(page)
  const found = Promise.withResolvers<string>()
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const [first] = registrations
    if (first) found.resolve(first.registrationId)
  })
  await session.send('ServiceWorker.enable')
  const registrationId = await found.promise
  return async (payload) => {
    const data = JSON.stringify(payload)
    await session.send('ServiceWorker.deliverPushMessage', { origin: site.url, registrationId, data })
  }
}

const shownIn = (page: Page) =>
  page.evaluate(`navigator.serviceWorker.ready.then(async (ready) =>
    (await ready.getNotifications()).map(({ title, body }) => title + ': ' + body))`) as Promise<string[]>
const stored = () => site.call<NotificationSettings>('GET', '/api/notifications')

test('a device is enabled, gets a message through its push service, and opens its thread', { skip }, async (t) => {
  // Not the app: it is loaded once the browser has what the test gives it.
  const page = await site.open(t, '/sign-in.json', { permissions: ['notifications'] })
  await subscribeHere(page)
  await page.goto(`${site.url}/settings/notifications`)
  await page.getByText('It tells you when a turn ends or waits.').waitFor()
  await page.getByRole('button', { name: 'Enable on this device' }).click()
  const row = page.getByRole('group', { name: 'Chrome on Linux' })
  await row.getByText('this device').waitFor()
  await row.getByRole('button', { name: 'Test Chrome on Linux' }).click()
  await until(() => service.pushed.length === 1)
  const push = await deliver(page)
  let pushed = 0
  /**
   * Delivers messages until something holds: the browser drops those that come while it starts the service worker. Each
   * time it is longer waited for, lest messages come faster than the worker shows them.
   */
  const pushUntil = async (payloads: readonly unknown[], holds: () => Promise<boolean>): Promise<void> => {
    for (let waitMs = minPushMs; waitMs < patienceMs; waitMs *= 2) {
      for (const payload of payloads) await push(payload)
      pushed += payloads.length
      const came = await until(holds, waitMs).then(
        () => true,
        () => false,
      )
      if (came) return
    }
    assert.fail(`what is shown is not what was waited for: ${JSON.stringify(await shownIn(page))}`)
  }
  await pushUntil([service.pushed[0]?.payload], async () => (await shownIn(page)).length === 1)
  assert.deepEqual(await shownIn(page), ['Atrium: A test message: this way works.'])
  const { thread_id: id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'hello' })
  const finished = { title: 'Atrium has finished', body: 'hello', path: `/threads/${id}`, tag: id }
  await pushUntil([finished], async () => (await shownIn(page)).includes('Atrium has finished: hello'))
  // The browser stops a service worker that was idle, and starts it anew: it is clicked in the one that runs.
  await pushUntil([finished], async () => {
    const [worker] = page.context().serviceWorkers()
    const click = `registration.getNotifications({ tag: '${id}' }).then(([notification]) =>
      dispatchEvent(new NotificationEvent('notificationclick', { notification })))`
    await worker?.evaluate(click).catch(() => {})
    return new URL(page.url()).pathname === `/threads/${id}`
  })
  // A browser that was offline gets all at once: more than five become one.
  const burst = ['0', '1', '2', '3', '4', 'last'].map((tag) => ({ title: 'A', body: 'b', path: '/', tag }))
  let count = 0
  await pushUntil(burst, async () => {
    const shown = await shownIn(page)
    count = Number(/^Atrium: There are (\d+) news\.$/.exec(shown[0] ?? '')?.[1])
    return shown.length === 1 && count > 0
  })
  assert(count >= burst.length && count <= pushed, `${pushed} messages became ${count}`)
})

test('topics, events, content, quiet hours and ways that were gone are shown and changed', { skip }, async (t) => {
  const page = await site.visit(t, '/settings/notifications')
  await page.getByRole('button', { name: 'Add ntfy topic' }).click()
  const address = page.getByRole('textbox', { name: 'Address of the topic' })
  await address.fill('http://192.168.0.1/topic')
  await address.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'Url is refused: 192.168.0.1 is a private address' }).waitFor()
  const url = `${service.origin}/topic`
  await address.fill(url)
  await address.press('Enter')
  const row = page.getByRole('group', { name: url })
  await row.getByRole('checkbox', { name: 'Finished' }).uncheck()
  await row.getByRole('switch').click()
  await until(async () => {
    const way = (await stored()).ways.find((each) => each.url === url)
    return way?.content === true && way.events.join() === 'needs_you,failed'
  })
  const form = page.getByRole('form', { name: 'Quiet hours' })
  await form.getByLabel('From').fill('21:30')
  await form.getByRole('textbox', { name: 'Time zone' }).fill('Mars')
  await form.getByRole('button', { name: 'Switch on' }).click()
  await form.getByRole('alert').filter({ hasText: 'no time zone' }).waitFor()
  await form.getByRole('textbox', { name: 'Time zone' }).fill('Europe/Zurich')
  await form.getByRole('button', { name: 'Switch on' }).click()
  await form.getByRole('button', { name: 'Switch off' }).waitFor()
  assert.deepEqual((await stored()).quiet, { from: '21:30', to: '07:00', zone: 'Europe/Zurich' })
  // The stand-in refuses what is no push with 400: the way stays, and the page says so.
  await row.getByRole('button', { name: `Test ${url}` }).click()
  await page.getByText('The test did not arrive. the ntfy server answered 400').waitFor()
  await row.getByRole('button', { name: `Disconnect ${url}` }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Disconnect ${url}` })
    .click()
  await row.waitFor({ state: 'detached' })
  const browser = (await stored()).ways[0]
  service.answers.push(410)
  await site.call('POST', `/api/notifications/ways/${browser?.id}/test`, {})
  await site.visit(t, '/settings/notifications')
  await page.getByText('It could not be reached any more: the push service answered 410').waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await page.getByText('It could not be reached any more').waitFor({ state: 'detached' })
  assert.deepEqual((await stored()).removed, [])
})

test('a page in the background tells of a turn that ends, in its title and by a notification', { skip }, async (t) => {
  const page = await site.visit(t, '/settings/notifications')
  await page.context().grantPermissions(['notifications'])
  await page.getByRole('button', { name: 'Allow notifications' }).click()
  await page.getByText('It tells you when a turn ends or waits.').waitFor()
  await follow(page, '/')
  await page.getByRole('textbox', { name: 'Message' }).fill('an endless one')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  await page.evaluate(`Object.defineProperty(document, 'hidden', { get: () => !globalThis.looks, configurable: true })
    ServiceWorkerRegistration.prototype.showNotification = async (title, { body, tag }) => {
      globalThis.told = title + ': ' + body + ' ' + tag
    }
    document.dispatchEvent(new Event('visibilitychange'))`)
  const chunk = `performance.getEntriesByType('resource').map(({ name }) => name).find((name) => /background-news/.test(name))`
  await until(async () => (await page.evaluate(chunk)) !== undefined)
  // It has looked at the lists once it is loaded.
  await page.evaluate(`import(${chunk}).then(() => {})`)
  const running = async () => (await site.call<{ jobs: { id: string }[] }>('GET', '/api/jobs?status=running')).jobs
  await until(async () => (await running()).length === 1)
  for (const { id } of await running()) await site.call('POST', `/api/jobs/${id}/cancel`)
  await until(async () => (await page.title()).startsWith('Finished · '))
  await until(async () => String(await page.evaluate('globalThis.told')).startsWith('an endless one: Finished'))
  await page.evaluate(`globalThis.looks = true; document.dispatchEvent(new Event('visibilitychange'))`)
  await until(async () => (await page.title()).startsWith('an endless one'))
  await page.context().clearPermissions()
})

// The service worker: shows what is pushed to this browser, and opens its thread. It keeps no files and sees no requests.

/** More notifications than this become one: a phone that was offline gets no storm. */
const maxShown = 5
const icon = '/icon-192.png'
const manyTag = 'many'

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

// One after the other, so that each sees what is shown: a browser that was offline gets all at once.
let showing = Promise.resolve()
self.addEventListener('push', (event) => {
  const work = () => show(payloadOf(event.data))
  showing = showing.then(work, work)
  event.waitUntil(showing)
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data?.path ?? '/'))
})

// The push service gave this browser another address.
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event)))

/** A push without a payload that can be read is news all the same: browsers want to see something. */
function payloadOf(data) {
  try {
    const { title, body, path, tag } = data.json()
    return { title: String(title), body: String(body), path: String(path), tag: String(tag) }
  } catch {
    return { title: 'Atrium', body: 'There is news.', path: '/', tag: 'news' }
  }
}

async function show({ title, body, path, tag }) {
  const { registration } = self
  const shown = (await registration.getNotifications()).filter((each) => each.tag !== tag)
  const before = shown.reduce((sum, each) => sum + (each.data?.count ?? 1), 0)
  if (before < maxShown) {
    await registration.showNotification(title, { body, tag, icon, badge: icon, data: { path, count: 1 } })
    return
  }
  const count = before + 1
  const words = `There are ${count} news.`
  await registration.showNotification('Atrium', {
    body: words,
    tag: manyTag,
    icon,
    badge: icon,
    data: { path: '/', count },
  })
  for (const each of shown) if (each.tag !== manyTag) each.close()
}

/** Shows the thread in a window of the app, or in a new one. Only addresses of this site are opened. */
async function open(path) {
  const url = new URL(path, self.location.origin)
  if (url.origin !== self.location.origin) return
  const [window] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (!window) {
    await self.clients.openWindow(url.href)
    return
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a client of this worker, not a window
  window.postMessage({ open: url.pathname })
  // A browser that does not take this for an act of the user leaves the window where it is.
  await window.focus().catch(() => {})
}

async function renew({ newSubscription, oldSubscription }) {
  const options = oldSubscription?.options
  const subscription = newSubscription ?? (options && (await self.registration.pushManager.subscribe(options)))
  if (!subscription) return
  await fetch('/api/notifications/ways', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    // The choices for this browser stay.
    body: JSON.stringify({ kind: 'push', subscription, replaces: oldSubscription?.endpoint }),
  })
}

// The service worker without a browser: what is shown of many messages that come at once.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'

const source = readFileSync(join(import.meta.dirname, '..', '..', 'web', 'public', 'service-worker.js'), 'utf8')

type Shown = { title: string; body: string; tag: string; data: { count: number }; close(): void }
type Push = { data: { json(): unknown }; waitUntil(work: Promise<unknown>): void }

/** The worker on a device that shows what it is told to: one notification for each tag. */
function startWorker() {
  const shown = new Map<string, Shown>()
  let onPush: ((event: Push) => void) | undefined
  const self = {
    addEventListener(name: string, act: (event: Push) => void) {
      if (name === 'push') onPush = act
    },
    registration: {
      getNotifications: () => Promise.resolve([...shown.values()]),
      showNotification(title: string, options: Omit<Shown, 'title' | 'close'>) {
        const close = (): void => void shown.delete(options.tag)
        shown.set(options.tag, { title, ...options, close })
        return Promise.resolve()
      },
    },
  }
  runInNewContext(source, { self })
  /** Delivers messages at once, and waits until they are shown. */
  const push = async (...payloads: readonly (object | string)[]): Promise<string[]> => {
    const works: Promise<unknown>[] = []
    for (const payload of payloads) {
      const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
      onPush?.({ data: { json: () => JSON.parse(text) as unknown }, waitUntil: (work) => void works.push(work) })
    }
    await Promise.all(works)
    return [...shown.values()].map(({ title, body }) => `${title}: ${body}`)
  }
  return { push }
}

const news = (tag: string) => ({ title: 'A', body: tag, path: '/', tag })

test('five messages are shown each, more than five become one that counts them', async () => {
  const { push } = startWorker()
  const five = ['1', '2', '3', '4', '5']
  assert.deepEqual(
    await push(...five.map(news)),
    five.map((tag) => `A: ${tag}`),
  )
  assert.deepEqual(await push(news('6')), ['Atrium: There are 6 news.'])
  assert.deepEqual(await push(news('7'), news('8')), ['Atrium: There are 8 news.'])
})

test('another message of the same thread replaces the one before', async () => {
  const { push } = startWorker()
  await push(news('1'), news('2'), news('3'), news('4'), news('5'))
  assert.deepEqual((await push({ ...news('3'), body: 'again' })).toSorted(), [
    'A: 1',
    'A: 2',
    'A: 4',
    'A: 5',
    'A: again',
  ])
})

test('a message that cannot be read is news all the same', async () => {
  const { push } = startWorker()
  assert.deepEqual(await push('no JSON'), ['Atrium: There is news.'])
})

// Pictures of a long thread: the newest go to the model, and earlier ones leave its memory too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHistories } from '#agent/history.ts'
import { type History } from '#agent/history-prompt.ts'
import type { Item, Message } from '#core/item.ts'
import { pictureOrigin } from '#core/origins.ts'
import { taintOf } from '#safety/taint.ts'
import { createLog, turnIn } from './history-log.ts'
import { call } from './tools.ts'
import { fence } from '../safety/test-fence.ts'

const url = (at: number): string => `data:image/png;base64,${at}${'A'.repeat(9 * 1024 * 1024)}`
const picture = (at: number): Message => ({
  type: 'message',
  role: 'user',
  content: [
    { type: 'text', text: `look ${at}` },
    { type: 'image', url: url(at) },
  ],
})
/** The pictures of items, each by the first letter of its data. */
const urls = (items: readonly Item[]): string[] => allUrls(items).map((each) => each.slice(22, 23))
const allUrls = (items: readonly Item[]): string[] =>
  items.flatMap((item) =>
    item.type === 'message'
      ? item.content.flatMap((part) => (part.type === 'image' ? [part.url] : []))
      : item.type === 'result'
        ? [...(item.images ?? [])]
        : [],
  )
const notes = ({ prompt }: History): number =>
  prompt.filter((item) => item.type === 'message' && JSON.stringify(item).includes('no longer shown')).length

async function withPictures(count: number) {
  const log = createLog()
  const histories = createHistories({ threads: log.threads, fence })
  const turn = turnIn('a')
  let history = await histories.open({ turn, entries: log.append('a', picture(1)) })
  for (let at = 2; at <= count; at++) history = await histories.open({ turn, entries: log.append('a', picture(at)) })
  return { log, histories, turn, history }
}

test('pictures up to 32 MB stay, and one more leaves the oldest out of prompt and memory', async () => {
  const three = await withPictures(3)
  assert.equal(urls(three.history.prompt).length, 3)
  const { history } = await withPictures(4)
  assert.deepEqual(urls(history.prompt), ['4'])
  assert.deepEqual(urls(history.items), ['4'])
  assert.deepEqual([notes(history), history.prompt.length, history.seq], [3, 4, 4])
  assert.ok(history.bytes < 40 * 1024 * 1024, `${history.bytes} bytes`)
  assert.ok(history.tokens < three.history.tokens)
  assert.equal(taintOf(history.prompt.slice(0, 1)), pictureOrigin, 'and what was said of it is not trusted now')
})

test('a thread that is read again shows the same pictures, also those of results', async () => {
  const { log, turn } = await withPictures(2)
  const images = [3, 4].map(url)
  log.append('a', call('c', 'read'), { type: 'result', callId: 'c', output: 'two', images })
  const cold = await createHistories({ threads: log.threads, fence }).open({ turn, entries: [] })
  assert.deepEqual(urls(cold.prompt), ['3', '4', '3', '4'])
  assert.deepEqual(urls(cold.items), ['3', '4'])
  assert.equal(notes(cold), 2)
  log.append('a', picture(5), picture(6))
  const later = await createHistories({ threads: log.threads, fence }).open({ turn, entries: [] })
  assert.deepEqual(urls(later.prompt), ['6'], 'nor do results keep what is no longer shown')
  assert.deepEqual(urls(later.items), ['6'])
})

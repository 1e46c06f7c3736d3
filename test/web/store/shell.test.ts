// What lasts beyond the page, and what comes by the clock: theme, sidebar, drafts, notices, the state of the link.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { type Answer, fakeDocument, freshPage, gateway, ok, settled, storage, stored } from './page.ts'
import { effect } from '@preact/signals'
import { now, seconds, startClock } from '../../../web/store/clock.ts'
import { hasDraft, keepDocumentDraft, readDraft, writeDraft } from '../../../web/store/drafts.ts'
import { linkDown, linkUp, offlineSecs } from '../../../web/store/link.ts'
import { loaded } from '../../../web/store/loaded.ts'
import { readStored, setStorageUser, writeStored } from '../../../web/store/local-storage.ts'
import { endNotice, notice, notify } from '../../../web/store/notices.ts'
import { service, watchService } from '../../../web/store/service.ts'
import { applyTheme, fold, folded, setTheme, theme } from '../../../web/store/shell.ts'

const themeShown = () => fakeDocument.documentElement.getAttribute('data-theme')
let pages = 0

/** The shell of a page that is opened now. */
function openPage(): Promise<{ readonly theme: typeof theme; readonly folded: typeof folded }> {
  return import(`../../../web/store/shell.ts?page=${++pages}`) as never
}

test('the theme is applied, stored, and read by the next page', async (t) => {
  freshPage(t)
  applyTheme()
  assert.deepEqual([theme.value, themeShown(), folded.value], ['system', undefined, false])
  for (const choice of ['dark', 'light', 'system'] as const) {
    setTheme(choice)
    assert.equal(themeShown(), choice === 'system' ? undefined : choice)
    assert.equal((await openPage()).theme.value, choice)
  }
  storage.local.setItem('atrium.theme', 'nonsense')
  assert.equal((await openPage()).theme.value, 'system')
  storage.blocked = true
  setTheme('dark')
  assert.deepEqual([themeShown(), (await openPage()).theme.value], ['dark', 'system'])
  setTheme('system')
})

test('the sidebar stays folded', async (t) => {
  freshPage(t)
  fold(true)
  assert.deepEqual([folded.value, (await openPage()).folded.value], [true, true])
  fold(false)
  assert.deepEqual([folded.value, (await openPage()).folded.value], [false, false])
  storage.blocked = true
  fold(true)
  assert.equal(folded.value, true)
})

test('a draft is kept by thread and by user, until it is empty', (t) => {
  freshPage(t)
  setStorageUser('ada')
  const seen: string[] = []
  t.after(effect(() => void seen.push(readDraft('a'))))
  assert.equal(hasDraft(), false)
  writeDraft('a', 'half a thought')
  assert.deepEqual([readDraft('a'), readDraft('new'), hasDraft()], ['half a thought', '', true])
  assert.deepEqual(stored(), { 'atrium.ada.draft.a': 'half a thought' })
  setStorageUser('bob')
  assert.deepEqual([readDraft('a'), hasDraft()], ['', false])
  setStorageUser('ada')
  writeDraft('a', '')
  assert.deepEqual([readDraft('a'), hasDraft(), stored()], ['', false, {}])
  assert.deepEqual(seen, ['', 'half a thought', ''])
})

test('unsaved text of memory is a draft; what belongs to another user is none', (t) => {
  freshPage(t)
  setStorageUser('bob')
  writeDraft('a', 'half a thought')
  keepDocumentDraft('people/nadia.md', 'Owns checkout.')
  setStorageUser('ada')
  assert.equal(hasDraft(), false)
  for (const path of ['USER.md', 'notes.2026/may.md', '']) {
    keepDocumentDraft(path, 'Ada runs the shop.')
    assert.equal(hasDraft(), true, path)
    keepDocumentDraft(path, undefined)
    assert.equal(hasDraft(), false, path)
  }
})

test('a draft that another page has written since outlives the sending of this one', (t) => {
  freshPage(t)
  setStorageUser('dana')
  writeDraft('a', 'of this page')
  storage.local.setItem('atrium.dana.draft.a', 'of another page')
  writeDraft('a', '')
  assert.equal(readDraft('a'), '')
  assert.deepEqual(stored(), { 'atrium.dana.draft.a': 'of another page' })
})

test('what another page has written is read; where the browser has no storage the page is its own', (t) => {
  freshPage(t)
  setStorageUser('cleo')
  storage.local.setItem('atrium.cleo.name', 'by another page')
  assert.equal(readStored('name'), 'by another page')
  assert.equal(readStored('none'), undefined)
  storage.blocked = true
  assert.equal(readStored('other'), undefined)
  writeStored('other', 'here')
  assert.equal(readStored('other'), 'here')
  writeDraft('a', 'x')
  assert.equal(hasDraft(), true)
  writeStored('other', undefined)
  assert.equal(readStored('other'), undefined)
})

test('a notice lasts eight seconds; undone, it never ends; another one ends it first', (t) => {
  freshPage(t)
  const done: string[] = []
  const tell = (name: string) =>
    notify(name, { undo: () => void done.push(`undo ${name}`), onEnd: () => void done.push(`end ${name}`) })
  tell('a')
  t.mock.timers.tick(7_999)
  assert.deepEqual([notice.value?.text, done], ['a', []])
  t.mock.timers.tick(1)
  assert.deepEqual([notice.value, done], [undefined, ['end a']])
  tell('b')
  t.mock.timers.tick(5_000)
  const { id } = notice.value ?? assert.fail()
  tell('c')
  assert.deepEqual([notice.value?.id, done.at(-1)], [id + 1, 'end b'])
  t.mock.timers.tick(7_000)
  assert.equal(notice.value?.text, 'c', 'the wait begins anew')
  notice.value?.undo?.()
  t.mock.timers.tick(60_000)
  assert.deepEqual([notice.value, done.slice(2)], [undefined, ['undo c']])
  endNotice()
  notify('plain')
  assert.deepEqual([notice.value?.undo, done.length], [undefined, 3])
  endNotice()
})

test('a break is shown after a second, and counts its seconds', (t) => {
  freshPage(t)
  const seen: (number | undefined)[] = []
  t.after(effect(() => void seen.push(offlineSecs.value)))
  linkDown()
  t.mock.timers.tick(999)
  assert.equal(offlineSecs.value, undefined)
  t.mock.timers.tick(1)
  assert.equal(offlineSecs.value, 1)
  linkDown()
  for (let half = 0; half < 5; half++) t.mock.timers.tick(500)
  assert.equal(offlineSecs.value, 3, 'it is still the same break')
  linkUp()
  t.mock.timers.tick(5_000)
  assert.deepEqual(seen, [undefined, 1, 2, 3, undefined])
})

test('the clock ticks every fifteen seconds; to the second only while somebody follows', (t) => {
  freshPage(t)
  startClock()
  t.mock.timers.tick(15_000)
  assert.equal(now.value, 1_015_000)
  t.mock.timers.tick(14_999)
  assert.equal(now.value, 1_015_000)
  const stops = [seconds.follow(), seconds.follow()]
  assert.equal(seconds.now.value, 1_029_999)
  t.mock.timers.tick(1_000)
  assert.equal(seconds.now.value, 1_030_999)
  stops[0]?.()
  t.mock.timers.tick(1_000)
  assert.equal(seconds.now.value, 1_031_999)
  stops[1]?.()
  t.mock.timers.tick(5_000)
  assert.equal(seconds.now.value, 1_031_999)
  const again = seconds.follow()
  assert.equal(seconds.now.value, 1_036_999)
  t.mock.timers.tick(1_000)
  assert.equal(seconds.now.value, 1_037_999)
  again()
})

test('the service is read now and every thirty seconds, until it is no longer watched', async (t) => {
  freshPage(t)
  gateway.on('GET /api/status', ok({ version: '1' }))
  const stop = watchService()
  await settled()
  assert.deepEqual([gateway.asked.length, service.data.value], [1, { version: '1' }])
  t.mock.timers.tick(60_000)
  assert.equal(gateway.asked.length, 3)
  stop()
  t.mock.timers.tick(60_000)
  assert.equal(gateway.asked.length, 3)
})

/** Data whose reads end when the test says so. */
function pending(t: TestContext) {
  freshPage(t)
  const reads: PromiseWithResolvers<string>[] = []
  const data = loaded(() => {
    const read = Promise.withResolvers<string>()
    reads.push(read)
    return read.promise
  })
  return { data, reads }
}

test('of reads that overlap the last one counts, in whatever order they end', async (t) => {
  const { data, reads } = pending(t)
  const state = () => [data.data.value, data.fault.value, data.loading.value]
  assert.deepEqual(state(), [undefined, undefined, false])
  void data.load()
  void data.load()
  assert.deepEqual(state(), [undefined, undefined, true])
  reads[0]?.resolve('old')
  await settled()
  assert.deepEqual(state(), [undefined, undefined, true])
  reads[1]?.resolve('new')
  await settled()
  assert.deepEqual(state(), ['new', undefined, false])
})

test('a read that fails keeps what was there and says why; the next one forgets it', async (t) => {
  const { data, reads } = pending(t)
  data.data.value = 'before'
  for (let at = 0; at < 3; at++) void data.load()
  reads[0]?.reject(new Error('of the first'))
  await settled()
  assert.deepEqual([data.fault.value, data.loading.value], [undefined, true])
  reads[2]?.reject(new Error('of the last'))
  await settled()
  assert.deepEqual([data.data.value, data.fault.value, data.loading.value], ['before', 'of the last', false])
  void data.load()
  assert.equal(data.fault.value, 'of the last')
  reads[3]?.resolve('after')
  await settled()
  assert.deepEqual([data.data.value, data.fault.value], ['after', undefined])
})

test('an answer of the gateway that is empty is no fault', async (t) => {
  freshPage(t)
  const answer: Answer = { status: 204 }
  gateway.on('GET /api/status', answer)
  await service.load()
  assert.deepEqual([service.data.value, service.fault.value], [undefined, undefined])
})

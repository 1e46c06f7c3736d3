// Which key presses the whole page takes, by a table, and how the palette orders what it finds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PaletteEntry, paletteMatches } from '../../../web/lib/palette.ts'
import { type Place, type Press, type Shortcut, shortcutOf } from '../../../web/lib/shortcuts.ts'

const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, defaultPrevented: false }
const ctrl = { ctrlKey: true }
const page: Place = { writes: false, closes: false, searches: false, finds: false }
const composer: Place = { ...page, writes: true }
const dialog: Place = { ...page, writes: true, closes: true }

const rows: readonly (readonly [name: string, Partial<Press> & { key: string }, Place, Shortcut | undefined])[] = [
  ['Ctrl+K searches the threads', { key: 'k', ...ctrl }, composer, 'search'],
  ['Ctrl+K in the search opens the palette', { key: 'k', ...ctrl }, { ...dialog, searches: true }, 'palette'],
  ['Ctrl+K with Caps Lock is the same', { key: 'K', ...ctrl }, composer, 'search'],
  ['Ctrl+Shift+K is of the browser', { key: 'K', ...ctrl, shiftKey: true }, composer, undefined],
  ['k is a letter', { key: 'k' }, page, undefined],
  ['Cmd+K is not of this system', { key: 'k', metaKey: true }, page, undefined],
  ['Ctrl+Alt+K is another key', { key: 'k', ...ctrl, altKey: true }, page, undefined],
  ['? shows the keys', { key: '?' }, page, 'shortcuts'],
  ['? in a field is written', { key: '?' }, composer, undefined],
  ['Ctrl+/ shows the keys from a field too', { key: '/', ...ctrl }, composer, 'shortcuts'],
  ['Ctrl+F finds in a long thread', { key: 'f', ...ctrl }, { ...composer, finds: true }, 'find'],
  ['Ctrl+F is the search of the browser elsewhere', { key: 'f', ...ctrl }, page, undefined],
  ['f is a letter in a long thread', { key: 'f' }, { ...page, finds: true }, undefined],
  ['Esc in the composer stops', { key: 'Escape' }, composer, 'stop'],
  ['Esc in a dialog closes it', { key: 'Escape' }, dialog, undefined],
  ['a used Esc is over', { key: 'Escape', defaultPrevented: true }, page, undefined],
  ['Enter is nothing here', { key: 'Enter' }, page, undefined],
]

for (const [name, press, place, wanted] of rows) {
  test(name, () => assert.equal(shortcutOf({ ...none, ...press }, place, false), wanted))
}

test('on a Mac it is the Cmd key', () => {
  assert.equal(shortcutOf({ ...none, key: 'k', metaKey: true }, page, true), 'search')
  assert.equal(shortcutOf({ ...none, key: 'k', ctrlKey: true }, page, true), undefined)
})

const entry = (group: PaletteEntry['group'], label: string): PaletteEntry => ({ id: `${group} ${label}`, group, label })
const entries = [
  entry('Actions', 'New thread'),
  entry('Pages', 'Jobs'),
  entry('Threads', 'Plan the jobs of May'),
  entry('Threads', 'Jobs of the week'),
  entry('Threads', 'New garden'),
]
const labels = (typed: string, found: readonly PaletteEntry[] = []): string[] =>
  paletteMatches(entries, typed, found).map(({ label }) => label)

test('the palette has actions first, and threads first once something is typed', () => {
  assert.deepEqual(labels(''), ['New thread', 'Jobs', 'Plan the jobs of May', 'Jobs of the week', 'New garden'])
  assert.deepEqual(labels('jobs'), ['Jobs of the week', 'Plan the jobs of May', 'Jobs'])
  assert.deepEqual(labels('NEW'), ['New garden', 'New thread'])
  assert.deepEqual(labels('may plan'), ['Plan the jobs of May'])
  assert.deepEqual(labels('nothing'), [])
})

test('threads that were found by their messages come behind those whose titles match, once each', () => {
  const found = [entry('Threads', 'Jobs of the week'), entry('Threads', 'A letter')]
  assert.deepEqual(labels('jobs', found), ['Jobs of the week', 'Plan the jobs of May', 'A letter', 'Jobs'])
})

test('of many threads the palette shows a few', () => {
  const many = Array.from({ length: 50 }, (_, at) => entry('Threads', `thread ${at}`))
  assert.equal(paletteMatches(many, '').length, 8)
  assert.equal(paletteMatches(many, 'thread').length, 12)
})

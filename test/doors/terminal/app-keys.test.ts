// The effect of keys by the part of the screen that has the focus: the order of Tab, what Esc leaves, where text goes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeys, type KeyParts } from '#doors/terminal/app-keys.ts'
import type { Focus } from '#doors/terminal/frame.ts'
import { keys } from './drawn.ts'

type State = {
  dialog: boolean
  wide: boolean
  blank: boolean
  offers: number
  complete: boolean
  edge: boolean
  empty: boolean
}

/** Keys over parts that write down what they are asked for. */
function keysWith(own: Partial<State> = {}) {
  const state: State = {
    dialog: false,
    wide: false,
    blank: false,
    offers: 0,
    complete: false,
    edge: true,
    empty: true,
    ...own,
  }
  const done: string[] = []
  const says =
    (name: string) =>
    (...given: readonly unknown[]): void =>
      void done.push([name, ...given].join(' '))
  const open: KeyParts['open'] = { list: undefined }
  const parts = {
    composer: {
      press: says('type'),
      newLine: says('new line'),
      recall: says('recall'),
      atEdge: () => state.edge,
      shown: () => '',
      beforeCursor: () => '',
      get empty() {
        return state.empty
      },
    },
    transcript: {
      scroll: says('scroll'),
      page: says('page'),
      step: says('step'),
      toggle: says('toggle'),
      toEnd: says('end'),
    },
    greeting: { scroll: says('greeting scroll'), page: says('greeting page') },
    approvals: {
      get dialog() {
        return state.dialog ? {} : undefined
      },
      press: says('answer'),
    },
    offers: {
      get list() {
        return Array.from({ length: state.offers })
      },
      move: says('offer'),
      hide: says('hide'),
      look() {},
    },
    submit: { enter: says('send'), complete: () => state.complete },
    open,
    blank: () => state.blank,
    wide: () => state.wide,
    pressPanel: says('panel'),
    back: says('back'),
    clear: says('clear'),
    quit: says('quit'),
  }
  // Only the named verbs of each part are used.
  const made = createKeys(parts as unknown as KeyParts)
  const press = (key: string): string => {
    done.length = 0
    made.press(key)
    return done.join(', ')
  }
  return { keys: made, press, open, state }
}

const orders: readonly [name: string, state: Partial<State>, order: readonly Focus[]][] = [
  ['a narrow terminal', {}, ['composer', 'transcript']],
  ['a narrow terminal with a dialog', { dialog: true }, ['composer', 'dialog', 'transcript']],
  ['a wide terminal', { wide: true }, ['composer', 'transcript', 'panel']],
  ['a wide terminal with a dialog', { wide: true, dialog: true }, ['composer', 'dialog', 'transcript', 'panel']],
]
for (const [name, state, order] of orders) {
  test(`Tab goes round ${name}: ${order.join(', ')}; Shift+Tab goes back`, () => {
    const { keys: made, press } = keysWith(state)
    const after = (key: string): Focus => {
      press(key)
      return made.focus
    }
    assert.equal(made.focus, 'composer')
    assert.deepEqual(
      order.map(() => after(keys.tab)),
      [...order.slice(1), 'composer'],
    )
    assert.deepEqual(
      order.map(() => after(keys.shiftTab)),
      order.toReversed(),
    )
  })
}

test('Tab completes in the composer, and only there', () => {
  const { keys: made, press } = keysWith({ complete: true })
  press(keys.tab)
  assert.equal(made.focus, 'composer')
  made.focus = 'transcript'
  press(keys.tab)
  assert.equal(made.focus, 'composer')
})

test('Esc goes back to the composer, then hides offers, then stops', () => {
  const { keys: made, press, state } = keysWith({ offers: 1 })
  for (const focus of ['transcript', 'panel'] as const) {
    made.focus = focus
    assert.equal(press(keys.escape), '')
    assert.equal(made.focus, 'composer')
  }
  assert.equal(press(keys.escape), 'hide')
  state.offers = 0
  assert.equal(press(keys.escape), 'back')
})

test('Esc and the first sign of a command that arrive together are two keys', () => {
  for (const sign of ['/', '!', '@']) {
    const { keys: made, press } = keysWith()
    assert.equal(press(`\u001b${sign}`), `back, type ${sign}`)
    made.focus = 'transcript'
    assert.equal(press(`\u001b${sign}`), `type ${sign}`)
    assert.equal(made.focus, 'composer')
  }
  assert.equal(keysWith().press('\u001bb'), 'type \u001bb', 'Alt+B is a key of the composer')
})

const presses: readonly [focus: Focus, state: Partial<State>, key: string, done: string][] = [
  ['composer', {}, 'a', 'type a'],
  ['composer', {}, keys.enter, 'send'],
  ['composer', {}, '\u001b\r', 'new line'],
  ['composer', {}, '\n', 'new line'],
  ['composer', {}, '\u001b[13;2u', 'new line'],
  ['composer', {}, '\u0010', 'recall -1'],
  ['composer', {}, '\u000e', 'recall 1'],
  ['composer', {}, keys.up, 'scroll -1'],
  ['composer', {}, keys.down, 'scroll 1'],
  ['composer', { blank: true }, keys.down, 'greeting scroll 1'],
  ['composer', { edge: false }, keys.up, `type ${keys.up}`],
  ['composer', { offers: 1 }, keys.up, 'offer -1'],
  ['composer', { offers: 1 }, keys.down, 'offer 1'],
  ['composer', {}, '\u0004', 'quit'],
  ['composer', { empty: false }, '\u0004', 'type \u0004'],
  ['composer', {}, keys.pageUp, 'page -1'],
  ['composer', {}, keys.pageDown, 'page 1'],
  ['composer', { blank: true }, keys.pageUp, 'greeting page -1'],
  ['composer', {}, '\u000c', 'clear'],
  ['transcript', {}, keys.up, 'step -1'],
  ['transcript', {}, keys.down, 'step 1'],
  ['transcript', {}, keys.home, 'scroll -20000'],
  ['transcript', {}, keys.end, 'end'],
  ['transcript', {}, keys.enter, 'toggle'],
  ['transcript', {}, ' ', 'toggle'],
  ['transcript', {}, keys.pageUp, 'page -1'],
  ['transcript', {}, keys.left, ''],
  ['transcript', {}, 'a', 'type a'],
  ['transcript', {}, '\u001b[200~pasted\u001b[201~', 'type \u001b[200~pasted\u001b[201~'],
  ['panel', {}, keys.up, `panel ${keys.up}`],
  ['panel', {}, 'a', 'panel a'],
  ['panel', {}, keys.pageDown, 'page 1'],
  ['dialog', {}, keys.escape, `answer ${keys.escape}`],
  ['dialog', {}, keys.pageDown, `answer ${keys.pageDown}`],
]
for (const [focus, state, key, done] of presses) {
  test(`${JSON.stringify(key)} in the ${focus} with ${JSON.stringify(state)}: ${JSON.stringify(done)}`, () => {
    const { keys: made, press } = keysWith(state)
    made.focus = focus
    assert.equal(press(key), done)
    assert.equal(made.focus, focus === 'transcript' && done.startsWith('type') ? 'composer' : focus)
  })
}

test('an open box takes the keys first; what it passes on goes to the focused part', () => {
  const { press, open } = keysWith()
  const list = (done: 'close' | 'pass' | undefined) => ({ title: '', render: () => [], press: () => done })
  open.list = list(undefined)
  assert.equal(press('a'), '')
  assert.ok(open.list)
  open.list = list('pass')
  assert.equal(press('a'), 'type a')
  assert.ok(open.list)
  open.list = list('close')
  assert.equal(press('a'), '')
  assert.equal(open.list, undefined)
})

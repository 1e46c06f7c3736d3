// The window over a thread's blocks: scrolling and its bounds, the selected call, folding, clearing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, note, over, thread } from './transcript-window.ts'

test('a short thread stands at the top of its window, and does not scroll', () => {
  const { transcript, shown } = over([note('a', 2)], 4)
  assert.equal(shown(), 'a0 a1 - -')
  for (const by of [-1, 1, -9, 9]) {
    transcript.scroll(by)
    assert.equal(shown(), 'a0 a1 - -')
    assert.equal(transcript.following, true)
  }
  assert.equal(over([], 2).shown(), '- -')
})

test('a long thread shows its end, and scrolls by lines to its first line and back', () => {
  const { transcript, shown } = over(thread, 5)
  assert.equal(shown(), '▸z - c0 c1 c2')
  const moves: readonly [by: number, lines: string, following: boolean][] = [
    [1, '▸z - c0 c1 c2', true],
    [-1, '▸y ▸z - c0 c1', false],
    [-1, '- ▸y ▸z - c0', false],
    [-2, 'b0 b1 - ▸y ▸z', false],
    [-4, 'a2 - ▸x - b0', false],
    [-1, 'a1 a2 - ▸x -', false],
    [-9, 'a0 a1 a2 - ▸x', false],
    [-1, 'a0 a1 a2 - ▸x', false],
    [1, 'a1 a2 - ▸x -', false],
    [3, '▸x - b0 b1 -', false],
    [1, '- b0 b1 - ▸y', false],
    [4, '▸y ▸z - c0 c1', false],
    [1, '▸z - c0 c1 c2', true],
    [-2, '- ▸y ▸z - c0', false],
    [99, '▸z - c0 c1 c2', true],
  ]
  for (const [by, lines, following] of moves) {
    transcript.scroll(by)
    assert.equal(shown(), lines)
    assert.equal(transcript.following, following)
  }
})

test('a window less two lines is a page, and at least one line', () => {
  const { transcript, shown } = over(thread, 5)
  transcript.page(-1)
  assert.equal(shown(), 'b1 - ▸y ▸z -')
  transcript.page(-2)
  assert.equal(shown(), 'a1 a2 - ▸x -')
  transcript.page(1)
  assert.equal(shown(), '▸x - b0 b1 -')
  for (const rows of [2, 1]) {
    const low = over(thread, rows)
    low.transcript.page(-1)
    assert.equal(low.shown(), rows === 2 ? 'c0 c1' : 'c1')
  }
})

test('after scrolling up the window stays in place when text arrives; at the end it follows', () => {
  const { transcript, shown, become } = over(thread, 4)
  transcript.scroll(-3)
  assert.equal(shown(), '- ▸y ▸z -')
  become([...thread, note('d', 2)])
  assert.equal(shown(), '- ▸y ▸z -')
  transcript.toEnd()
  assert.equal(transcript.following, true)
  assert.equal(shown(), 'c2 - d0 d1')
  become([...thread, note('d', 2), note('e', 1)])
  assert.equal(shown(), 'd0 d1 - e0')
})

test('a window over blocks that are gone shows the end; one over fewer lines shows the last of them', () => {
  const { transcript, shown, become } = over([note('a', 5), note('b', 5)], 3)
  transcript.scroll(-2)
  assert.equal(shown(), 'b0 b1 b2')
  become([note('a', 5)])
  assert.equal(shown(), 'a2 a3 a4')
  become([note('a', 1)])
  assert.equal(shown(), 'a0 - -')
  const other = over([note('a', 5), note('b', 5)], 3)
  other.transcript.scroll(-4)
  assert.equal(other.shown(), 'a4 - b0')
  other.become([note('a', 2), note('b', 5)])
  assert.equal(other.shown(), 'a1 - b0')
})

test('Up and Down select the calls in sight, and scroll where there is none', () => {
  const { transcript, shown } = over(thread, 6)
  const moves: readonly [direction: -1 | 1, lines: string][] = [
    [-1, '▸y «▸z» - c0 c1 c2'],
    [-1, '«▸y» ▸z - c0 c1 c2'],
    [-1, '- «▸y» ▸z - c0 c1'],
    [-1, 'b1 - «▸y» ▸z - c0'],
    [-1, 'b0 b1 - «▸y» ▸z -'],
    [-1, '- b0 b1 - «▸y» ▸z'],
    [-1, '▸x - b0 b1 - «▸y»'],
    [-1, '«▸x» - b0 b1 - ▸y'],
    [1, '▸x - b0 b1 - «▸y»'],
    [1, '- b0 b1 - «▸y» ▸z'],
    [1, '- b0 b1 - ▸y «▸z»'],
    [1, 'b0 b1 - ▸y «▸z» -'],
  ]
  for (const [direction, lines] of moves) {
    transcript.step(direction)
    assert.equal(shown(), lines)
  }
  assert.equal(shown(false), 'b0 b1 - ▸y ▸z -', 'the selection is not marked without the focus')
})

test('Down without a selection takes the first call in sight; one out of sight counts by its place', () => {
  const { transcript, shown } = over(thread, 6)
  transcript.step(1)
  assert.equal(shown(), '«▸y» ▸z - c0 c1 c2')
  transcript.scroll(-99)
  assert.equal(shown(), 'a0 a1 a2 - ▸x -')
  transcript.step(-1)
  assert.equal(shown(), 'a0 a1 a2 - «▸x» -')
  transcript.toEnd()
  transcript.step(1)
  assert.equal(shown(), '«▸y» ▸z - c0 c1 c2')
})

test('the first block can be selected, from below and as the only one', () => {
  const { transcript, shown } = over([call('x'), call('y')], 3)
  transcript.step(-1)
  assert.equal(shown(), '▸x «▸y» -')
  transcript.step(-1)
  assert.equal(shown(), '«▸x» ▸y -')
  transcript.step(-1)
  assert.equal(shown(), '«▸x» ▸y -')
  transcript.step(1)
  assert.equal(shown(), '▸x «▸y» -')
})

test('Enter unfolds the selected call in two steps and folds it again; without a selection it does nothing', () => {
  const lines = Array.from({ length: 13 }, (_, at) => `r${at}`)
  const { transcript, shown } = over([call('x', { result: lines.join('\n'), size: 41 })], 18)
  transcript.toggle()
  assert.match(shown(), /^▸x( -)+$/)
  transcript.step(1)
  transcript.toggle()
  const head = '«▾x» │Arguments │Result,41bytes'
  const shownLines = (count: number): string =>
    lines
      .slice(0, count)
      .map((line) => `│${line}`)
      .join(' ')
  assert.equal(shown(), `${head} ${shownLines(12)} │…1moreline,Entershowsall - -`)
  transcript.toggle()
  assert.equal(shown(), `${head} ${shownLines(13)} - -`)
  transcript.toggle()
  assert.match(shown(), /^«▸x»( -)+$/)
})

test('a call whose beginning was all of it folds at the second Enter', () => {
  const { transcript, shown } = over([call('x')], 5)
  transcript.step(1)
  transcript.toggle()
  assert.equal(shown(), '«▾x» │Arguments │Result,5bytes │ofit -')
  transcript.toggle()
  assert.equal(shown(), '«▸x» - - - -')
})

test('what a call unfolds is brought into sight, but its own line stays', () => {
  const { transcript, shown } = over([note('a', 3), call('x'), note('b', 1)], 7)
  assert.equal(shown(), 'a0 a1 a2 - ▸x - b0')
  transcript.step(1)
  transcript.toggle()
  assert.equal(shown(), 'a1 a2 - «▾x» │Arguments │Result,5bytes │ofit')
  transcript.toggle()
  assert.equal(shown(), 'a1 a2 - «▸x» - b0 -', 'the selected line stays in place')
  const low = over([note('a', 1), call('x'), note('b', 1)], 4)
  assert.equal(low.shown(), '- ▸x - b0')
  low.transcript.step(1)
  low.transcript.toggle()
  assert.equal(low.shown(), '- «▾x» │Arguments │Result,5bytes')
})

test('a run of calls is one line that can be selected, unfolded and folded', () => {
  const run = [call('p'), call('q'), call('r'), call('s', { state: 'failed' })]
  const { transcript, shown } = over([note('a', 1), ...run, note('b', 1)], 9)
  assert.equal(shown(), 'a0 - ▸3tools3s ▸s - b0 - - -')
  transcript.step(1)
  assert.equal(shown(), 'a0 - «▸3tools3s» ▸s - b0 - - -')
  transcript.toggle()
  assert.equal(shown(), 'a0 - «▾3tools3s» ▸p ▸q ▸r ▸s - b0')
  transcript.step(1)
  assert.equal(shown(), 'a0 - ▾3tools3s «▸p» ▸q ▸r ▸s - b0')
  transcript.step(1)
  assert.equal(shown(), 'a0 - ▾3tools3s ▸p «▸q» ▸r ▸s - b0')
  transcript.step(-1)
  transcript.step(-1)
  assert.equal(shown(), 'a0 - «▾3tools3s» ▸p ▸q ▸r ▸s - b0')
  transcript.toggle()
  assert.equal(shown(), 'a0 - «▸3tools3s» ▸s - b0 - - -')
  transcript.step(1)
  assert.equal(shown(), 'a0 - ▸3tools3s «▸s» - b0 - - -')
})

test('Up at the run that begins a thread stays there, and a selection that is gone counts as none', () => {
  const { transcript, shown, become } = over([call('p'), call('q'), call('r'), call('s')], 6)
  transcript.step(-1)
  transcript.toggle()
  assert.equal(shown(), '«▾4tools4s» ▸p ▸q ▸r ▸s -')
  transcript.step(-1)
  assert.equal(shown(), '«▾4tools4s» ▸p ▸q ▸r ▸s -')
  for (const direction of [-1, 1] as const) {
    become([call('v'), call('w'), call('x')])
    transcript.step(1)
    become([call('y'), call('z')])
    transcript.step(direction)
    assert.equal(shown(), direction < 0 ? '▸y «▸z» - - - -' : '«▸y» ▸z - - - -')
  }
})

test('a call whose dialog is open has no row, and cannot be selected', () => {
  const { transcript, shown } = over([note('a', 1), call('x'), call('y', { state: 'waiting' })], 4)
  assert.equal(shown(), 'a0 - ▸x ▸y')
  assert.equal(shown(true, 4, 'y'), 'a0 - ▸x -')
  transcript.step(-1)
  assert.equal(shown(true, 4, 'y'), 'a0 - «▸x» -')
  assert.equal(shown(), 'a0 - «▸x» ▸y', 'it is back once the dialog is left for later')
})

test('clearing moves everything above the window; what comes next stands at its top', () => {
  const { transcript, shown, become } = over(thread, 4)
  transcript.scroll(-2)
  transcript.clear()
  assert.equal(transcript.following, true)
  assert.equal(shown(), '- - - -')
  become([...thread, note('d', 2)])
  assert.equal(shown(), '- d0 d1 -')
  become([...thread, note('d', 2), note('e', 2)])
  assert.equal(shown(), 'd1 - e0 e1')
  transcript.scroll(-1)
  assert.equal(shown(), 'd0 d1 - e0')
  transcript.scroll(-3)
  assert.equal(shown(), 'c1 c2 - d0', 'what was cleared is still there')
})

test('another thread begins at its end, without a selection and with its runs folded', () => {
  const run = [call('p'), call('q'), call('r'), call('s')]
  const { transcript, shown, show } = over([...run, note('b', 3)], 4)
  transcript.scroll(-9)
  transcript.step(1)
  transcript.toggle()
  assert.equal(shown(), '«▾4tools4s» ▸p ▸q ▸r')
  show()
  assert.equal(transcript.following, true)
  assert.equal(shown(), '- b0 b1 b2')
  assert.equal(shown(true, 5), '▸4tools4s - b0 b1 b2')
  transcript.clear()
  show()
  assert.equal(shown(), '- b0 b1 b2')
})

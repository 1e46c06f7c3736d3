// The app over a client that the test plays: stopping, approvals that are answered elsewhere, a service that goes away.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripTerminalSequences } from '@earendil-works/pi-tui'
import { AppError } from '#core/errors.ts'
import { type Gate, textMessage } from '#core/item.ts'
import type { OpenGate } from '#core/turn-store.ts'
import { createApprovals } from '#doors/terminal/approvals.ts'
import type { Answer } from '#doors/terminal/dialog.ts'
import { createTheme } from '#doors/terminal/theme.ts'
import { turnOver, until } from '../../turns/house.ts'
import { clientOf, entry, stage, type Staged, turn } from './fake.ts'

const escape = '\u001b'

const shows = ({ app }: Staged, what: RegExp): Promise<void> =>
  until(() => what.test(stripTerminalSequences(app.render(80).join('\n'))))

function gateOf(callId: string, threadId = 'thread'): OpenGate {
  const gate: Gate = { type: 'gate', callId, kind: 'approval', name: callId, args: '{}', prompt: '' }
  return { turn: turn('one', 'waiting', { threadId }), gate, at: 0 }
}

test('Esc stops the turn that runs; without one it stops nothing', async (t) => {
  const cancelled: string[] = []
  const staged = await stage(80, 24, { cancel: (id) => Promise.resolve(void cancelled.push(id)) })
  t.after(() => staged.app.close())
  staged.app.press(escape)
  assert.deepEqual(cancelled, [])
  staged.tell([
    { type: 'entries', entries: [entry(1, textMessage('user', 'go'), 't')] },
    { type: 'turn', turn: turn('t', 'running') },
    { type: 'delta', turnId: 't', itemId: 'i', offset: 0, text: 'Some words' },
  ])
  await shows(staged, /Some words/)
  staged.app.press(escape)
  assert.deepEqual(cancelled, ['t'])
})

test('an approval that is answered elsewhere closes by itself', async (t) => {
  const gates = [gateOf('first')]
  const staged = await stage(80, 24, { gates: () => Promise.resolve([...gates]) })
  t.after(() => staged.app.close())
  staged.tell([{ type: 'entries', entries: [entry(1, gateOf('first').gate, 'one')] }])
  await shows(staged, /Run first\?/)
  gates.length = 0
  staged.tell([{ type: 'turn', turn: turn('one', 'running') }])
  await until(() => !/Run first\?/.test(stripTerminalSequences(staged.app.render(80).join('\n'))))
})

test('the receipt of a turn that runs is read again until the turn has ended', async (t) => {
  let asked = 0
  let refreshes = 0
  let status: 'running' | 'completed' = 'running'
  const rest = { modelCalls: [], tools: [], hosts: [], secrets: [], approvals: [], notes: [], costUsd: 0 }
  const staged = await stage(80, 24, {
    receipt(turnId) {
      asked += 1
      return Promise.resolve({
        ...rest,
        turn: turn(turnId, status),
        ...(status === 'running' ? { verified: false } : { hash: 'abc', verified: true }),
      })
    },
    gates: () => Promise.resolve((refreshes++, [])),
  })
  t.after(() => staged.app.close())
  staged.app.press('/receipt t')
  staged.app.press('\r')
  await shows(staged, /Receipt[\s\S]*the turn has not ended/)
  status = 'completed'
  staged.tell([{ type: 'turn', turn: turn('t', 'completed') }])
  await shows(staged, /Receipt[\s\S]*matches the log/)
  const before = { asked, refreshes }
  // The refresh behind the next one has begun: whatever that one asks has been asked.
  for (let times = 1; times <= 2; times++) {
    staged.tell([{ type: 'turn', turn: turn('t', 'completed') }])
    await until(() => refreshes >= before.refreshes + times)
  }
  assert.equal(asked, before.asked)
})

test('a service that goes away is told, with what is on the screen kept; so is its return', async (t) => {
  let away = false
  let back = (): void => {}
  const staged = await stage(80, 24, {
    async *changes(signal) {
      if (away) throw new AppError('shutting_down', 'it is away')
      yield []
      await new Promise<void>((resolve) => {
        back = resolve
        signal.addEventListener('abort', () => resolve())
      })
    },
  })
  t.after(() => staged.app.close())
  staged.tell([{ type: 'entries', entries: [entry(1, textMessage('assistant', 'Words to keep'), 't')] }])
  await shows(staged, /Words to keep/)
  away = true
  back()
  await shows(staged, /Words to keep[\s\S]*Reconnecting/)
  away = false
  await shows(staged, /Words to keep[\s\S]*The connection is back/)
})

function openApprovals(answer: () => Promise<never> | Promise<unknown>) {
  const answers: { threadId: string; answer: Answer }[] = []
  const told: string[] = []
  let answered = 0
  let gone = 0
  const approvals = createApprovals({
    client: clientOf({
      answer(threadId, given) {
        answers.push({ threadId, answer: given })
        return answer() as never
      },
    }),
    theme: createTheme({ colour: false, utf8: true }),
    now: () => 0,
    tell: (words) => void told.push(words),
    gone: () => void gone++,
    answered: () => void answered++,
  })
  const shown = (): string | undefined => approvals.dialog?.gate.gate.callId
  return { approvals, answers, told, shown, answered: () => answered, gone: () => gone }
}

test('the approvals of the open thread show by themselves, one after the other; later means not again unasked', () => {
  const { approvals, shown, gone } = openApprovals(() => Promise.resolve())
  const [first, second, other] = [gateOf('first'), gateOf('second'), gateOf('other', 'elsewhere')]
  approvals.follow([other, first, second], 'thread')
  assert.equal(shown(), 'first')
  approvals.follow([other, second, first], 'thread')
  assert.equal(shown(), 'first', 'what is read is not taken away')
  approvals.later()
  assert.deepEqual([shown(), gone()], [undefined, 1])
  approvals.follow([first], 'thread')
  assert.equal(shown(), undefined)
  approvals.follow([first, second], 'thread')
  assert.equal(shown(), 'second')
  approvals.follow([first], 'thread')
  assert.deepEqual([shown(), gone()], [undefined, 2], 'it was answered elsewhere')
  approvals.open(first)
  assert.equal(shown(), 'first')
  approvals.close()
  approvals.follow([first, other], 'thread')
  assert.equal(shown(), 'first', 'whoever asked for it has not put it off any more')
  approvals.press(escape)
  assert.equal(shown(), undefined)
})

/** To the first answer and Enter: allow once. */
function allow({ approvals }: ReturnType<typeof openApprovals>): void {
  approvals.open(gateOf('first'))
  approvals.press('\u001b[C')
  approvals.press('\r')
}

test('an answer goes to the thread of its gate', async () => {
  const opened = openApprovals(() => Promise.resolve())
  allow(opened)
  await turnOver()
  assert.deepEqual(
    opened.answers.map(({ threadId, answer }) => [threadId, answer.callId]),
    [['thread', 'first']],
  )
  assert.deepEqual([opened.answered(), opened.told], [1, []])
})

test('an answer that comes too late says so; one that is refused stays to be given again', async () => {
  const late = openApprovals(() => Promise.reject(new AppError('gate_closed', 'closed')))
  allow(late)
  await turnOver()
  assert.deepEqual([late.told, late.answered()], [['This was answered already.'], 1])
  const refused = openApprovals(() => Promise.reject(new AppError('grant_refused', 'not for this one')))
  allow(refused)
  await turnOver()
  const screen = refused.approvals.dialog?.render({ width: 80, height: 20 }, true).join('\n') ?? ''
  assert.match(stripTerminalSequences(screen), /not for this one/i)
  assert.deepEqual([refused.told, refused.answered()], [[], 1])
})

test('Tab completes a slash and some letters to a skill, whose line is sent as typed', async (t) => {
  const sent: string[] = []
  const status = {
    provider: 'p',
    model: 'm',
    skippedModels: [],
    costToday: { costUsd: 0, unpricedCalls: 0 },
    doors: [],
  }
  const staged = await stage(80, 24, {
    status: () => Promise.resolve({ ...status, skills: ['pdf', 'pdf-forms'] }),
    send: ({ message }) => {
      sent.push(message)
      return Promise.resolve({ threadId: 'thread', turnId: 'sent', queued: false })
    },
  })
  t.after(() => staged.app.close())
  for (const letter of '/pdf-') staged.app.press(letter)
  await shows(staged, /\/pdf-forms +a skill/)
  staged.app.press('\t')
  for (const letter of 'go on') staged.app.press(letter)
  staged.app.press('\r')
  for (const letter of '/pdf') staged.app.press(letter)
  staged.app.press('\r')
  await until(() => sent.includes('/pdf'))
  assert.deepEqual(sent.slice(-2), ['/pdf-forms go on', '/pdf'])
})

test('a queued message is changed in the composer, and the draft comes back; Esc leaves it as it is', async (t) => {
  const edits: unknown[] = []
  const staged = await stage(80, 24, {
    send: () => Promise.resolve({ threadId: 'thread', turnId: 'later', queued: true }),
    editQueued: (turnId, text) => Promise.resolve(void edits.push([turnId, text])),
  })
  t.after(() => staged.app.close())
  const type = (text: string): void => {
    for (const key of text) staged.app.press(key)
  }
  await shows(staged, /▌ x/)
  type('/queue\r')
  await shows(staged, /Queued messages/)
  type('\r')
  await shows(staged, /▏x/)
  type('yz')
  staged.app.press(escape)
  await shows(staged, /▏ Message Atrium/)
  assert.deepEqual(edits, [])
  type('/queue\r')
  await shows(staged, /Queued messages/)
  type('\ry\r')
  await shows(staged, /The queued message is changed/)
  assert.deepEqual(edits, [['later', 'xy']])
})

test('text for a queued message that has begun meanwhile stays in the composer', async (t) => {
  const staged = await stage(80, 24, {
    send: () => Promise.resolve({ threadId: 'thread', turnId: 'later', queued: true }),
    editQueued: () => Promise.reject(new AppError('turn_started', 'it has begun')),
  })
  t.after(() => staged.app.close())
  await shows(staged, /▌ x/)
  for (const key of '/queue\r') staged.app.press(key)
  await shows(staged, /Queued messages/)
  for (const key of '\ry\r') staged.app.press(key)
  await shows(staged, /has begun already[\s\S]*▏xy/)
})

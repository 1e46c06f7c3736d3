// The room of long answers, as the runner takes it and gives it back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { tool } from '../agent/tools.ts'
import { ada } from '../store/harness.ts'
import { eventsOf, message, openHouse, turnOver, until } from './house.ts'

const longText = 'a'.repeat(300_000)

test('the ninth long answer of a user is read on once one is stored, also while its turn goes on', async (t) => {
  const [first, others, tooled] = [1, 2, 3].map(() => Promise.withResolvers<void>())
  let readOn = 0
  let toolRuns = false
  const wait = tool('wait', {}, async () => {
    toolRuns = true
    await tooled?.promise
    return 'waited'
  })
  const { turns } = openHouse(t, {
    tools: [wait],
    reply: (text, { items }) =>
      items.at(-1)?.type === 'result'
        ? ['done']
        : async function* () {
            yield [{ type: 'text', text: longText }]
            readOn++
            await (text === 'first' ? first : others)?.promise
            if (text === 'first') yield [{ type: 'call', name: 'wait', args: '{}' }]
          },
  })
  const started = [await turns.start(message('first'))]
  await until(() => readOn === 1)
  for (let at = 0; at < 8; at++) started.push(await turns.start(message('other')))
  const told = started.map(({ events }) => eventsOf(events))
  await until(() => readOn === 8)
  await turnOver(20)
  assert.equal(readOn, 8)
  first?.resolve()
  await until(() => toolRuns && readOn === 9)
  others?.resolve()
  tooled?.resolve()
  await Promise.all(told)
})

test('turns that cannot store their long answers leave the room to others', async (t) => {
  let isLost = true
  const { turns, runner } = openHouse(t, {
    reply: () => [longText],
    runnerStore: (store) => ({
      turns: {
        ...store.turns,
        record: (...given) =>
          isLost ? Promise.reject(new AppError('lease_lost', 'another process has it')) : store.turns.record(...given),
      },
    }),
  })
  for (let at = 0; at < 8; at++) (await turns.start(message('lost'))).events.close()
  await until(() => runner.running === 0)
  isLost = false
  const { turn, events } = await turns.start(message('kept'))
  await eventsOf(events)
  assert.equal((await turns.get(ada, turn.id))?.status, 'completed')
})

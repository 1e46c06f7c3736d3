// What a client that leaves may have read of an answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textMessage } from '#core/item.ts'
import { pointAfter } from '#core/replay-chain.ts'
import { createBeginnings, noteBeginnings } from '#doors/openai/stopped-answer.ts'
import { ada } from '../../store/harness.ts'
import { loopTurns } from '../../loop-turns.ts'

test('others go on while the beginnings of a long answer are hashed', async (t) => {
  const answer = createBeginnings()
  for (let at = 0; at < 4; at++) answer.add(`${at} word `.repeat(50_000))
  const noted: string[] = []
  const addChainPoints = async (_: unknown, { hashes }: { hashes: readonly string[] }) => void noted.push(...hashes)
  const turns = await loopTurns(t, () =>
    noteBeginnings(
      { threads: { addChainPoints } },
      { id: 'n', threadId: 't', userId: ada },
      { history: 'x', beginnings: () => answer.all() },
    ),
  )
  assert.ok(turns >= 10, `${turns}`)
  assert.deepEqual(
    noted,
    answer.all().map((text) => pointAfter('x', [textMessage('assistant', text)])),
  )
})

test('of many clients that leave at once, the first alone is worked for at once', async (t) => {
  let read = 0
  const beginnings = (): string[] => {
    read++
    return ['hello']
  }
  const addChainPoints = () => Promise.resolve()
  await loopTurns(t, async () => {
    const all = Array.from({ length: 20 }, () =>
      noteBeginnings(
        { threads: { addChainPoints } },
        { id: 'n', threadId: 't', userId: ada },
        { history: 'x', beginnings },
      ),
    )
    await Promise.resolve()
    assert.equal(read, 1)
    await Promise.all(all)
  })
  assert.equal(read, 20)
})

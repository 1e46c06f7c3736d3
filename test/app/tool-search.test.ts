// The tool that finds others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createToolSearch } from '#app/tool-search.ts'
import { operator } from '#core/ids.ts'

const parameters = { type: 'object' }
const hidden = [
  { name: 'mail__send_message', description: 'Sends a letter to a person.', parameters },
  { name: 'files__read-file', description: 'Reads a file of the disk.', parameters },
  ...Array.from({ length: 20 }, (_, at) => ({ name: `w__t${at}`, description: 'The weather of a city.', parameters })),
]
const tool = createToolSearch(() => hidden)
const context = { user: operator, threadId: '', turnId: '', callId: '', signal: new AbortController().signal }

async function search(query: string): Promise<string[]> {
  const found: string[] = []
  await tool.run(JSON.stringify({ query }), { ...context, addTools: (names) => void found.push(...names) })
  return found
}

test('tools are found by words of their names and descriptions, at most eight', async () => {
  assert.deepEqual(await search('send a letter'), ['mail__send_message'])
  assert.deepEqual(await search('read file'), ['files__read-file'])
  assert.equal((await search('weather')).length, 8)
  assert.deepEqual(await search('nonsense'), [])
  await assert.rejects(tool.run('{}', context))
})

test('a search of many long descriptions lets other work go on', async () => {
  const many = Array.from({ length: 500 }, (_, at) => ({
    name: `w__t${at}`,
    description: Array.from({ length: 300 }, (_each, word) => `word${(at * word) % 977}`).join(' '),
    parameters,
  }))
  let turns = 0
  const count = (): void => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const found: string[] = []
  await createToolSearch(() => many).run('{"query":"word12 or word55"}', {
    ...context,
    addTools: (names) => void found.push(...names),
  })
  clearImmediate(next)
  assert.equal(found.length, 8)
  assert.ok(turns > 1, `${turns} turns of the event loop`)
})

// `/model` without a terminal: the list of models, the chosen one, and what a name or other words choose.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OfferedModel } from '#core/admin.ts'
import type { ListContent } from '#doors/terminal/list.ts'
import { createModelChoice } from '#doors/terminal/model-choice.ts'
import { createTheme } from '#doors/terminal/theme.ts'
import { clientOf } from './fake.ts'

const model = (name: string, role: OfferedModel['role'], inputUsd: number | null, outputUsd: number | null) => {
  return { id: `p/${name}`, name, role, inputUsd, outputUsd } satisfies OfferedModel
}
const models = [
  model('big', 'usual', 3, 15),
  model('spare', 'fallback', null, 1),
  model('small', 'offered', 0, 0),
  model('half', 'offered', 0, 2),
]

function choiceOf(offered: readonly OfferedModel[], threadModel?: string) {
  const done: string[] = []
  const boxes: ListContent[] = []
  const run = createModelChoice(
    {
      client: clientOf({ models: () => Promise.resolve(offered) }),
      theme: createTheme({ colour: false, utf8: true }),
      chooseModel: (provider, name, { force }) => Promise.resolve(`service ${provider} ${name} ${force}`),
      threadModel: () => threadModel,
      chooseThreadModel: (chosen) => Promise.resolve(void done.push(`thread ${chosen}`)),
      tell: (words) => void done.push(words),
      attempt() {},
    },
    (content) => void boxes.push(content),
  )
  const rows = (): string[] => boxes.flatMap((box) => ('rows' in box ? box.rows.map(({ text }) => text) : []))
  return { run, done, boxes, rows }
}

const lists: readonly [chosen: string | undefined, marked: number][] = [
  [undefined, 0],
  ['p/small', 2],
  ['p/gone', -1],
]
for (const [chosen, marked] of lists) {
  test(`the list of models marks the one of the thread, ${chosen ?? 'which is the usual one'}`, async () => {
    const { run, rows } = choiceOf(models, chosen)
    await run('')
    const words = [
      'p/big  the usual one, $3.00 in, $15.00 out per million tokens',
      'p/spare  fallback, price unknown',
      'p/small  free',
      'p/half  $0.00 in, $2.00 out per million tokens',
    ]
    assert.deepEqual(
      rows(),
      words.map((line, at) => `${at === marked ? '▌' : ' '} ${line}`),
    )
  })
}

const names: readonly [words: string, done: readonly string[]][] = [
  ['p/small', ['thread p/small', 'This thread uses p/small from the next message on.']],
  ['spare', ['thread p/spare', 'This thread uses p/spare from the next message on.']],
  // The usual one is chosen for the whole service.
  ['p/big', ['Trying p/big …', 'service p big false']],
  ['p other', ['Trying p other …', 'service p other false']],
]
for (const [words, done] of names) {
  test(`/model ${words}: ${done[0]}`, async () => {
    const made = choiceOf(models)
    await made.run(words)
    assert.deepEqual(made.done, done)
    assert.deepEqual(made.boxes, [])
  })
}

test('a row chooses its model, and the usual one is chosen by choosing none', async () => {
  const { run, done, boxes } = choiceOf(models, 'p/small')
  await run('')
  const [box] = boxes
  assert(box && 'rows' in box)
  box.rows[0]?.pick()
  box.rows[3]?.pick()
  assert.deepEqual(done.slice(0, 2), ['thread null', 'thread p/half'])
})

test('a single model is told in words', async () => {
  const { run, boxes } = choiceOf(models.slice(0, 1))
  await run('')
  const [box] = boxes
  assert(box && 'text' in box)
  assert.equal(box.text(80)[0], 'm (p) answers.')
})

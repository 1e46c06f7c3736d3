// Statements in one write: the messages that go to the server, and the rows that come back. The connection is a fake one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClientBase } from 'pg'
import { createFlights } from '#store/flight.ts'
import type { Statement, Value } from '#store/sql.ts'

/** What the package asks of a query. */
type Submitted = {
  callback(error: Error | null, rows: readonly object[]): void
  submit(connection: unknown): unknown
  handleRowDescription(message: object): void
  handleDataRow(message: object): void
  handleCommandComplete(message: { text: string }): void
  handleReadyForQuery(): void
  handleError(error: Error, connection: unknown): void
}
type Bound = { statement: string; values: readonly Value[]; valueMapper: (value: Value) => unknown }

/**
 * `answers` has the rows of each statement. The columns are described when a statement is prepared, and only then. The
 * statement at `failsAt` fails in the first flight.
 */
function connect(answers: readonly (readonly (string | null)[])[][] = [], failsAt?: number) {
  const sent: string[] = []
  const bound: unknown[][] = []
  let described: boolean[] = []
  let failing = failsAt
  const connection = {
    stream: { cork: () => sent.push('cork'), uncork: () => sent.push('uncork') },
    parse: ({ name, text }: { name: string; text: string }) => sent.push(`parse ${name} ${text}`),
    describe({ type, name }: { type: string; name: string }) {
      sent.push(`describe ${type} ${name}`)
      described.push(true)
    },
    bind({ statement, values, valueMapper }: Bound) {
      sent.push(`bind ${statement}`)
      bound.push(values.map(valueMapper))
      if (described.length < bound.length) described.push(false)
    },
    execute: () => sent.push('execute'),
    sync: () => sent.push('sync'),
  }
  const query = (flight: Submitted): void => {
    bound.length = 0
    described = []
    const fault = flight.submit(connection)
    if (fault instanceof Error) return flight.callback(fault, [])
    for (const at of bound.keys()) {
      if (at === failing) {
        failing = undefined
        return flight.handleError(new Error('failed'), connection)
      }
      // 23 is an integer, 25 a text.
      const fields = [
        { name: 'id', dataTypeID: 23 },
        { name: 'word', dataTypeID: 25 },
      ]
      if (described[at]) flight.handleRowDescription({ fields })
      for (const row of answers[at] ?? []) flight.handleDataRow({ fields: row })
      flight.handleCommandComplete({ text: `UPDATE ${answers[at]?.length}` })
    }
    flight.handleReadyForQuery()
  }
  return { client: { query } as unknown as ClientBase, sent, bound }
}

const statement = (sql: string, ...values: Value[]): Statement => ({ sql, values })

test('statements go in one write, each prepared once on a connection, with its parameters numbered', async () => {
  const fly = createFlights()
  const { client, sent } = connect()
  await fly(client, [statement('A ? AND ?', 1, 2), statement('B'), statement('A ? AND ?', 3, 4)])
  assert.deepEqual(sent, [
    'cork',
    'parse s0 A $1 AND $2',
    'describe S s0',
    'bind s0',
    'execute',
    'parse s1 B',
    'describe S s1',
    'bind s1',
    'execute',
    'bind s0',
    'execute',
    'sync',
    'uncork',
  ])
  sent.length = 0
  await fly(client, [statement('B')])
  assert.deepEqual(sent, ['cork', 'bind s1', 'execute', 'sync', 'uncork'])
  const other = connect()
  await fly(other.client, [statement('B')])
  assert.equal(other.sent[1], 'parse s0 B')
})

test('a statement that is counted is answered with the number of rows that it changed', async () => {
  const fly = createFlights()
  const { client } = connect([[['1', 'one']], [], []])
  const counted = (sql: string): Statement => ({ ...statement(sql), counted: true })
  assert.deepEqual(await fly(client, [counted('A')]), [{ changed: 1 }])
  assert.deepEqual(await fly(client, [counted('A'), counted('B')]), [{ changed: 0 }], 'the last one')
  assert.deepEqual(await fly(client, [counted('A'), statement('B')]), [])
})

test('the rows are those of the last statement, by the columns of its own, also once it is prepared', async () => {
  const fly = createFlights()
  const { client } = connect([
    [['1', 'not this']],
    [
      ['2', 'two'],
      ['3', null],
    ],
  ])
  for (let time = 0; time < 2; time++) {
    assert.deepEqual(await fly(client, [statement('A'), statement('B')]), [
      { id: 2, word: 'two' },
      { id: 3, word: null },
    ])
  }
  const none = connect([[['1', 'not this']], []])
  assert.deepEqual(await createFlights()(none.client, [statement('A'), statement('B')]), [])
})

test('parameters are texts, bytes of their own part, or nothing', async () => {
  const { client, bound } = connect()
  const bytes = new Uint8Array([1, 2, 3, 4]).subarray(1, 3)
  await createFlights()(client, [statement('A', 'word', 0, 1.5, null, bytes)])
  assert.deepEqual(bound, [['word', '0', '1.5', null, Buffer.from([2, 3])]])
})

test('without a statement nothing is sent', async () => {
  const { client, sent } = connect()
  assert.deepEqual(await createFlights()(client, []), [])
  assert.deepEqual(sent, [])
})

test('a statement that cannot be written fails the flight, and the write is closed', async () => {
  const { client, sent } = connect()
  const broken = { sql: 'A', values: undefined } as unknown as Statement
  await assert.rejects(createFlights()(client, [broken]), TypeError)
  assert.equal(sent.at(-1), 'uncork')
})

test('statements that the server skipped after one that failed are prepared again', async () => {
  const fly = createFlights()
  const { client, sent } = connect([], 1)
  await assert.rejects(
    fly(
      client,
      ['A', 'B', 'C', 'D', 'C'].map((sql) => statement(sql)),
    ),
    { message: 'failed' },
  )
  sent.length = 0
  await fly(
    client,
    ['A', 'B', 'D', 'C'].map((sql) => statement(sql)),
  )
  const prepared = sent.filter((message) => message.startsWith('parse'))
  assert.deepEqual(prepared, ['parse s2 D', 'parse s3 C'])
})

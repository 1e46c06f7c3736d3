// The connection to real servers: both eras, every bound, and nothing left behind.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { OfferedTool } from '#core/mcp.ts'
import type { Connection } from '#mcp/connection.ts'
import type { CallAnswer } from '#mcp/server-call.ts'
import { until } from '../until.ts'
import { everything, open, processesOf, rude } from './harness.ts'

const never = new AbortController().signal

function tool(name: string): OfferedTool {
  return { name, description: '', schema: { type: 'object' } }
}

async function call(connection: Connection, name: string, args = '{}', signal = never): Promise<string> {
  const answer: CallAnswer = await connection.call({ tool: tool(name), args, signal })
  assert.equal(answer.type, 'result')
  return answer.type === 'result' ? answer.text : ''
}

const refused = (message: RegExp) => (error: Error & { code?: string }) => {
  assert.equal(error.code, 'tool_refused', error.stack ?? '')
  assert.match(error.message, message)
  return true
}

describe('a connection', { concurrency: true }, () => {
  test('speaks with a server of npm, and leaves no process behind', async (t) => {
    const { connection, lists, mark } = open(t, everything)
    assert.equal(connection.status().status, 'idle')
    assert.deepEqual(processesOf(mark), [])
    assert.match(await call(connection, 'echo', '{"message": "hello"}'), /hello/)
    assert.equal(connection.status().status, 'ready')
    assert.equal(processesOf(mark).length, 1)
    assert.ok(lists[0]?.tools.some(({ name }) => name === 'echo'))
    const image = await connection.call({ tool: tool('get-tiny-image'), args: '{}', signal: never })
    assert.ok(image.type === 'result' && image.images[0]?.startsWith('data:image/png;base64,'))
    await connection.stop()
    assert.equal(connection.status().status, 'idle')
    assert.deepEqual(processesOf(mark), [])
  })

  for (const how of [['modern'], [], ['dies-at-probe'], ['garbage'], ['marked'], ['batches'], ['modern', 'batches']]) {
    test(`lists before any call and sends arguments as they were written: ${how.join() || 'older era'}`, async (t) => {
      const { connection, lists } = open(t, rude([...how, 'raw']))
      const args = '{"n": 12345678901234567890,\n "a": 1.0, "a": 2}'
      const line = await call(connection, 'echo', args)
      assert.ok(line.includes(args.replace('\n', ' ')), line)
      assert.equal(line.includes('2026-07-28'), how.includes('modern'))
      assert.equal(lists.length, 1)
      assert.equal(lists[0]?.instructions, 'Use me.')
    })
  }

  test('refuses a long batch, and says so at once', async (t) => {
    const { connection } = open(t, rude(['batches', 'spaces=300000']))
    await assert.rejects(connection.list(never), refused(/sent a message with more than one message in it/))
  })

  for (const era of ['modern', 'older', 'marked']) {
    test(`takes a long greeting and a long list: ${era}`, async (t) => {
      const { connection, lists } = open(t, rude([era, 'tools=400', 'spaces=300000']))
      await connection.list(never)
      assert.equal(lists[0]?.tools.length, 400)
      assert.match(lists[0].instructions, /^Use me\. {10}/)
    })
  }

  test('takes a long question of the newer era', async (t) => {
    const { connection } = open(t, rude(['modern', 'stateless']))
    const properties = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`n${at}`, { type: 'string' }]))
    const args = JSON.stringify({ form: { type: 'object', properties } })
    const answer = await connection.call({ tool: tool('ask'), args, signal: never })
    assert.ok(answer.type === 'input')
    assert.ok(JSON.stringify(answer.requests).includes('n599'))
    assert.equal(answer.state, undefined)
  })

  test('gives a server few variables, what was named, and a mark', async (t) => {
    const { connection } = open(t, rude([], { TOKEN: 'known', HOME: 'known' }))
    const env = JSON.parse(await call(connection, 'environment')) as Record<string, string>
    assert.deepEqual(Object.keys(env).sort(), ['ATRIUM_MCP_MARK', 'HOME', 'LANG', 'PATH', 'TOKEN'])
    assert.deepEqual([env['TOKEN'], env['HOME'], env['LANG']], ['sesame-open', 'sesame-open', 'C'])
    await assert.rejects(open(t, rude([], { TOKEN: 'none' })).connection.list(never), refused(/secret none.*not set/))
  })

  test('masks secrets on standard error, and tells the last line of a server that ends in mid-call', async (t) => {
    const { connection, lines } = open(t, rude([], { TOKEN: 'known' }))
    await call(connection, 'secret')
    await until(() => lines.some((line) => line.includes('my token is ***')))
    await assert.rejects(call(connection, 'die'), refused(/exit code 7; its last line was: something broke/))
    assert.match(connection.status().error ?? '', /exit code 7/)
    // The next call starts it again.
    assert.equal(await call(connection, 'echo', '{"a":1}'), '{"a":1}')
    assert.ok(!lines.join().includes('sesame'))
  })

  test('tells the error of a Node program that cannot run, not the version below it', async (t) => {
    const missing = { kind: 'stdio', command: process.execPath, args: ['/none.mjs'], env: {} } as const
    const words = /exit code 1; its last line was: Error: Cannot find module '\/none\.mjs'/
    await assert.rejects(open(t, missing).connection.list(never), refused(words))
  })

  test('tells why its start failed, not that it was stopped for it', async (t) => {
    const { connection } = open(t, rude(['version=1999-01-01']))
    await assert.rejects(connection.list(never), refused(/version is not supported: 1999-01-01/))
  })

  test('is started again at most three times a minute after it failed', async (t) => {
    let now = 0
    const { connection, lines } = open(t, rude(['dies-at-start']), { now: () => now })
    for (let time = 0; time < 4; time++)
      await assert.rejects(connection.list(never), refused(/exit code 3; its last line was: cannot find my conf/))
    const starts = (): number => lines.filter((line) => line.includes('cannot find')).length
    const before = starts()
    await assert.rejects(connection.list(never), refused(/left alone for a while.*cannot find my conf/))
    assert.equal(starts(), before)
    now = 61_000
    await assert.rejects(connection.list(never), refused(/exit code 3/))
    assert.ok(starts() > before)
  })

  test('stops a call in time, tells the server, and lets it go on', async (t) => {
    const { connection, lines } = open(t, rude())
    const controller = new AbortController()
    const stopped = call(connection, 'slow', '{}', controller.signal)
    await call(connection, 'echo')
    controller.abort(new Error('the turn was stopped'))
    await assert.rejects(stopped, /the turn was stopped/)
    await until(() => lines.some((line) => line.includes('cancelled')))
    assert.equal(connection.status().status, 'ready')
  })

  test('gives up a call without an answer', async (t) => {
    const { connection } = open(t, rude(), { callMs: 300 })
    await assert.rejects(call(connection, 'silent'), refused(/did not answer within/))
    assert.equal(connection.status().status, 'ready')
  })

  test('reports progress and errors of the tool', async (t) => {
    const { connection } = open(t, rude())
    const seen: number[] = []
    const onProgress = ({ progress }: { progress: number }): void => void seen.push(progress)
    const controller = new AbortController()
    const working = connection.call({ tool: tool('progress'), args: '{}', signal: controller.signal, onProgress })
    await until(() => seen.length === 2)
    controller.abort(new Error('seen enough'))
    await assert.rejects(working, /seen enough/)
    const failed = await connection.call({ tool: tool('fail'), args: '{}', signal: never })
    assert.deepEqual(failed, { type: 'result', text: 'it went wrong', images: [], isError: true })
    assert.equal(await call(connection, 'flood'), 'flooded')
  })

  test('refuses a line that is too long or has too many values, and a list that is too long', async (t) => {
    const { connection, mark } = open(t, rude())
    await assert.rejects(call(connection, 'long'), refused(/line of more than 8 MiB/))
    await assert.rejects(call(connection, 'many'), refused(/message with more than 200000 values/))
    await connection.stop()
    assert.deepEqual(processesOf(mark), [])
    const many = open(t, rude(['tools=600'])).connection
    await assert.rejects(many.list(never), refused(/more than 500 tools/))
    assert.equal((await open(t, rude(['tools=500'])).connection.list(never)).tools.length, 500)
  })

  test('reads the list again when the server says that it changed', async (t) => {
    const { connection, lists } = open(t, rude())
    await call(connection, 'change')
    await until(() => lists.length === 2)
    const [first] = lists[1]?.tools ?? []
    assert.ok(first && 'description' in first && first.description.startsWith('Another tool.'))
  })

  test('ends a server that ignores signals, with children in sessions of their own', async (t) => {
    const { connection, mark } = open(t, rude(['stays']))
    await call(connection, 'child')
    await call(connection, 'child')
    assert.equal(processesOf(mark).length, 3)
    await connection.stop()
    assert.deepEqual(processesOf(mark), [])
  })

  test('ends the children of a server that died', async (t) => {
    const { connection, mark } = open(t, rude())
    await call(connection, 'child')
    await assert.rejects(call(connection, 'die'), refused(/exit code 7/))
    await until(() => processesOf(mark).length === 0)
  })

  test('stops a server that is idle', async (t) => {
    const { connection, mark } = open(t, rude(), { idleMs: 1 })
    await call(connection, 'echo')
    await until(() => processesOf(mark).length === 0)
    assert.equal(connection.status().status, 'idle')
  })

  test('does not make a call that its check refuses', async (t) => {
    const { connection } = open(t, rude())
    const check = (): never => {
      throw new Error('it has changed')
    }
    await assert.rejects(connection.call({ tool: tool('die'), args: '{}', signal: never, check }), /it has changed/)
    assert.equal(connection.status().status, 'ready')
  })
})

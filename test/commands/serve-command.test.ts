// `atrium serve` as an operator meets it: real processes, signals, a second start on the same home.
import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { atrium, atriumProcess, serve, type Serving } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { openClient } from '../doors/web/socket.ts'
import { openPausedModel } from '../paused-model.ts'
import { until } from '../until.ts'
import { scriptedEnv } from '../scripted-env.ts'

const home = newHome()
after(home.remove)

function token(path: string): string {
  return readFileSync(join(path, 'webui-token'), 'utf8').trim()
}

/** The token that a start has made and printed. */
function madeBy(service: Serving): string {
  return /token\s+(atr_\S+)/.exec(service.output())?.[1] ?? ''
}

async function get(url: string, bearer: string): Promise<unknown> {
  return (await fetch(url, { headers: { authorization: `Bearer ${bearer}` } })).json()
}

function ask(url: string, bearer: string, body: object): Promise<Response> {
  return fetch(`${url}/api/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

describe('one service', () => {
  let service: Serving
  before(async () => {
    service = await serve(home.path)
  })
  after(async () => {
    await service.stop()
  })

  test('it is found by commands on its home, and follows their changes', async () => {
    assert.equal((await fetch(`${service.url}/api/health`)).status, 200)
    assert.equal((await fetch(`${service.url}/api/ready`)).status, 200)
    const status = JSON.parse((await atrium(home.path, ['status', '--json'])).stdout) as Record<string, unknown>
    assert.deepEqual([status['status'], status['pid'], status['llm_backend']], ['ok', service.pid, 'offline'])
    assert.match(
      (await atrium(home.path, ['status'])).stdout,
      /^Atrium [\d.]+ runs on .*\n[^]*^doors +gateway http:\/\/127\.0\.0\.1:\d+$[^]*^cost +nothing today$/m,
    )

    const sent = JSON.parse((await atrium(home.path, ['run', '-m', 'what is 6 * 7?', '--json'])).stdout) as Record<
      string,
      unknown
    >
    assert.match(String(sent['response']), /42/)
    const seen = await fetch(`${service.url}/api/threads/${String(sent['thread_id'])}`, {
      headers: { authorization: `Bearer ${token(home.path)}` },
    })
    assert.equal(seen.status, 200)
    const missing = await atrium(home.path, ['run', '-m', 'x', '--thread', 'nope'])
    assert.deepEqual([missing.code, /thread nope does not exist/.test(missing.stderr)], [1, true])

    const added = JSON.parse((await atrium(home.path, ['user', 'add', 'ada', '--json'])).stdout) as { token: string }
    assert.equal((await ask(service.url, added.token, { message: 'hello' })).status, 200)
    await atrium(home.path, ['user', 'remove', 'ada', '--yes'])
    assert.equal((await ask(service.url, added.token, { message: 'hello' })).status, 401)

    assert.equal((await atrium(home.path, ['model', 'set', 'ollama', 'nothing-here', '--force'])).code, 0)
    const after = JSON.parse((await atrium(home.path, ['status', '--json'])).stdout) as Record<string, unknown>
    assert.deepEqual([after['llm_backend'], after['llm_model']], ['ollama', 'nothing-here'])
    await atrium(home.path, ['model', 'set', 'offline'])
  })

  test('signals that a rotation of logs sends do not end a service without a terminal', async () => {
    for (const signal of ['SIGHUP', 'SIGHUP', 'SIGUSR2'] as const) {
      service.signal(signal)
      const status = await atrium(home.path, ['status', '--json'])
      assert.equal((JSON.parse(status.stdout) as { pid: number }).pid, service.pid)
    }
  })

  test('a second one on the same home is refused in one line and harms nothing', async () => {
    const second = await atrium(home.path, ['serve'], { env: { GATEWAY_PORT: '0' } })
    assert.equal(second.code, 1)
    assert.match(second.stderr, /another Atrium runs on .*ATRIUM_HOME/)
    assert.equal(second.stderr.trim().split('\n').length, 1)
    assert.equal((await ask(service.url, token(home.path), { message: 'still there?' })).status, 200)
  })

  test('its start prints a token it made, and names the file of the lasting one', async () => {
    const made = madeBy(service)
    assert.equal((await ask(service.url, made, { message: 'hello' })).status, 200)
    assert.equal((await ask(service.url, token(home.path), { message: 'hello' })).status, 200)
    assert.match(service.output(), /operator .*\/webui-token$/m)
    assert.equal(statSync(join(home.path, 'webui-token')).mode & 0o777, 0o600)
  })

  test('it ends on SIGTERM with code 0, and has never printed the lasting token', async () => {
    assert.equal(await service.stop(), 0)
    assert(!service.output().includes(token(home.path)))
    assert.equal((await atrium(home.path, ['status'])).code, 1)
  })

  test('a token that the next one is given is not printed, and replaces those of before', async () => {
    await service.stop()
    const given = 'a-token-of-the-operator-0123456789'
    const next = await serve(home.path, { GATEWAY_AUTH_TOKEN: given, SERVICE_REBORN_WEBUI_TOKEN: `${given}-b` })
    const status = async (bearer: string) => (await ask(next.url, bearer, { message: 'hello' })).status
    assert.deepEqual([await status(given), await status(`${given}-b`)], [200, 200])
    assert.equal(await status(token(home.path)), 401, 'the file’s token is replaced')
    assert.equal(await status(madeBy(service)), 401)
    await next.stop()
    assert(!next.output().includes(given))
  })
})

test('a port that is taken is one line and exit code 1', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => {
    taken.listen(0, '127.0.0.1', resolve)
  })
  const { port } = taken.address() as { port: number }
  try {
    const ran = await atrium(home.path, ['serve'], { env: { GATEWAY_PORT: String(port) } })
    assert.deepEqual([ran.code, ran.stderr.trim().split('\n').length], [1, 1])
    assert.match(ran.stderr, new RegExp(`port ${port} .*GATEWAY_PORT`))
  } finally {
    taken.close()
  }
})

test('a start that fails after its doors were opened closes them all, and ends', async () => {
  const own = newHome()
  const first = await serve(own.path)
  await first.stop()
  withDatabase(own.path, "CREATE TRIGGER broken BEFORE INSERT ON login_codes BEGIN SELECT RAISE(FAIL, 'broken'); END")
  const ran = await atriumProcess(own.path, ['serve'], { env: { GATEWAY_PORT: '0' } })
  assert.equal(ran.code, 1)
  assert.match(ran.stderr, /broken/)
  own.remove()
})

test('a service starts while the disk is full, serves what is stored, and goes on once there is room', async () => {
  const own = newHome()
  const first = await serve(own.path)
  await ask(first.url, token(own.path), { message: 'hello' })
  await first.stop()
  withDatabase(
    own.path,
    // SQLite reports a sequence that has reached its end as it reports a full disk.
    `CREATE TABLE disk (at INTEGER PRIMARY KEY AUTOINCREMENT);
     INSERT INTO disk VALUES (9223372036854775807);
     CREATE TRIGGER no_code BEFORE INSERT ON login_codes BEGIN INSERT INTO disk VALUES (NULL); END;
     CREATE TRIGGER no_turn BEFORE INSERT ON turns BEGIN INSERT INTO disk VALUES (NULL); END`,
  )
  const service = await serve(own.path)
  assert.match(service.output(), /sign in +\S*atrium login +\(.*the disk is full\)/)
  const { threads } = (await get(`${service.url}/api/threads`, token(own.path))) as { threads: unknown[] }
  assert.equal(threads.length, 1)
  assert.equal((await ask(service.url, token(own.path), { message: 'full' })).status, 503)
  withDatabase(own.path, 'DROP TRIGGER no_code; DROP TRIGGER no_turn')
  assert.equal((await ask(service.url, token(own.path), { message: 'hello' })).status, 200)
  await service.stop()
  own.remove()
})

function withDatabase(path: string, sql: string): void {
  using db = new DatabaseSync(join(path, 'atrium.db'))
  db.exec(sql)
}

const refusals: readonly { what: string; env: Record<string, string>; says: RegExp }[] = [
  { what: 'no door at all', env: { GATEWAY_ENABLED: 'false' }, says: /GATEWAY_ENABLED.*HTTP_ENABLED.*CLI_ENABLED/ },
  { what: 'a webhook without a secret', env: { HTTP_ENABLED: 'true' }, says: /HTTP_ENABLED.*HTTP_WEBHOOK_SECRET/ },
  {
    what: 'a malformed port',
    env: { GATEWAY_PORT: 'many' },
    says: /GATEWAY_PORT must be a whole number.*Example: GATEWAY_PORT=3000/,
  },
  { what: 'a malformed flag', env: { CLI_ENABLED: 'perhaps' }, says: /CLI_ENABLED must be true or false/ },
]
for (const { what, env, says } of refusals) {
  test(`${what} stops the start with exit code 2`, async () => {
    const ran = await atrium(home.path, ['serve'], { env })
    assert.equal(ran.code, 2)
    assert.match(ran.stderr, says)
  })
}

test('without a terminal, atrium alone is atrium serve', async () => {
  const ran = await atrium(home.path, [], { env: { GATEWAY_ENABLED: 'false' } })
  assert.equal(ran.code, 2)
})

test('doors that others can reach warn of weak secrets', async () => {
  const tokens = { GATEWAY_AUTH_TOKEN: 'weak', SERVICE_REBORN_WEBUI_TOKEN: 'also-weak', HTTP_WEBHOOK_SECRET: 'weak-3' }
  const service = await serve(home.path, { GATEWAY_HOST: '0.0.0.0', ...tokens })
  await service.stop()
  for (const [name, value] of Object.entries(tokens)) {
    assert.match(service.output(), new RegExp(`WARNING +${name} is too short for a door on 0\\.0\\.0\\.0`))
    assert(!service.output().includes(value), 'and none of them is printed')
  }
})

test('a killed service is taken over at once: the message it had acknowledged is answered', async () => {
  const env = scriptedEnv(home.path, [{ text: ['slow ', 'answer'], chunkDelayMs: 400 }], { loop: true })
  const first = await serve(home.path, env)
  const sent = await fetch(`${first.url}/api/chat/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token(home.path)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'hello' }),
  })
  const { turn_id } = (await sent.json()) as { turn_id: string }
  first.signal('SIGKILL')
  assert.equal(await first.ended, 'SIGKILL')
  assert.equal((await atrium(home.path, ['status'])).code, 1, 'the socket it left is nobody’s')
  const second = await serve(home.path, env)
  try {
    let job: { status?: string; response?: string } = {}
    await until(async () => {
      job = (await get(`${second.url}/api/jobs/${turn_id}`, token(home.path))) as typeof job
      return job.status === 'completed'
    })
    assert.equal(job.response, 'slow answer')
  } finally {
    await second.stop()
  }
})

test('the log has a line for the start, each request, each turn and the stop, and no secret', async () => {
  const given = 'a-token-of-the-operator-0123456789'
  const service = await serve(home.path, { SERVICE_REBORN_WEBUI_TOKEN: given })
  const answer = await ask(service.url, given, { message: 'hello there' })
  await fetch(`${service.url}/api/status?token=${given}`)
  await fetch(`${service.url}/api/${given}`)
  const live = await openClient(service.url, { authorization: `Bearer ${given}` })
  live.send({ type: 'message', message: 'hello there' })
  await live.next((frame) => frame.type === 'turn' && frame.status === 'completed')
  live.ws.close()
  await live.closed
  await service.stop()
  const lines = service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const of = (msg: string): Record<string, unknown>[] => lines.filter((line) => line['msg'] === msg)
  const [chat, refused] = of('request')
  assert.deepEqual([chat?.['path'], chat?.['status'], chat?.['level']], ['/api/chat', 200, 'info'])
  assert.equal(chat?.['request'], answer.headers.get('x-request-id'))
  assert.deepEqual([refused?.['path'], refused?.['status']], ['/api/status', 401])
  assert.equal(of('request').length, 4)
  const [turn, byFrame] = of('turn ended')
  const upgrade = of('request').find((line) => line['status'] === 101)
  assert.deepEqual([upgrade?.['path'], upgrade?.['request']], ['/api/chat/ws', byFrame?.['request']])
  assert.deepEqual([turn?.['door'], turn?.['status'], turn?.['request']], ['web', 'completed', chat?.['request']])
  for (const msg of ['started', 'stopping', 'stopped']) assert.equal(of(msg).length, 1, msg)
  assert.doesNotMatch(service.output(), new RegExp(`${given}|hello there`))
})

test('SIGTERM lets a running turn finish, and its caller gets the answer', async (t) => {
  const model = await openPausedModel({ hello: ['slow ', 'answer'] })
  t.after(() => model.close())
  const service = await serve(home.path, model.env)
  const answer = ask(service.url, token(home.path), { message: 'hello' })
  await until(async () => {
    const { active_jobs } = (await get(`${service.url}/api/status`, token(home.path))) as { active_jobs: number }
    return active_jobs === 1
  })
  service.signal('SIGTERM')
  await until(() => service.output().includes('"msg":"stopping"'))
  await model.goOn()
  assert.equal(((await (await answer).json()) as { response: string }).response, 'slow answer')
  assert.equal(await service.ended, 0)
})

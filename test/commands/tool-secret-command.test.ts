// Secrets of tools as a user sets them: `atrium tool auth` and `atrium tool setup`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atrium } from '../atrium.ts'
import { capabilities, useWeatherHome } from './weather-home.ts'

const { home, file, install } = useWeatherHome()

test('a tool that lacks its secret says how to set it, and its turn waits for that', async () => {
  const locked = {
    ...capabilities,
    http: {
      ...capabilities.http,
      credentials: {
        meteo: {
          secret_name: 'meteo_key',
          location: { type: 'bearer' },
          host_patterns: [capabilities.http.allowlist[0]?.host],
        },
      },
    },
    auth: { secret_name: 'meteo_key', display_name: 'Meteo', env_var: 'METEO_TOKEN', instructions: 'Ask the office.' },
  }
  assert.equal((await install('locked', file('g.json', locked), '--yes')).code, 0)
  const params = '{"action":"get_current","city":"Oslo"}'
  const tried = await atrium(home.path, ['tool', 'test', 'locked', '--params', params, '--json'])
  assert.match((JSON.parse(tried.stdout) as { error: string }).error, /meteo_key.*atrium tool auth locked/)

  assert.match(
    (await atrium(home.path, ['tool', 'setup', 'locked'])).stdout,
    /no set-up, but a sign-in: .*tool auth locked/,
  )

  const replies = [{ when: 'Oslo', calls: [{ name: 'locked', args: { action: 'get_current', city: 'Oslo' } }] }]
  const env = { LLM_PROVIDER: 'scripted', LLM_SCRIPT: file('locked-script.json', { replies }) }
  const ran = await atrium(home.path, ['run', '-m', 'Oslo', '--json'], { env })
  assert.deepEqual([ran.code, (JSON.parse(ran.stdout) as { status: string }).status], [1, 'waiting'])

  const byVariable = await atrium(home.path, ['tool', 'auth', 'locked'], { env: { METEO_TOKEN: 'hush-variable' } })
  assert.deepEqual([byVariable.code, /METEO_TOKEN, which is set/.test(byVariable.stdout)], [0, true])
  const stored = await atrium(home.path, ['tool', 'auth', 'locked'], { input: 'hush-token\n' })
  assert.deepEqual([stored.code, /Ask the office/.test(stored.stderr)], [0, true])
  assert.match(stored.stdout, /Stored meteo_key\. A turn that waited goes on\.\n/)
  assert.doesNotMatch(stored.stdout + stored.stderr + byVariable.stdout, /hush/)
  assert.match((await atrium(home.path, ['tool', 'setup', 'locked'])).stdout, /needs no set-up\.\n/)
  const unknown = await atrium(home.path, ['tool', 'setup', 'locked', '--secret', 'other'])
  assert.deepEqual([unknown.code, /locked has no secret other/.test(unknown.stderr)], [2, true], unknown.stderr)
  const forgotten = await atrium(home.path, ['tool', 'forget', 'locked', 'other'])
  assert.deepEqual([forgotten.code, forgotten.stdout], [1, ''], forgotten.stderr)
  const again = await atrium(home.path, ['tool', 'test', 'locked', '--params', params, '--json'])
  assert.doesNotMatch(again.stdout, /meteo_key|hush/)
  await atrium(home.path, ['tool', 'remove', 'locked'])

  assert.equal((await install('locked', file('g.json', locked), '--yes')).code, 0)
  const stranger = await atrium(home.path, ['tool', 'test', 'locked', '--params', params, '--json'])
  assert.match(stranger.stdout, /meteo_key.*which is not set/, 'a secret outlived its tool')
  await atrium(home.path, ['tool', 'remove', 'locked'])
})

test('a secret to forget that is not there is told with the command that shows the tool', async () => {
  const ran = await atrium(home.path, ['tool', 'forget', 'weather', 'none'])
  assert.deepEqual([ran.code, ran.stdout], [1, ''])
  assert.match(ran.stderr, /weather has no secret none: see `\S*atrium tool info weather`$/m)
})

test('an optional secret may be left out; one that is needed may not', async () => {
  const setup = { required_secrets: [{ name: 'spare', optional: true }] }
  assert.equal((await install('easy', file('easy.json', { ...capabilities, setup }))).code, 0)
  const ran = await atrium(home.path, ['tool', 'setup', 'easy'], { input: '\n' })
  assert.deepEqual([ran.code, ran.stdout], [0, 'Left spare as it is.\n'])
  const needed = { required_secrets: ['spare'] }
  assert.equal((await install('easy', file('easy.json', { ...capabilities, setup: needed }), '--yes')).code, 0)
  const refusal = await atrium(home.path, ['tool', 'setup', 'easy'], { input: '\n' })
  assert.deepEqual([refusal.code, /nothing was stored/.test(refusal.stderr)], [2, true])
  await atrium(home.path, ['tool', 'remove', 'easy'])
})

test('a secret that only a credential names can be set up', async () => {
  const credentials = {
    main: {
      secret_name: 'lone_key',
      location: { type: 'bearer' },
      host_patterns: [capabilities.http.allowlist[0]?.host],
    },
  }
  const path = file('lone.json', { ...capabilities, http: { ...capabilities.http, credentials } })
  assert.equal((await install('lone', path, '--yes')).code, 0)
  const ran = await atrium(home.path, ['tool', 'setup', 'lone'], { input: 'hush\n' })
  assert.deepEqual([ran.code, ran.stdout], [0, 'Stored lone_key.\n'])
  await atrium(home.path, ['tool', 'remove', 'lone'])
})

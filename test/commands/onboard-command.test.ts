// A home that is prepared before its first start.
import assert from 'node:assert/strict'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { writeWebhookSecret } from '#commands/onboard-house.ts'
import { atrium } from '../atrium.ts'
import { newHome } from '../new-home.ts'

const home = newHome()
after(home.remove)

test('`onboard` makes the token that the first start would, tells where it is and not what it is, and leaves it alone later', async () => {
  const file = join(home.path, 'webui-token')
  const first = await atrium(home.path, ['onboard'])
  assert.equal(first.code, 0, first.stderr)
  const token = readFileSync(file, 'utf8')
  assert.match(first.stdout, /is ready\.\nThe operator's token is new: \S+webui-token\n/)
  assert(!first.stdout.includes(token.trim()))
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const again = await atrium(home.path, ['onboard', '--json'], { env: { SERVICE_REBORN_WEBUI_TOKEN: 'x'.repeat(32) } })
  const told = JSON.parse(again.stdout) as Record<string, unknown>
  assert.deepEqual([told['token_file'], told['token_made'], told['token_replaced']], [file, false, true])
  assert.equal(readFileSync(file, 'utf8'), token)
})

test('a token that connecting a model has made is new, too', async (t) => {
  const fresh = newHome()
  t.after(fresh.remove)
  const flags = ['onboard', '--provider', 'offline', '--yes']
  assert.match((await atrium(fresh.path, flags)).stdout, /is ready\.\nThe operator's token is new: /)
  assert.match((await atrium(fresh.path, flags)).stdout, /is ready\.\nThe operator's token was there already: /)
})

test('no other model is tested in place of the one that the flags name', async (t) => {
  const fresh = newHome()
  t.after(fresh.remove)
  const env = { LLM_PROVIDER: 'offline' }
  const refused = await atrium(fresh.path, ['onboard', '--provider', 'ollama', '--yes'], { env })
  const stderr = 'error: LLM_PROVIDER in the environment wins over --provider: unset it, or leave --provider out\n'
  assert.deepEqual(refused, { code: 2, stdout: '', stderr })
  assert.deepEqual(readdirSync(fresh.path), [], 'nothing is stored')
})

test('a webhook secret is made once: a later `onboard` finds it in the file', () => {
  const file = join(home.path, 'variables.env')
  writeFileSync(file, 'A=1\n#HTTP_WEBHOOK_SECRET=old\nHTTP_WEBHOOK_SECRET=')
  chmodSync(file, 0o644)
  const secret = writeWebhookSecret(file)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(writeWebhookSecret(file), secret)
  assert.equal(readFileSync(file, 'utf8').split(secret).length, 2)
  writeFileSync(file, 'HTTP_WEBHOOK_SECRET="mine"\n')
  assert.equal(writeWebhookSecret(file), 'mine')
})

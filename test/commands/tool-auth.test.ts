// Signing a tool in and setting it up on a real terminal, against a real OAuth server.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { after, before, test } from 'node:test'
import { atrium, atriumEnv, mainFile } from '../atrium.ts'
import { needsTmux, type Screen, startTmux, type Tmux } from '../doors/terminal/tmux.ts'
import { openAuthHome, type AuthHouse } from '../sandbox/auth/house.ts'
import { browse } from '../sandbox/auth/browser.ts'

const root = join(import.meta.dirname, '..', '..')
const options = needsTmux()
/** A link on one row. */
const columns = 2_000
const hidden = 'not-to-be-seen'

let tmux: Tmux
before(() => {
  if (options.skip === undefined) tmux = startTmux()
})
after(() => tmux?.end())

function run({ home, env }: AuthHouse, args: string, more: Record<string, string> = {}): Promise<Screen> {
  const command = `'${process.execPath}' --disable-warning=ExperimentalWarning '${mainFile}' ${args}`
  return tmux.open({ columns, command, env: { ...atriumEnv(home), ...env, ...more } })
}

/** A folder with an xdg-open that signs in at the issuer, as a person with a browser would. */
function desktop({ home, issuer }: AuthHouse): Record<string, string> {
  const bin = join(home, 'bin')
  mkdirSync(bin)
  const file = join(bin, 'xdg-open')
  const browser = join(root, 'test', 'sandbox', 'auth', 'browser.ts')
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${browser}' "$1" '${issuer.url}'\n`)
  chmodSync(file, 0o755)
  return { DISPLAY: ':7', PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` }
}

/** What the service behind the tool makes of a call, which it only answers to a token of its own. */
async function calls({ home, env }: AuthHouse, tool: string): Promise<string> {
  const { stdout, stderr } = await atrium(home, ['tool', 'test', tool, '--params', '{}', '--json'], { env: { ...env } })
  assert.notEqual(stdout, '', stderr)
  const { requests } = JSON.parse(stdout) as { requests: { status: number | null }[] }
  return requests.map(({ status }) => status).join()
}

async function install({ home }: AuthHouse, name: string, change: (file: Record<string, unknown>) => object) {
  const path = join(home, `${name}.json`)
  const file = JSON.parse(readFileSync(join(home, 'things.json'), 'utf8')) as Record<string, unknown>
  writeFileSync(path, JSON.stringify(change(file)))
  const args = ['tool', 'install', join(home, 'things.wasm'), '--capabilities', path, '--name', name, '--yes']
  const { code, stderr } = await atrium(home, args)
  assert.equal(code, 0, stderr)
}

test('the browser of the machine is opened, comes back by itself, and the tool is signed in', options, async (t) => {
  const house = await openAuthHome(t, { instructions: 'Make a token by hand.' })
  const screen = await run(house, 'tool auth things', desktop(house))
  const text = await screen.shows(/ended with 0/)
  assert.match(text, /Sign in here:/)
  assert.doesNotMatch(text, /by hand/, 'the words for a token are not for OAuth')
  assert.match(text, /Stored things_token\./)
  assert.equal(await calls(house, 'things'), '200')
})

test('without a browser the link is printed, and the address it ends at is pasted', options, async (t) => {
  const house = await openAuthHome(t)
  const screen = await run(house, 'tool auth things --no-browser')
  const link = /^ {2}(http:\/\/\S+)$/m.exec(await screen.shows(/paste the address/))?.[1] ?? ''
  const address = await browse(link, house.issuer.url)
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/callback\?code=/)
  await screen.paste(address)
  await screen.keys('Enter')
  await screen.shows(/Stored things_token\.\s+ended with 0/)
  assert.equal(await calls(house, 'things'), '200')

  await install(house, 'other', (file) => file)
  const declined = await run(house, 'tool auth other --no-browser')
  const offer = await declined.shows(/Use it for other too\? \[y\/N\]/)
  const { host } = new URL(house.issuer.url)
  assert.ok(offer.includes(`The tool things has a secret things_token. other would send it to ${host}.`), offer)
  await declined.type('n')
  await declined.keys('Enter')
  await declined.shows(/Sign in here:/)
  await declined.paste('http://127.0.0.1:1/callback?code=forged&state=forged')
  await declined.keys('Enter')
  await declined.shows(/another sign-in[^]*ended with [1-9]/)
  assert.equal(await calls(house, 'other'), '')

  const agreed = await run(house, 'tool auth other')
  await agreed.shows(/Use it for other too\? \[y\/N\]/)
  await agreed.type('y')
  await agreed.keys('Enter')
  await agreed.shows(/other uses things_token of things from now on\.\s+ended with 0/)
  assert.equal(await calls(house, 'other'), '200')
  const { stdout } = await atrium(house.home, ['tool', 'shares', '--json'])
  assert.deepEqual(JSON.parse(stdout), [{ tool: 'other', secret: 'things_token', from: 'things' }])
})

test('a set-up asks for each secret, shows none, and takes nothing for an optional one', options, async (t) => {
  const house = await openAuthHome(t, { oauth: undefined })
  const secrets = ['client_id', { name: 'extra', prompt: 'Only for large accounts.', optional: true }, 'last']
  await install(house, 'wide', (file) => ({ ...file, setup: { required_secrets: secrets } }))
  const screen = await run(house, 'tool setup wide')
  const answer = async (question: RegExp, value: string): Promise<void> => {
    await screen.shows(question)
    await screen.type(value)
    await screen.keys('Enter')
  }
  await answer(/client_id of the tool wide: *$/m, `${hidden}-1`)
  await answer(/The tool wide says:\s+Only for large accounts\.\s+extra of the tool wide \(optional, Enter/, '')
  await answer(/Left extra as it is\.\s+last of the tool wide: *$/m, `${hidden}-2`)
  const text = await screen.shows(/ended with 0/)
  assert.match(text, /Stored client_id\.[^]*Stored last\./)
  assert.doesNotMatch(text, new RegExp(hidden))

  const again = await run(house, 'tool setup wide')
  await again.shows(/client_id of the tool wide \(set already, Enter leaves it as it is\): *$/m)
  await again.keys('C-c')
  await again.shows(/ended with [1-9]/)
})

test('a token is asked for with the words of the file, and not shown', options, async (t) => {
  const house = await openAuthHome(t, { oauth: undefined, instructions: 'Make one.', token_hint: 'It begins with t_.' })
  const screen = await run(house, 'tool auth things')
  await screen.shows(
    /The tool things says:\s+Make one\.\s+It begins with t_\.\s+Token for Things \(the tool things\): *$/m,
  )
  await screen.type(hidden)
  await screen.keys('Enter')
  assert.doesNotMatch(await screen.shows(/Stored things_token\.\s+ended with 0/), new RegExp(hidden))
  assert.equal(await calls(house, 'things'), '401')
})

// `atrium notify`: ways and quiet hours, without a running service.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { atrium } from '../atrium.ts'
import { newHome } from '../new-home.ts'

const home = newHome()
after(() => home.remove())
const received: (string | undefined)[] = []
const server = createServer((request, response) => {
  received.push(request.headers['title'] as string)
  response.writeHead(request.url === '/gone' ? 410 : 200).end()
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => server.close())
const { port } = server.address() as AddressInfo
const notify = (...args: string[]) =>
  atrium(home.path, ['notify', ...args], { env: { ATRIUM_PRIVATE_HOSTS: `127.0.0.1:${port}` } })

test('ways are added, listed, tested and removed', async () => {
  assert.match((await notify('list')).stdout, /^No ways yet\. Add one: (\S*\/)?atrium notify add ntfy /)
  const none = await notify('test')
  assert.deepEqual([none.code, none.stdout.startsWith('No ways yet.')], [1, true], 'nobody was told')
  const added = await notify('add', 'ntfy', `http://127.0.0.1:${port}/topic`, '--events', 'failed, needs_you')
  const id = /^Added (\S+): needs_you, failed\.\n/.exec(added.stdout)?.[1] ?? ''
  assert.ok(id !== '', added.stdout + added.stderr)
  const listed = new RegExp(`${id}  ntfy  http://127.0.0.1:${port}/topic  needs_you, failed  titles only`)
  assert.match((await notify('list')).stdout, listed)
  const tested = await notify('test', id)
  assert.deepEqual([tested.code, tested.stdout, received], [0, `ntfy at 127.0.0.1:${port}: sent\n`, ['Atrium']])
  await notify('add', 'ntfy', `http://127.0.0.1:${port}/gone`, '--content')
  assert.equal((await notify('test', id)).stdout, `ntfy at 127.0.0.1:${port}: sent\n`, 'that one alone')
  const all = await notify('test')
  assert.equal(all.code, 1)
  assert.match(all.stdout, /: sent\n.*: removed, it is gone: the ntfy server answered 410\n/)
  assert.match((await notify('list')).stdout, /Removed: ntfy at .*, because the ntfy server answered 410\n/)
  assert.equal((await notify('remove', id)).stdout, 'Removed.\n')
  const missing = await notify('remove', id)
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /^error: the way does not exist: see `\S*atrium notify list`\n$/)
})

test('an address that is added again keeps what is not chosen anew', async () => {
  const topic = `http://127.0.0.1:${port}/again`
  const messages = async () => / {2}(with content|titles only)\n/.exec((await notify('list')).stdout)?.[1]
  const first = await notify('add', 'ntfy', topic, '--content', '--events', 'failed')
  const id = /^Added (\S+): failed\.\n/.exec(first.stdout)?.[1] ?? ''
  const again = await notify('add', 'ntfy', topic)
  assert.equal(again.stdout.split('\n')[0], `${id} has this address already: failed.`)
  assert.equal(await messages(), 'with content')
  await notify('add', 'ntfy', topic, '--no-content')
  assert.equal(await messages(), 'titles only')
  assert.equal((await notify('remove', id)).stdout, 'Removed.\n')
})

test('quiet hours are set and switched off', async () => {
  const set = await notify('quiet', '22:00-7:30', '--zone', 'Europe/Zurich')
  assert.equal(set.stdout, 'Quiet from 22:00 to 07:30 (Europe/Zurich).\n')
  assert.match((await notify('list')).stdout, /\nQuiet from 22:00 to 07:30 \(Europe\/Zurich\)\n/)
  assert.equal((await notify('quiet', 'off')).stdout, 'Quiet hours are off.\n')
})

test('what cannot be is said with its field, and changes nothing', async () => {
  for (const [args, words] of [
    [
      ['add', 'fax', 'x'],
      /a way is ntfy, not fax; telegram is added by .*atrium telegram pair, push is added by the Settings page/,
    ],
    [['add', 'pu', 'x'], /a way is ntfy, not pu; /],
    [['add', 'push', 'x'], /push is added by the Settings page/],
    [['add', 'telegram'], /^error: telegram is added by \S*atrium telegram pair\n$/],
    [['add', 'ntfy'], /ntfy needs the address of a topic: \S*atrium notify add ntfy https:\/\/ntfy\.sh\/TOPIC\n$/],
    [['add', 'ntfy', 'topic'], /url is refused: the URL is not of the form/],
    [['add', 'ntfy', 'https://ntfy.sh/'], /url has no topic/],
    [
      ['add', 'ntfy', 'http://127.0.0.1:1/x'],
      /url is refused: 127\.0\.0\.1 is a loopback address.*ATRIUM_PRIVATE_HOSTS/,
    ],
    [
      ['add', 'ntfy', 'https://ntfy.sh/x', '--events', 'all'],
      /events has "all": it may have needs_you, finished, failed/,
    ],
    [['quiet', '22:00-07:00-08:00'], /quiet hours are like 22:00-07:00, or off, not 22:00-07:00-08:00/],
    [['quiet', 'night'], /quiet hours are like 22:00-07:00, or off, not night/],
    [['quiet', '22:00-22:00'], /22:00-22:00 begins and ends at once: `\S*atrium notify quiet off` ends quiet hours/],
    [['quiet', '22-7'], /quiet hours are like 22:00-07:00, or off, not 22-7/],
    [['quiet', '25:00-07:00'], /quiet\.from must be a time such as 22:00/],
    [['quiet', '22:00-07:00', '--zone', 'Mars'], /quiet\.zone "Mars" is no time zone/],
  ] as const) {
    const { code, stderr } = await notify(...args)
    assert.equal(code, 2, stderr)
    assert.match(stderr, words)
  }
  assert.equal((await notify('list', '--json')).stdout.includes('"ways": []'), true)
})

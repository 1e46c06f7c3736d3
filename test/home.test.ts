// The home and what is kept in it: private, its owner's, and left alone when it is not.
import assert from 'node:assert/strict'
import fs, {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { lockHome, masterKey, openHome, provisionedToken } from '#home.ts'
import { findSocket, takeSocket } from '#home/socket.ts'
import { openAllFiles } from './full-files.ts'
import { newHome } from './new-home.ts'
import { openSmallDisk } from './proof/small-disk.ts'

const root = process.getuid?.() === 0 ? {} : { skip: 'only root can give a file away' }
const stranger = 65_534

function homeOf(t: TestContext): string {
  const { path, remove } = newHome()
  t.after(remove)
  return path
}

async function listen(t: TestContext, path: string): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(path, resolve))
  t.after(() => server.close())
}

test('a home that stood open is closed to others', (t) => {
  const path = homeOf(t)
  chmodSync(path, 0o755)
  openHome(path)
  assert.equal(statSync(path).mode & 0o777, 0o700)
})

test('a home behind a symbolic link to nothing is refused, with the way out', (t) => {
  const path = homeOf(t)
  const link = join(path, 'link')
  symlinkSync('/mnt/none', link)
  const told = {
    code: 'home_unwritable',
    message: /link is a symbolic link to \/mnt\/none, which is not there: .*ATRIUM_HOME/,
  }
  for (const home of [link, join(link, 'below')]) assert.throws(() => openHome(home), told)
})

test('the key and the token are made once, private, and read again', (t) => {
  const home = openHome(homeOf(t))
  const [key, token] = [masterKey(home, undefined), provisionedToken(home)]
  assert.deepEqual([masterKey(home, undefined), provisionedToken(home)], [key, token])
  for (const name of ['master-key', 'webui-token']) assert.equal(statSync(join(home.path, name)).mode & 0o777, 0o600)
})

test('what a process of the same id in another container is making in the home is left alone', (t) => {
  const path = homeOf(t)
  const { pid } = process
  const others = [`.probe-${pid}`, `master-key.${pid}.new`, `webui-token.${pid}.new`]
  for (const name of others) writeFileSync(join(path, name), 'other')
  const home = openHome(path)
  masterKey(home, undefined)
  provisionedToken(home)
  for (const name of others) assert.equal(readFileSync(join(path, name), 'utf8'), 'other')
})

test('a home on a disk that became read-only can be read, and nothing else', (t) => {
  const path = homeOf(t)
  const refused = t.mock.method(fs, 'chmodSync', () => {
    throw Object.assign(new Error('EROFS: read-only file system, chmod'), { code: 'EROFS' })
  })
  syncBuiltinESMExports()
  t.after(() => {
    refused.mock.restore()
    syncBuiltinESMExports()
  })
  assert.throws(() => openHome(path), { code: 'home_unwritable' })
  assert.equal(openHome(path, { toRead: true }).path, path)
})

test('the key and the token are made on a disk without hard links too', (t) => {
  const home = openHome(homeOf(t))
  const refused = t.mock.method(fs, 'linkSync', () => {
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' })
  })
  syncBuiltinESMExports()
  t.after(() => {
    refused.mock.restore()
    syncBuiltinESMExports()
  })
  const [key, token] = [masterKey(home, undefined), provisionedToken(home)]
  assert.equal(refused.mock.callCount(), 2)
  assert.deepEqual([masterKey(home, undefined), provisionedToken(home)], [key, token])
  assert.deepEqual(readdirSync(home.path).sort(), ['lock', 'master-key', 'webui-token'])
})

test('a key and a token for which the disk has no room leave no file, and are made once there is some', async (t) => {
  const disk = await openSmallDisk(homeOf(t))
  if (!disk) return t.skip('no namespaces can be made here')
  t.after(() => disk.close())
  const home = openHome(disk.path)
  // A size of nothing would be a disk without a bound.
  writeFileSync(join(disk.path, 'other'), 'other')
  await disk.fill()
  assert.throws(() => masterKey(home, undefined), { code: 'disk_full', message: /master-key .*free some space/ })
  assert.throws(() => provisionedToken(home), { code: 'disk_full' })
  assert.deepEqual(readdirSync(disk.path).sort(), ['lock', 'other'])
  await disk.empty()
  assert.match(masterKey(home, undefined), /^[0-9a-f]{64}$/)
  assert.match(provisionedToken(home), /^atr_/)
  assert.deepEqual(readdirSync(disk.path).sort(), ['lock', 'master-key', 'other', 'webui-token'])
})

test('a home that cannot be opened because too many files are open is not told as one of somebody else', (t) => {
  const home = openHome(homeOf(t))
  using _ = openAllFiles()
  for (const use of [() => openHome(home.path), () => lockHome(home), () => masterKey(home, undefined)])
    assert.throws(use, { code: 'overloaded', message: /^too many open files: .*`ulimit -n/ })
})

test('a damaged token file is told by its name and not replaced', (t) => {
  const home = openHome(homeOf(t))
  writeFileSync(join(home.path, 'webui-token'), 'short\n')
  assert.throws(() => provisionedToken(home), /webui-token has invalid content/)
})

for (const name of ['', 'master-key', 'webui-token', 'socket']) {
  test(`root does not use a ${name || 'home'} of somebody else`, root, async (t) => {
    const path = homeOf(t)
    const home = openHome(path)
    masterKey(home, undefined)
    provisionedToken(home)
    await listen(t, takeSocket(path))
    chownSync(join(path, name), stranger, stranger)
    const use = (): void => {
      openHome(path)
      masterKey(home, undefined)
      provisionedToken(home)
      findSocket(path)
    }
    assert.throws(use, {
      code: 'forbidden',
      message: /belongs to user 65534, but this is user 0: .*ATRIUM_HOME/,
    })
  })
}

test('a socket in a folder that others can write is not used', async (t) => {
  const path = homeOf(t)
  const socket = takeSocket(path)
  await listen(t, socket)
  assert.equal(findSocket(path), socket)
  chmodSync(path, 0o770)
  assert.throws(() => findSocket(path), { code: 'forbidden', message: /mode 700/ })
})

test('where no service was there is no socket, and looking makes nothing', (t) => {
  const path = homeOf(t)
  assert.equal(findSocket(join(path, 'nowhere')), undefined)
  assert.equal(findSocket(path), undefined)
  mkdirSync(join(path, 'socket'))
  assert.equal(findSocket(path), undefined)
})

// A file system of bounded size for the tables of a PostgreSQL server, which can be made full: a tmpfs in namespaces of its
// own, which needs no rights of an administrator. The server reaches it through /proc.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, stat, statfs } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { openScratch } from '../scratch.ts'

export type SmallDisk = {
  readonly path: string
  /** Leaves no room, until `empty`. */
  fill(): Promise<void>
  empty(): Promise<void>
  close(): Promise<void>
}

const roomyBytes = 4 * 1024 ** 3
const maxTries = 100
/** Mounts, says so, and then gives the file system the size that each line says. */
const script = `mount -t tmpfs -o size=$1,mode=700 tmpfs "$0" && echo done &&
  while read -r size; do mount -o remount,size="$size" "$0" && echo done || echo failed; done`

/** Undefined where a user may not make namespaces. The files belong to the owner of `folder`. */
export async function openSmallDisk(folder: string): Promise<SmallDisk | undefined> {
  const { uid, gid } = await stat(folder)
  const { path: place, remove } = openScratch('atrium-disk-')
  await chmod(place, 0o755)
  const args = ['--user', '--mount', '--map-current-user', '--keep-caps', 'sh', '-c', script, place, String(roomyBytes)]
  const child = spawn('unshare', args, { stdio: ['pipe', 'pipe', 'ignore'], uid, gid })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()).once('error', () => resolve()))
  const lines = createInterface({ input: child.stdout })
  const answer = (): Promise<string> =>
    Promise.race([once(lines, 'line').then(([line]) => String(line)), ended.then(() => 'ended')])
  const close = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
    remove()
  }
  if ((await answer()) !== 'done') {
    await close()
    return undefined
  }
  const path = `/proc/${child.pid}/root${place}`
  const resize = async (bytes: number): Promise<boolean> => {
    child.stdin.write(`${bytes}\n`)
    return (await answer()) === 'done'
  }
  return {
    path,
    async fill() {
      // What is written between the look and the new size needs another look.
      for (let left = maxTries; left > 0; left--) {
        const { blocks, bfree, bsize } = await statfs(path)
        if (await resize((blocks - bfree) * bsize)) return
      }
      throw new Error('the small disk could not be filled')
    },
    async empty() {
      if (!(await resize(roomyBytes))) throw new Error('the small disk could not be emptied')
    },
    close,
  }
}

// Writes the file of a backup: compressed, private, and under its name only once it is whole and on the disk.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { createGzip } from 'node:zlib'
import { AppError, isFullDisk } from '#core/errors.ts'
import { makerMark, removeLeftovers } from '#lib/leftovers.ts'
import { type Line, lineText, maxLineBytes } from './format.ts'

export interface BackupFile {
  /** Adds lines; waits while the disk is slower. */
  add(lines: readonly Line[]): Promise<void>
  /** Ends the file and gives it its name, in place of an earlier one. Returns its size. */
  commit(files: number): Promise<number>
  /** Removes what was written. */
  discard(): Promise<void>
}

export async function createBackupFile(target: string): Promise<BackupFile> {
  const folder = dirname(target)
  if (existsSync(folder)) removeLeftovers(folder, { start: `${basename(target)}.part-` })
  const path = `${target}.part-${makerMark()}`
  const gzip = createGzip({ level: 1 })
  const hash = createHash('sha256')
  const handle = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw faultOf(error, target)
  })
  const written = handle.writeFile(gzip)
  written.catch(() => {})

  async function send(text: string): Promise<void> {
    if (!gzip.write(text)) await Promise.race([once(gzip, 'drain'), written])
  }

  return {
    async add(lines) {
      try {
        const texts = lines.map(lineText)
        if (texts.some((text) => text.length > maxLineBytes))
          throw new AppError('too_large', 'a row is too large for a backup')
        const text = texts.join('')
        hash.update(text)
        await send(text)
      } catch (error) {
        throw faultOf(error, target)
      }
    },
    async commit(files) {
      try {
        await send(lineText({ type: 'end', files, sha256: hash.digest('hex') }))
        gzip.end()
        await written
        await handle.sync()
        const { size } = await handle.stat()
        await handle.close()
        await rename(path, target)
        await syncFolder(folder)
        return size
      } catch (error) {
        throw faultOf(error, target)
      }
    },
    async discard() {
      gzip.destroy()
      await written.catch(() => {})
      await handle.close().catch(() => {})
      await rm(path, { force: true })
    },
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function faultOf(error: unknown, target: string): unknown {
  if (error instanceof AppError) return error
  const { code, message } = error as NodeJS.ErrnoException
  if (isFullDisk(error))
    return new AppError('disk_full', `the disk of ${target} is full: no backup was written`, { cause: error })
  if (code === undefined) return error
  if (code === 'ENOENT')
    return new AppError('invalid_input', `there is no folder ${dirname(target)}: make it first`, { cause: error })
  return new AppError('invalid_input', `${target} cannot be written (${message})`, { cause: error })
}

// Reads the file of a backup line by line, in bounded memory, and checks it: form, counts and SHA-256.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { AppError } from '#core/errors.ts'
import { beginsBackup, type Header, type Line, maxLineBytes, readLine } from './format.ts'

const newline = 10

export type Summary = {
  readonly header: Header
  readonly files: number
  readonly sha256: string
  readonly bytes: number
}

/** Share of the file that was read, from 0 to 1. */
export type OnRead = (share: number) => void

/** Reads the whole file. Throws invalid_input unless it is a complete, unchanged backup. */
export async function verifyBackup(
  file: string,
  { onRead, onLine }: { onRead?: OnRead; onLine?: (line: Line) => void } = {},
): Promise<Summary> {
  let header: Header | undefined
  let end: { readonly files: number; readonly sha256: string } | undefined
  for await (const lines of readBackup(file, onRead))
    for (const line of lines) {
      if (line.type === 'header') header = line.header
      if (line.type === 'end') end = line
      onLine?.(line)
    }
  // `readBackup` has thrown where one is missing.
  if (!header || !end) throw damaged(file, 'it is not complete')
  return { header, files: end.files, sha256: end.sha256, bytes: (await stat(file)).size }
}

/** True for a file that begins as a backup does. */
export async function isBackup(file: string): Promise<boolean> {
  try {
    for await (const lines of linesOf(file)) return lines.length > 0
  } catch {}
  return false
}

/** The lines in batches. Throws at the latest after the last of them if the file is not what was written. */
export async function* readBackup(file: string, onRead?: OnRead): AsyncGenerator<readonly Line[]> {
  const check = createCheck()
  const hash = createHash('sha256')
  try {
    for await (const texts of linesOf(file, onRead)) {
      const batch: Line[] = []
      for (const text of texts) {
        const line = readLine(text.toString('utf8'))
        if (line.type === 'end') {
          if (hash.copy().digest('hex') !== line.sha256)
            throw new AppError('invalid_input', 'its SHA-256 does not match')
        } else hash.update(text).update('\n')
        check.line(line)
        batch.push(line)
      }
      yield batch
    }
    check.end()
  } catch (error) {
    throw faultOf(error, file)
  }
}

/** Checks the order of the lines and their counts. */
function createCheck() {
  let header: Header | undefined
  let columns: number | undefined
  let inFile = false
  let [files, ended] = [0, false]
  const seen = new Map<string, number>()
  let table = ''
  const refuse = (reason: string): never => {
    throw new AppError('invalid_input', reason)
  }
  return {
    line(line: Line): void {
      if (ended) refuse('there is something after its end')
      if ((line.type === 'header') !== (header === undefined)) refuse('it does not begin with the header of a backup')
      if (line.type === 'row' && line.row.length !== columns) refuse(`a row of ${table || 'no table'} is not complete`)
      if (line.type === 'part' && !inFile) refuse('it has a part of no file')
      if (line.type === 'header') header = line.header
      else if (line.type === 'table') {
        if (seen.has(line.table)) refuse(`it has the table ${line.table} twice`)
        table = line.table
        columns = line.columns.length
        seen.set(table, 0)
      } else if (line.type === 'row') seen.set(table, (seen.get(table) ?? 0) + 1)
      else if (line.type !== 'part') columns = undefined
      if (line.type === 'file' || line.type === 'link') files++
      if (line.type === 'end' && line.files !== files) refuse(`it has ${files} files, not ${line.files}`)
      inFile = line.type === 'file' || (line.type === 'part' && inFile)
      ended = line.type === 'end'
    },
    end(): void {
      if (!header || !ended) return refuse('it is not complete')
      for (const [name, count] of Object.entries(header.tables))
        if (seen.get(name) !== count) refuse(`it has ${seen.get(name) ?? 0} rows of ${name}, not ${count}`)
      if (seen.size > Object.keys(header.tables).length) refuse('it has a table that its header does not name')
    },
  }
}

/** The lines of the unpacked file, without their ends. */
async function* linesOf(file: string, onRead?: OnRead): AsyncGenerator<readonly Buffer[]> {
  const { size } = await stat(file)
  const packed = createReadStream(file, { highWaterMark: 256 * 1024 })
  const unpacked = createGunzip({ chunkSize: 256 * 1024 })
  pipeline(packed, unpacked, () => {})
  let rest: Buffer[] = []
  let restBytes = 0
  let first = true
  for await (const chunk of unpacked as AsyncIterable<Buffer>) {
    if (first && !beginsBackup(chunk.subarray(0, 64).toString('latin1'))) {
      packed.destroy()
      throw new AppError('invalid_input', 'it is no backup of Atrium')
    }
    first = false
    const lines: Buffer[] = []
    let from = 0
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      lines.push(Buffer.concat([...rest, chunk.subarray(from, at)]))
      rest = []
      restBytes = 0
      from = at + 1
    }
    if (from < chunk.length) {
      rest.push(chunk.subarray(from))
      restBytes += chunk.length - from
      if (restBytes > maxLineBytes) throw new AppError('invalid_input', 'it has a line that is too long')
    }
    onRead?.(size === 0 ? 1 : packed.bytesRead / size)
    if (lines.length > 0) yield lines
  }
  if (restBytes > 0) throw new AppError('invalid_input', 'it is not complete')
}

function faultOf(error: unknown, file: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof AppError && error.code === 'invalid_input') return damaged(file, message, error)
  if (code === 'ENOENT') return new AppError('invalid_input', `there is no file ${file}`, { cause: error })
  if (code === 'EISDIR') return new AppError('invalid_input', `${file} is a folder`, { cause: error })
  if (code === 'Z_DATA_ERROR') return damaged(file, 'it is damaged, or no backup of Atrium', error)
  if (code === 'Z_BUF_ERROR') return damaged(file, 'it is not complete', error)
  if (typeof code === 'string' && !(error instanceof AppError))
    return new AppError('invalid_input', `${file} cannot be read (${message})`, { cause: error })
  return error
}

function damaged(file: string, reason: string, cause?: unknown): AppError {
  return new AppError('invalid_input', `${file} cannot be used: ${reason}`, { cause })
}

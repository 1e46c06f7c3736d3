// Output of commands: data on standard output, errors on standard error, exit codes 0, 1 and 2. Foreign text is
// printed to a terminal without control sequences.
import { programName } from '#config.ts'
import { AppError, type ErrorCode, isFullDisk, tooManyFiles } from '#core/errors.ts'
import { cutTo } from '#core/words.ts'
import { missingPackage } from '#lib/missing.ts'
import { printable, proseOf } from '#safety/printable.ts'

export const usageExit = 2

const maxLineChars = 300

const exits: { readonly [C in ErrorCode]?: number } = {
  invalid_config: usageExit,
  invalid_input: usageExit,
}

/** Prints an error and sets the exit code. Only a bug shows its stack. */
export function failure(error: unknown): void {
  process.exitCode = error instanceof AppError ? (exits[error.code] ?? 1) : 1
  process.stderr.write(`${wordsOf(error)}\n`)
}

function wordsOf(thrown: unknown): string {
  const error = tooManyFiles(thrown) ?? tooManyFiles((thrown as Error | undefined)?.cause) ?? thrown
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  if (error instanceof AppError && error.code === 'interrupted') return message
  if (error instanceof AppError) return `${mark()} ${pasteable(printable(message, { lines: true }))}`
  const missing = missingPackage(error)
  if (missing) return `${mark()} ${missing}`
  if (isFullDisk(error)) return `${mark()} the disk is full (${message}): make room and try again`
  if (isFileFault(error)) {
    const why = message.replace(/ '.*$/s, '')
    return `${mark()} ${printable(error.dest ?? error.path)} cannot be used (${why}): name another file or folder, or change this one`
  }
  return `atrium ran into a bug: ${printable(stack ?? message, { lines: true })}`
}

/** The system refused a file or folder, mostly one that an argument names. */
function isFileFault(error: unknown): error is Error & { readonly path: string; readonly dest?: string } {
  return error instanceof Error && 'syscall' in error && 'path' in error && typeof error.path === 'string'
}

function mark(): string {
  return paint('31', 'error:', process.stderr)
}

/** Runs a command and reports its error, if it throws. */
export async function reporting(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    failure(error)
  }
}

/** Runs work on something that is named by its user. The error of an unknown one says which command lists the known ones. */
export async function listedBy<T>(command: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
    throw new AppError('not_found', `${error.message}: see \`${command}\``, { cause: error })
  }
}

/** An error whose message may quote foreign text, safe to print on a terminal. */
export function inPlainText(error: unknown): unknown {
  return error instanceof AppError ? new AppError(error.code, printable(error.message), { cause: error }) : error
}

/** Prints data as JSON or as text. */
export function print(options: { json?: boolean }, data: unknown, text: string): void {
  process.stdout.write(options.json ? jsonText(data, 2) : `${pasteable(text).replace(/\n$/, '')}\n`)
}

/** Prints words to standard output. */
export function say(words: string): void {
  process.stdout.write(`${pasteable(words)}\n`)
}

/** Prints one value to standard output, and beside it on standard error what a person should know: scripts read the value alone. */
export function printValue(
  options: { json?: boolean },
  data: unknown,
  { value, note }: { value: string; note: string },
): void {
  print(options, data, value)
  if (!options.json) process.stderr.write(`\n${pasteable(note)}\n`)
}

/** The text with its commands written so that they work in this shell, where `atrium` may not be on the PATH. Paths stay. */
export function pasteable(text: string): string {
  return text.replaceAll(
    /(?<!\/)\batrium (?=(backup|completion|doctor|export|gates|grants|help|login|mcp|memory|mission|model|notify|onboard|policy|prune|receipt|restore|run|secret|serve|service|skill|status|telegram|threads|tool|user|version)\b)/g,
    () => {
      return `${programName()} `
    },
  )
}

/** A word in single quotes, as shells read it. */
export function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** JSON that is safe on a terminal: control characters that JSON does not escape are escaped too. */
export function jsonText(data: unknown, indent?: number): string {
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  const escaped = JSON.stringify(data, null, indent).replaceAll(/[\u007f-\u009f]/g, (letter) => {
    return `\\u00${letter.charCodeAt(0).toString(16)}`
  })
  return `${escaped}\n`
}

/** Colours a text if the stream is a terminal with colours. */
export function paint(code: string, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return stream.hasColors?.() ? `\u001b[${code}m${text}\u001b[0m` : text
}

/** A time of ISO 8601 in UTC to the minute, for tables. */
export function minuteOf(time: string): string {
  return `${time.slice(0, 16)}Z`
}

/** Rows as text with aligned columns, a line each. */
export function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => proseOf(cell.replaceAll(/[\r\n\t]+/g, ' '))))
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)))
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** The first line of a foreign text that is not empty, for tables. */
export function firstLine(text: string): string {
  const line = text.trimStart().split('\n', 1)[0] ?? ''
  return printable(cutTo(line, maxLineChars))
}

/** Truncates lines to the width of the terminal, which would wrap them within a word. Output to a pipe is not truncated. */
export function inColumns(text: string, columns = process.stdout.isTTY ? process.stdout.columns : undefined): string {
  if (columns === undefined || columns < 1) return text
  return text
    .split('\n')
    .map((line) => cutTo(line, columns))
    .join('\n')
}

/** Ends the process when output fails: silently when the reader closed the pipe, else with an error line. */
export function endWithOutput(): void {
  process.stdout.on('error', endOfOutput)
  process.stderr.on('error', () => {})
}

/** Ignores output errors: a service must outlive the reader of its first lines. */
export function outliveOutput(): void {
  process.stdout.off('error', endOfOutput).on('error', () => {})
  process.stderr.on('error', () => {})
}

function endOfOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit()
  process.stderr.write(`${mark()} the output could not be written (${error.code ?? error.message})\n`)
  process.exit(1)
}

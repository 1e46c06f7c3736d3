// How commands speak: data on standard output, faults on standard error, exit codes 0, 1, 2 and 130. What others wrote
// reaches a terminal without its control sequences.
import { programName } from '#config.ts'
import { AppError, type ErrorCode } from '#core/errors.ts'
import { missingPackage } from '#lib/missing.ts'
import { printable } from '#safety/printable.ts'

export const usageExit = 2
export const interruptedExit = 130

const exits: { readonly [C in ErrorCode]?: number } = {
  invalid_config: usageExit,
  invalid_input: usageExit,
  interrupted: interruptedExit,
}

/** Tells a fault in words and sets the exit code. Only a bug shows its stack. */
export function failure(error: unknown): void {
  process.exitCode = error instanceof AppError ? (exits[error.code] ?? 1) : 1
  process.stderr.write(`${wordsOf(error)}\n`)
}

function wordsOf(error: unknown): string {
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  if (error instanceof AppError && error.code === 'interrupted') return message
  if (error instanceof AppError) return `${mark()} ${pasteable(printable(message, { lines: true }))}`
  const missing = missingPackage(error)
  if (missing) return `${mark()} ${missing}`
  return `atrium ran into a bug: ${printable(stack ?? message, { lines: true })}`
}

function mark(): string {
  return paint('31', 'error:', process.stderr)
}

/** Runs a command and tells its fault, if it has one. */
export async function reporting(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    failure(error)
  }
}

/** Prints data as JSON or as text. */
export function print(options: { json?: boolean }, data: unknown, text: string): void {
  process.stdout.write(options.json ? jsonText(data, 2) : `${pasteable(text).replace(/\n$/, '')}\n`)
}

/** A text whose commands can be pasted into this shell, where `atrium` may not be on the PATH. */
export function pasteable(text: string): string {
  return text.replaceAll(
    /\batrium (?=(doctor|gates|grants|memory|model|onboard|policy|receipt|run|secret|serve|status|threads|tool|user)\b)/g,
    () => {
      return `${programName()} `
    },
  )
}

/** JSON that a terminal can be shown: the control letters that JSON lets through are written by their numbers. */
export function jsonText(data: unknown, indent?: number): string {
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  const escaped = JSON.stringify(data, null, indent).replaceAll(/[\u007f-\u009f]/g, (letter) => {
    return `\\u00${letter.charCodeAt(0).toString(16)}`
  })
  return `${escaped}\n`
}

/** Colours a text on a terminal that wants colours, and only there. */
export function paint(code: string, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return stream.hasColors?.() ? `\u001b[${code}m${text}\u001b[0m` : text
}

/** Columns that line up. */
export function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => printable(cell)))
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

/** Lines that end where the terminal does, which would break them within a word; a pipe gets all of them. */
export function inColumns(text: string, columns = process.stdout.isTTY ? process.stdout.columns : undefined): string {
  if (columns === undefined || columns < 1) return text
  const cut = (line: string): string => (line.length > columns ? `${line.slice(0, columns - 1)}…` : line)
  return text.split('\n').map(cut).join('\n')
}

/** Ends a command whose output goes nowhere: in silence when its reader had enough, else with a line. */
export function endWithOutput(): void {
  process.stdout.on('error', endOfOutput)
  process.stderr.on('error', () => {})
}

/** A service outlives whoever read its first lines. */
export function outliveOutput(): void {
  process.stdout.off('error', endOfOutput).on('error', () => {})
  process.stderr.on('error', () => {})
}

function endOfOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit()
  process.stderr.write(`${mark()} the output could not be written (${error.code ?? error.message})\n`)
  process.exit(1)
}

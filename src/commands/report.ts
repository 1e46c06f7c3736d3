// How commands speak: data on standard output, faults on standard error, exit codes 0, 1 and 2.
import { AppError } from '#core/errors.ts'

export const usageExit = 2

/** Tells a fault in words and sets the exit code. Only a bug shows its stack. */
export function failure(error: unknown): void {
  if (error instanceof AppError) {
    process.stderr.write(`${paint('31', 'error:', process.stderr)} ${error.message}\n`)
    process.exitCode = error.code === 'invalid_config' || error.code === 'invalid_input' ? usageExit : 1
    return
  }
  process.stderr.write(
    `atrium ran into a bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  )
  process.exitCode = 1
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
  process.stdout.write(options.json ? `${JSON.stringify(data, null, 2)}\n` : text.endsWith('\n') ? text : `${text}\n`)
}

/** Colours a text on a terminal that wants colours, and only there. */
export function paint(code: string, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return stream.hasColors?.() ? `\u001b[${code}m${text}\u001b[0m` : text
}

/** Columns that line up. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

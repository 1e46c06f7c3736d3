// `atrium` without a command: on a terminal a chat with the doors open; elsewhere the same as `atrium serve`.
import { fstatSync } from 'node:fs'
import { type Flags, loadConfig } from '#config.ts'
import { AppError } from '#core/errors.ts'
import type { ThreadOptions } from './thread-option.ts'
import { reporting } from './report.ts'

export async function start(flags: Flags = {}, options: ThreadOptions = {}): Promise<void> {
  await reporting(async () => {
    if (isSomeoneThere(endsOf(process)) && loadConfig({}, flags).terminal)
      await (await import('./chat-command.ts')).chat(flags, options)
    else if (options.continue || options.thread !== undefined)
      throw new AppError(
        'invalid_input',
        '--continue and --thread need a terminal; `atrium run` takes both without one',
      )
    else await (await import('./serve-command.ts')).serve(flags)
  })
}

type End = 'terminal' | 'pipe' | 'other'

/** True when a person is at a terminal, at both ends or with a pipe at the other end. A service has no terminal. */
export function isSomeoneThere({ input, output }: { readonly input: End; readonly output: End }): boolean {
  return (input === 'terminal' && output !== 'other') || (output === 'terminal' && input !== 'other')
}

function endsOf({ stdin, stdout }: Pick<NodeJS.Process, 'stdin' | 'stdout'>) {
  const endOf = (terminal: boolean, fd: number): End =>
    terminal ? 'terminal' : fstatSync(fd).isFIFO() ? 'pipe' : 'other'
  return { input: endOf(stdin.isTTY, 0), output: endOf(stdout.isTTY, 1) }
}

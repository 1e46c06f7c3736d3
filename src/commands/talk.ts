// Questions on a terminal for `atrium onboard`. The package behind it is loaded there alone.
import { AppError } from '#core/errors.ts'

export type TalkOption<T extends string> = { readonly value: T; readonly label: string; readonly hint?: string }

/** A conversation on a terminal. Ctrl+C ends it: every question then throws interrupted. */
export type Talk = {
  open(title: string): void
  choose<T extends string>(question: string, options: readonly TalkOption<T>[]): Promise<T>
  /** `check` returns what is wrong with a text. */
  text(question: string, options: { initial?: string; check: (text: string) => string | undefined }): Promise<string>
  secret(question: string): Promise<string>
  /** Shows that something takes time. */
  during<T>(words: string, work: Promise<T>): Promise<T>
  tell(words: string): void
  warn(words: string): void
  close(words: string): void
}

export async function openTalk(): Promise<Talk> {
  const clack = await import('@clack/prompts')
  const answer = async (asked: Promise<string | symbol>): Promise<string> => {
    const given = await asked
    if (typeof given === 'string') return given.trim()
    clack.cancel('Stopped: what was confirmed is stored, nothing more was done.')
    throw new AppError('interrupted', '')
  }
  return {
    open: (title) => clack.intro(title),
    async choose(message, options) {
      const chosen = await answer(
        clack.select<string>({
          message,
          options: options.map(({ value, label, hint }) => ({ value, label, ...(hint !== undefined && { hint }) })),
        }),
      )
      // One of the values was chosen.
      return chosen as never
    },
    text: (message, { initial, check }) =>
      answer(
        clack.text({
          message,
          ...(initial !== undefined && { placeholder: initial, defaultValue: initial }),
          validate: (text) => check(text || initial || ''),
        }),
      ),
    secret: (message) =>
      answer(clack.password({ message, validate: (text) => (text ? undefined : 'The key is empty.') })),
    async during(words, work) {
      const spinner = clack.spinner()
      spinner.start(words)
      try {
        return await work
      } finally {
        spinner.clear()
      }
    },
    tell: (words) => clack.log.success(wrapped(words)),
    warn: (words) => clack.log.warn(wrapped(words)),
    close: (words) => clack.outro(words),
  }
}

/** The columns that stand before a line. */
const margin = 4
const minColumns = 20

/** Breaks long lines between words: the terminal would break within one. */
export function wrapped(text: string, columns = process.stdout.columns || 80): string {
  const width = Math.max(minColumns, columns - margin)
  const lines = text.split('\n').map((line) =>
    line.split(' ').reduce<string[]>((made, word) => {
      const last = made.at(-1)
      if (last === undefined || last.length + 1 + word.length > width) return [...made, word]
      return [...made.slice(0, -1), `${last} ${word}`]
    }, []),
  )
  return lines.flat().join('\n')
}

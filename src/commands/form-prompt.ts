// Asks on a terminal for the values of a form, field by field.
import { type FormField, readField } from '#core/form.ts'
import { fieldLines } from '#doors/terminal/gate-lines.ts'
import { ask } from './prompts.ts'

/** The values of a form; a value that does not fit is asked for again. Throws interrupted. */
export async function askForm(fields: readonly FormField[]): Promise<Readonly<Record<string, unknown>>> {
  const values: [string, unknown][] = []
  for (const field of fields) {
    const value = await askField(field)
    if (value !== undefined) values.push([field.name, value])
  }
  return Object.fromEntries(values)
}

async function askField(field: FormField): Promise<unknown> {
  const [head = '', ...rest] = fieldLines(field)
  for (const line of rest) process.stderr.write(`${line}\n`)
  for (;;) {
    const read = readField(field, await ask(`${head}: `))
    if ('value' in read) return read.value
    process.stderr.write(`It ${read.problem}.\n`)
  }
}

// Asks on a terminal for the values of a form, field by field.
import { checkValues, type FormField, type InputRequest, readTyped } from '#core/form.ts'
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
  const form: InputRequest = { type: 'form', server: '', message: '', fields: [field] }
  const [head = '', ...rest] = fieldLines(field)
  for (const line of rest) process.stderr.write(`${line}\n`)
  for (;;) {
    const value = readTyped(field, await ask(`${head}: `))
    const checked = checkValues(form, Object.fromEntries(value === undefined ? [] : [[field.name, value]]))
    if ('values' in checked) return value
    process.stderr.write(`It ${checked.problem}.\n`)
  }
}

// The form of a gate, field by field: one line of input for each. Enter takes a value that fits; an empty line leaves the
// field out, or takes its default.
import { Input, matchesKey, wrapTextWithAnsi } from '@earendil-works/pi-tui'
import { type FormField, readField } from '#core/form.ts'
import { fieldLines } from './gate-lines.ts'
import type { Theme } from './theme.ts'

export interface FormInput {
  /** Handles a key. Returns the values after the last field, `back` before the first. */
  press(data: string): { readonly values: Readonly<Record<string, unknown>> } | 'back' | undefined
  render(width: number, focused: boolean): string[]
}

export function createFormInput(fields: readonly FormField[], theme: Theme): FormInput {
  const entered = new Map<string, unknown>()
  let at = 0
  let line = new Input()
  let fault = ''

  function show(next: number): void {
    at = next
    line = new Input()
    fault = ''
  }

  return {
    press(data) {
      if (matchesKey(data, 'escape')) {
        if (at === 0) return 'back'
        show(at - 1)
        return undefined
      }
      const field = fields[at]
      if (!matchesKey(data, 'enter')) {
        fault = ''
        line.handleInput(data)
        return undefined
      }
      const read = field && readField(field, line.getValue())
      if (read && 'problem' in read) {
        fault = `It ${read.problem}.`
        return undefined
      }
      if (field && read) entered.set(field.name, read.value)
      if (at < fields.length - 1) {
        show(at + 1)
        return undefined
      }
      return { values: Object.fromEntries([...entered].filter(([, each]) => each !== undefined)) }
    },
    render(width, focused) {
      const field = fields[at]
      if (!field) return []
      line.focused = focused
      const position = theme.dim(`${at + 1} of ${fields.length}  Enter goes on  Esc goes back`)
      return [
        ...fieldLines(field).flatMap((each) => wrapTextWithAnsi(each, width)),
        ...line.render(width),
        ...(fault === '' ? [] : wrapTextWithAnsi(theme.clay(`▲ ${fault}`), width)),
        position,
      ]
    },
  }
}

// Texts of a gate for the terminal.
import { fieldWords, type FormField, type InputRequest } from '#core/form.ts'
import type { Gate } from '#core/item.ts'
import { needsWords, previewText, questionOf } from '#safety/gate-question.ts'
import { printable } from '#safety/printable.ts'
import { argLines } from './format.ts'

type AskingGate = Pick<Gate, 'kind' | 'name' | 'asks' | 'credential' | 'input'>

/** The question, with its code in backticks. */
export function questionLine(gate: AskingGate): string {
  const { text, code } = questionOf(gate)
  const at = code ? text.lastIndexOf(code) : -1
  if (code === undefined || at < 0) return printable(text)
  return printable(`${text.slice(0, at)}\`${code}\`${text.slice(at + code.length)}`)
}

/** The line that says that nothing has been done yet. */
export function pendingLine(gate: AskingGate): string {
  return printable(questionOf(gate).pending)
}

/** The preview of the call, or its arguments when it has none. */
export function previewLines({ asks, args }: Pick<Gate, 'asks' | 'args'>): string[] {
  if (!asks?.preview) return argLines(args)
  return printable(previewText(asks.preview), { lines: true }).split('\n')
}

/** The purpose of a sign-in and the command for it; the tool's own prompt when there is no command. */
export function signInLines({ name, prompt, credential }: Pick<Gate, 'name' | 'prompt' | 'credential'>): string[] {
  if (credential?.command === undefined) return printable(prompt, { lines: true }).split('\n')
  return [
    printable(`${needsWords(name, credential)} The turn goes on by itself after:`),
    `  ${printable(credential.command)}`,
  ]
}

/** The server's own words, and the address of the page that it wants opened. */
export function inputLines(input: InputRequest): string[] {
  const said = printable(`${input.server}: ${input.message}`, { lines: true }).split('\n')
  return input.type === 'link' ? [...said, `  ${printable(input.url)}`] : said
}

/** A field of a form: its label, what may be entered, and the choices with their numbers. */
export function fieldLines(field: FormField): string[] {
  const preset = 'default' in field ? `, Enter alone: ${[field.default].flat().join(', ')}` : ''
  const rule = `${fieldWords(field)}${field.required ? '' : ', may be empty'}${preset}`
  const options = field.type === 'choice' || field.type === 'choices' ? field.options : []
  return [
    `${field.title ?? field.name} (${rule})`,
    ...(field.description === undefined ? [] : [field.description]),
    ...options.map(({ value, title }, at) => `  ${at + 1} ${title ?? value}`),
  ].map((line) => printable(line))
}

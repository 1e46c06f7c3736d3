// An approval or a sign-in as a terminal shows it: the words are those of the gate.
import type { Gate } from '#core/item.ts'
import { needsWords, previewText, questionOf } from '#safety/asking.ts'
import { printable } from '#safety/printable.ts'
import { argLines } from './format.ts'

type AskingGate = Pick<Gate, 'kind' | 'name' | 'asks' | 'credential'>

/** The question, with its code between backticks. */
export function questionLine(gate: AskingGate): string {
  const { text, code } = questionOf(gate)
  const at = code ? text.lastIndexOf(code) : -1
  if (code === undefined || at < 0) return printable(text)
  return printable(`${text.slice(0, at)}\`${code}\`${text.slice(at + code.length)}`)
}

/** That it waits: nothing of it has been done. */
export function pendingLine(gate: AskingGate): string {
  return printable(questionOf(gate).pending)
}

/** What the call would do, or its arguments. */
export function previewLines({ asks, args }: Pick<Gate, 'asks' | 'args'>): string[] {
  if (!asks?.preview) return argLines(args)
  return printable(previewText(asks.preview), { lines: true }).split('\n')
}

/** What a sign-in is for, and the command that does it; the words of the tool where it names none. */
export function signInLines({ name, prompt, credential }: Pick<Gate, 'name' | 'prompt' | 'credential'>): string[] {
  if (credential?.command === undefined) return printable(prompt, { lines: true }).split('\n')
  return [
    printable(`${needsWords(name, credential)} The turn goes on by itself after:`),
    `  ${printable(credential.command)}`,
  ]
}

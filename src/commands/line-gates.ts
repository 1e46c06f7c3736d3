// The open gates of a line chat: what it asks, and what a line means as the answer.
import { type FormField, readField } from '#core/form.ts'
import type { Gate } from '#core/item.ts'
import { countWords } from '#core/words.ts'
import { fieldLines, inputLines, pendingLine, previewLines, questionLine } from '#doors/terminal/gate-lines.ts'
import { printable } from '#safety/printable.ts'
import type { ChatAnswer } from '#turns/exchange.ts'

/** Longer previews are truncated. */
const maxShownChars = 4_000

export type LineAnswer = Omit<ChatAnswer, 'threadId'>

export interface LineGates {
  /** Adds a gate of the turn. A sign-in is done elsewhere, and not asked for here. */
  add(gate: Gate): void
  /** Leaves all gates open. */
  clear(): void
  /** True while a gate asks. */
  asks(): boolean
  /** The first gate, as it is shown before its question; undefined if there is none. */
  text(): string | undefined
  /** The question that the next line answers. */
  prompt(): string
  /** Takes a line: an answer, which ends the gate, or what to say about the line. */
  take(line: string): { readonly answer: LineAnswer } | { readonly say: string }
}

export function createLineGates(): LineGates {
  /** Oldest first. */
  let gates: readonly Gate[] = []
  let form: { readonly fields: readonly FormField[]; readonly entered: Map<string, unknown> } | undefined

  function answered(answer: Omit<LineAnswer, 'callId'>): { answer: LineAnswer } {
    const [gate, ...others] = gates
    gates = others
    return { answer: { callId: gate?.callId ?? '', ...answer } }
  }

  function nextField(): FormField | undefined {
    return form?.fields[form.entered.size]
  }

  function takeField(field: FormField, line: string): ReturnType<LineGates['take']> {
    const read = readField(field, line)
    if ('problem' in read) return { say: `it ${read.problem}` }
    form?.entered.set(field.name, read.value)
    return afterField()
  }

  /** The lines of the next field; after the last one the answer. */
  function afterField(): ReturnType<LineGates['take']> {
    const field = nextField()
    if (field) return { say: fieldLines(field).slice(1).join('\n') }
    const values = [...(form?.entered ?? [])].filter(([, value]) => value !== undefined)
    return answered({ decision: 'allow', values: Object.fromEntries(values) })
  }

  return {
    add(gate) {
      if (gate.kind === 'approval' || gate.input) gates = [...gates, gate]
    },
    clear() {
      gates = []
      form = undefined
    },
    asks: () => gates.length > 0,
    text: () => gates[0] && gateText(gates[0]),
    prompt() {
      const field = nextField()
      if (field) return `${fieldLines(field)[0]}: `
      const { input } = gates[0] ?? {}
      const question = !input ? 'Allow once?' : input.type === 'form' ? 'Answer it?' : 'Done there?'
      return `${question} y or n ▌ `
    },
    take(line) {
      const field = nextField()
      if (field) return takeField(field, line)
      const { input } = gates[0] ?? {}
      if (/^(n|no)$/i.test(line)) return answered({ decision: 'deny' })
      if (!/^(y|yes)$/i.test(line)) {
        const yes = !input
          ? 'allows it once'
          : input.type === 'form'
            ? 'goes through its fields'
            : 'says that you are done'
        return { say: `y ${yes}, n does not; /new leaves it open and begins another thread` }
      }
      if (!input) return answered({ decision: 'allow' })
      form = { fields: input.type === 'form' ? input.fields : [], entered: new Map() }
      return afterField()
    },
  }
}

/** A gate in lines: the question, then the effect of the call, or the form of the server. */
function gateText(gate: Gate): string {
  const { input, reason } = gate
  if (input) return `Waiting for you: ${printable(gate.prompt, { lines: true })}\n${inputLines(input).join('\n')}\n`
  const preview = previewLines(gate).join('\n')
  const shown =
    preview.length > maxShownChars
      ? `${preview.slice(0, maxShownChars)} … (${countWords(preview.length, 'character')})`
      : preview
  const why = reason ? `Asked: ${printable(reason)}\n` : ''
  return `Waiting for you: ${questionLine(gate)}  ${pendingLine(gate)}\n${shown}\n${why}`
}

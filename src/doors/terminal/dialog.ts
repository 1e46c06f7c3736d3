// The dialog of a gate: a preview of the call or a form, and the answers. It takes keys only while focused, and no answer is
// preselected: Enter alone never answers.
import { Input, matchesKey, visibleWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui'
import { doorOf } from '#core/doors.ts'
import type { OpenGate } from '#core/turn-store.ts'
import { numberWords } from '#core/words.ts'
import { scopesOfGate } from '#safety/gate-question.ts'
import { printable } from '#safety/printable.ts'
import { gateEndsAt, type GateAnswer } from '#turns/gate-answers.ts'
import { createAllowFor } from './allow-for.ts'
import { createFormInput } from './form-input.ts'
import { inputLines, pendingLine, previewLines, questionLine, signInLines } from './gate-lines.ts'
import { boxed, windowOf } from './box.ts'
import type { Theme } from './theme.ts'
import { leftWords } from './format.ts'

/** A dialog that opens by itself accepts no answer for this long: the user may be typing. */
const ignoreAnswersMs = 500
/** Minimum lines for the preview below a fixed question. With fewer, question and preview scroll together. */
const minBody = 2

export type Answer = Omit<GateAnswer, 'by'>

type Mode = 'choose' | 'for' | 'deny' | 'form'

export interface Dialog {
  readonly gate: OpenGate
  render(size: { width: number; height: number }, focused: boolean): string[]
  /** Handles a key. Returns the answer, `later` to leave the gate open, or undefined while nothing is decided. */
  press(data: string): Answer | 'later' | undefined
  /** Shows why the service refused the answer; the user can answer again. */
  refuse(why: string): void
}

export type DialogParts = {
  readonly theme: Theme
  readonly now: () => number
  /** True when the user opened the dialog; false when it opened by itself. */
  readonly asked: boolean
}

export function createDialog(open: OpenGate, { theme, now, asked }: DialogParts): Dialog {
  const { gate } = open
  const ignoreAnswersUntil = asked ? 0 : now() + ignoreAnswersMs
  const word = new Input()
  const scopes = scopesOfGate(gate)
  const { input } = gate
  const all = input ? inputLines(input) : gate.kind === 'approval' ? previewLines(gate) : signInLines(gate)
  const chars = all.join('\n').length
  const allowFor = createAllowFor(gate.name, scopes, theme)
  /** The turn came from this machine, so the dialog does not show its door. */
  const own = doorOf(open.turn.door).local
  const fields = input?.type === 'form' ? input.fields : []
  const form = createFormInput(fields, theme)
  const buttons = buttonsOf(gate)
  let mode: Mode = 'choose'
  let chosen: number | undefined
  /** Enter was pressed before an answer was chosen. */
  let hurried = false
  let from = 0
  let fault = ''
  /** The whole preview, wrapped once for each width. */
  let body: { width: number; lines: string[] } = { width: 0, lines: [] }

  function bodyOf(width: number): string[] {
    if (body.width === width) return body.lines
    body = { width, lines: all.flatMap((line) => wrapTextWithAnsi(line.replaceAll('\t', '    '), width)) }
    return body.lines
  }

  function pressChoose(data: string): Answer | 'later' | undefined {
    if (matchesKey(data, 'escape')) return 'later'
    if (matchesKey(data, 'up')) from = Math.max(0, from - 1)
    if (matchesKey(data, 'down')) from += 1
    if (buttons.length === 0 || now() < ignoreAnswersUntil) return undefined
    const last = buttons.length - 1
    if (matchesKey(data, 'right')) chosen = chosen === undefined ? 0 : Math.min(last, chosen + 1)
    if (matchesKey(data, 'left')) chosen = chosen === undefined ? last : Math.max(0, chosen - 1)
    if (!matchesKey(data, 'enter')) return undefined
    hurried = chosen === undefined
    if (chosen === undefined) return undefined
    if (input) return chooseInput(chosen)
    if (chosen === 0) return { callId: gate.callId, decision: 'allow' }
    if (chosen === 1 && scopes.length === 0) {
      fault = `${gate.once ? `${printable(gate.name)} asks each time` : `The model has read ${printable(gate.taint ?? '')}`}: this can only be allowed once.`
    } else mode = chosen === 1 ? 'for' : 'deny'
    return undefined
  }

  function chooseInput(button: number): Answer | undefined {
    if (button === 1) return { callId: gate.callId, decision: 'deny' }
    if (fields.length === 0) return { callId: gate.callId, decision: 'allow', values: {} }
    mode = 'form'
    return undefined
  }

  function pressForm(data: string): Answer | undefined {
    const done = form.press(data)
    if (done === 'back') mode = 'choose'
    return typeof done === 'object' ? { callId: gate.callId, decision: 'allow', ...done } : undefined
  }

  function pressFor(data: string): Answer | undefined {
    if (matchesKey(data, 'escape')) mode = 'choose'
    allowFor.press(data)
    return matchesKey(data, 'enter')
      ? { callId: gate.callId, decision: 'allow', grantRequest: allowFor.grantRequest() }
      : undefined
  }

  function pressDeny(data: string): Answer | undefined {
    if (matchesKey(data, 'escape')) mode = 'choose'
    else if (matchesKey(data, 'enter')) {
      const output = word.getValue().trim()
      return { callId: gate.callId, decision: 'deny', ...(output !== '' && { output }) }
    } else word.handleInput(data)
    return undefined
  }

  /** The answers, or the form of the answer being made. */
  function foot(width: number, focused: boolean): string[] {
    if (fault !== '') return wrapTextWithAnsi(theme.clay(`▲ ${fault}`), width)
    if (mode === 'deny') {
      word.focused = focused
      return [...wrapTextWithAnsi('Word to the agent (may be empty), Enter denies:', width), ...word.render(width)]
    }
    if (mode === 'for') return allowFor.render(width)
    if (mode === 'form') return form.render(width, focused)
    if (buttons.length === 0) return [theme.dim('Esc later')]
    const row = (pad: string): string =>
      buttons
        .map((label, at) => {
          const off = !input && at === 1 && scopes.length === 0
          if (focused && at === chosen) return theme.chosen(`[${pad}${label}${pad}]`)
          return off ? theme.dim(` ${pad}${label}${pad} `) : ` ${pad}${label}${pad} `
        })
        .join(pad === '' ? ' ' : '  ')
    const choose =
      hurried && chosen === undefined ? theme.sun('←→ choose, then Enter') : theme.dim('←→ choose  Esc later')
    const hint = focused ? choose : theme.dim('Tab enters')
    const gap = width - visibleWidth(row(' ')) - visibleWidth(hint)
    return gap >= 2 ? [`${row(' ')}${' '.repeat(gap)}${hint}`] : [row(gap + visibleWidth(hint) < 0 ? '' : ' '), hint]
  }

  return {
    gate: open,
    render({ width, height }, focused) {
      const inside = width - 4
      const head = wrapTextWithAnsi(`${theme.bold(questionLine(gate))}  ${theme.dim(pendingLine(gate))}`, inside)
      const reason = factsOf(gate).flatMap((facts) => wrapTextWithAnsi(theme.dim(facts), inside))
      // The answers are always visible. In a low terminal their last lines stay, since those explain Enter.
      const end = foot(inside, focused).slice(-Math.max(1, height - 2))
      const free = height - 2 - end.length
      const left = free - head.length - reason.length
      // If the question leaves too few lines for the preview, both scroll together.
      const joined = left < Math.min(minBody, bodyOf(inside).length)
      const body = joined ? [...head, ...bodyOf(inside), ...reason] : bodyOf(inside)
      const room = Math.max(0, joined ? free : left)
      const over = body.length > room
      const seen = windowOf(body, from, over ? Math.max(0, room - 1) : room)
      from = seen.from
      const size = `${numberWords(chars)} characters, `
      // Elsewhere the arrows belong to the answer that is being made.
      const scroll = mode === 'choose' ? '; ↑↓ shows the rest' : ''
      const position = `line ${seen.from + 1} of ${body.length}${scroll}`
      const more =
        over && room > 0 ? [theme.dim(size.length + position.length > inside ? position : `${size}${position}`)] : []
      const shown = [...seen.lines, ...more]
      const lines = joined ? [...shown, ...end] : [...head, ...shown, ...reason, ...end]
      const expires = gateEndsAt(open.gate, open.at) - now()
      return boxed(lines, width, {
        title: `${theme.sun('●')} Waiting for you${own ? '' : ` ${theme.dim(doorOf(open.turn.door).sign)}`}`,
        corner: `expires in ${leftWords(expires)}`,
        border: focused ? theme.sun : theme.dim,
      })
    },
    press(data) {
      fault = ''
      if (mode === 'deny') return pressDeny(data)
      if (mode === 'form') return pressForm(data)
      return mode === 'for' ? pressFor(data) : pressChoose(data)
    },
    refuse(why) {
      fault = why
      mode = 'choose'
    },
  }
}

/** A sign-in is done elsewhere. */
function buttonsOf({ kind, input }: OpenGate['gate']): readonly string[] {
  if (input) return [input.type === 'form' ? 'Answer' : 'I am done', 'Decline']
  return kind === 'approval' ? ['Allow once', 'Allow for…', 'Deny…'] : []
}

/** The secrets that would be used, and the reason for asking. */
function factsOf({ secrets = [], reason }: OpenGate['gate']): string[] {
  const signs = secrets.length > 0 ? `Signs in with ${printable(secrets.join(', '))}.` : ''
  const asked = reason === undefined ? '' : `Asked: ${printable(reason)}`
  const facts = [signs, asked].filter((words) => words !== '').join(' ')
  return facts === '' ? [] : [facts]
}

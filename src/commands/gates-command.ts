// `atrium gates`: lists the gates that wait for the operator, and answers them. On a terminal it asks about each.
import { AppError } from '#core/errors.ts'
import type { InputRequest } from '#core/form.ts'
import { operator } from '#core/ids.ts'
import { objectIn } from '#core/json.ts'
import type { OpenGate } from '#core/turn-store.ts'
import type { Store } from '#core/store.ts'
import { listWords } from '#core/words.ts'
import { fieldLines } from '#doors/terminal/gate-lines.ts'
import { waitingWire } from '#doors/web/gate-routes.ts'
import { previewText, scopesOfGate } from '#safety/gate-question.ts'
import { printable } from '#safety/printable.ts'
import { answerGate, gateMs, maxGates, type GateAnswer } from '#turns/gate-answers.ts'
import { askForm } from './form-prompt.ts'
import { ask } from './prompts.ts'
import { askService } from './running-service.ts'
import { print, say } from './report.ts'
import { withStore } from './home-store.ts'

const actions = ['approve', 'always', 'deny', 'answer'] as const
const scopes = ['tool', 'target', 'file'] as const
const spans = ['hour', 'day', 'good'] as const
const answerHint = 'To answer one: atrium gates answer ID approve, or deny; atrium gates answer --help has the rest'
const formHint = `To answer a form: atrium gates answer ID --values '{"NAME": VALUE}', or deny`
/** Longer previews are truncated. */
const maxShownChars = 4_000

type AnswerFlags = {
  readonly scope?: string
  readonly for?: string
  readonly clean?: boolean
  readonly word?: string
  readonly values?: string
}

/** Open gates that have not expired. */
function openGates({ turns }: Store): Promise<readonly OpenGate[]> {
  return turns.openGates(operator, { since: Date.now() - gateMs, limit: maxGates })
}

/** How to answer these gates from the command line. */
export function answerHints(open: readonly OpenGate[]): string {
  const isForm = ({ gate }: OpenGate): boolean => gate.input?.type === 'form'
  return [...(open.every(isForm) ? [] : [answerHint]), ...(open.some(isForm) ? [formHint] : [])].join('\n')
}

/** Lists open gates. On a terminal it asks about each; Enter alone leaves the gate open. */
export async function listGates(options: { json?: boolean }): Promise<void> {
  const open = await withStore(openGates)
  const text = open.length > 0 ? [...open.map(inWords), answerHints(open)].join('\n\n') : 'Nothing waits for an answer.'
  if (options.json || !process.stdin.isTTY || !process.stdout.isTTY || open.length === 0) {
    print(
      options,
      open.map((each) => waitingWire(each, operator)),
      text,
    )
    return
  }
  for (const each of open) {
    print(options, waitingWire(each, operator), `${inWords(each)}\n`)
    if (each.gate.input) await answerInput(each.gate.callId, each.gate.input)
    if (each.gate.kind !== 'approval') continue
    const always = scopesOfGate(each.gate).length > 0 ? ['always'] : []
    const action = await askAction(['approve', ...always, 'deny'])
    if (action === '') continue
    await answerGateBy(each.gate.callId, action, action === 'deny' ? await denialWord() : {})
  }
}

/** Asks for the values of a form, or whether a page was opened. Enter alone leaves the gate open. */
async function answerInput(id: string, input: InputRequest): Promise<void> {
  const action = await askAction(['answer', 'deny'], input.type === 'link' ? 'answer once you are done there; ' : '')
  if (action === '') return
  const values = action === 'answer' && input.type === 'form' ? await askForm(input.fields) : {}
  await answerGateBy(id, action, action === 'answer' ? { values: JSON.stringify(values) } : {})
}

/** One of the choices, or nothing for Enter alone. Asks again after any other word. */
async function askAction(choices: readonly string[], hint = ''): Promise<string> {
  const action = await ask(`${listWords(choices, 'or')}? (${hint}Enter leaves it open) `)
  return action === '' || choices.includes(action) ? action : askAction(choices, hint)
}

async function denialWord(): Promise<AnswerFlags> {
  const word = await ask('Why, for the model (may be empty): ')
  return word === '' ? {} : { word }
}

/** Answers one gate. The turn goes on at once in a running service, else after the next start. */
export async function answerGateBy(
  id: string,
  action: string | undefined,
  { scope, for: span, clean, word, values }: AnswerFlags,
): Promise<void> {
  const chosen = actions.find((each) => each === (action ?? (values === undefined ? '' : 'answer')))
  if (!chosen) {
    const given = action === undefined ? '' : `, not ${action}`
    throw new AppError('invalid_input', `the answer must be approve, always or deny, or --values for a form${given}`)
  }
  if (chosen !== 'answer' && values !== undefined) throw new AppError('invalid_input', '--values goes with answer')
  if (chosen !== 'always' && (scope !== undefined || span !== undefined || clean)) {
    throw new AppError('invalid_input', '--scope, --for and --clean go with always')
  }
  const answer: GateAnswer = {
    callId: id,
    by: 'operator',
    decision: chosen === 'deny' ? 'deny' : 'allow',
    ...(word && { output: word }),
    ...(chosen === 'answer' && { values: valuesIn(values ?? '{}') }),
    ...(chosen === 'always' && {
      grantRequest: {
        for: oneOf('--for', spans, span ?? 'good'),
        ...(scope && { scope: oneOf('--scope', scopes, scope) }),
        ...(clean && { untrusted: false }),
      },
    }),
  }
  const open = await withStore(openGates)
  const found = open.find(({ gate }) => gate.callId === id)
  if (!found) throw new AppError('not_found', `nothing waits under ${id}: see \`atrium gates\``)
  const { threadId } = found.turn
  const reply = await askService('/operator/answer', { threadId, answer })
  if (!reply) await withStore((store) => answerGate({ store, now: Date.now }, { user: operator, threadId }, answer))
  const done = { deny: 'Denied', answer: 'Answered', approve: 'Allowed', always: 'Allowed' }[chosen]
  say(`${done} ${printable(found.gate.name)}.`)
}

function valuesIn(text: string): unknown {
  const values = objectIn(text)
  if (values) return values
  throw new AppError('invalid_input', `--values must be a JSON object, such as '{"name": "Ada"}'`)
}

function oneOf<const T extends string>(what: string, words: readonly T[], value: string): T {
  const found = words.find((word) => word === value)
  if (found === undefined)
    throw new AppError('invalid_input', `${what} must be one of ${words.join(', ')}, not ${value}`)
  return found
}

/** The question of a server in its own words, and the fields of its form by the names that --values takes. */
function inputText(input: InputRequest): string {
  if (input.type === 'link') return `${input.server}: ${input.message}\n${input.url}`
  const fields = input.fields.map((field) => `${field.name}: ${fieldLines(field).join('\n  ')}`)
  return [`${input.server}: ${input.message}`, ...fields].join('\n')
}

function inWords(open: OpenGate): string {
  const { id, kind, name, prompt, reason, door, expires_at } = waitingWire(open, operator)
  const { asks, args, input } = open.gate
  const preview = input ? inputText(input) : asks?.preview ? previewText(asks.preview) : args
  const more = preview.length > maxShownChars ? ` … (${preview.length} characters)` : ''
  const shown = printable(preview.slice(0, maxShownChars), { lines: true }) + more
  const lines = [
    `${id}  ${printable(name)}  (${kind}, from ${door}, until ${expires_at})`,
    ...(kind === 'credential' ? [`  ${printable(prompt)}`] : []),
    `  ${shown.replaceAll('\n', '\n  ')}`,
    ...(reason ? [`  ${printable(reason)}`] : []),
  ]
  return lines.join('\n')
}

// `atrium receipt`: what a turn did, and whether its log is unchanged.
import { AppError } from '#core/errors.ts'
import { isUuid, operator, parseResponseId } from '#core/ids.ts'
import {
  costFigure,
  costWords,
  countWords,
  decisionWords,
  durationWords,
  noAnswerWords,
  numberWords,
} from '#core/words.ts'
import { receiptWire } from '#doors/web/receipt-routes.ts'
import { createMarker } from '#safety/marks.ts'
import { printable } from '#safety/printable.ts'
import { readSafetySettings } from '#safety/policy-settings.ts'
import { readReceipt } from '#turns/receipt.ts'
import { print } from './report.ts'
import { withStore } from './home-store.ts'

type Wire = ReturnType<typeof receiptWire>

/** Takes the id of a turn (a job), or of a response. With `verify`, throws unless the log is unchanged. */
export async function showReceipt(id: string, { json, verify }: { json?: boolean; verify?: boolean }): Promise<void> {
  const turnId = parseResponseId(id)?.turnId ?? id
  const receipt = await withStore(async (store) => {
    const { marksOff } = readSafetySettings(await store.settings.all())
    return isUuid(turnId)
      ? readReceipt(store, operator, { turnId, marker: createMarker({ off: marksOff }) })
      : undefined
  })
  if (!receipt)
    throw new AppError(
      'not_found',
      `there is no turn ${id} of the operator or of the webhook channel: \`atrium run --json\` and GET /api/jobs have ids of turns`,
    )
  const wire = receiptWire(receipt)
  print({ json: json ?? false }, wire, inWords(wire))
  if (!verify || wire.verified) return
  const none = wire.ended_at === null ? 'it has not ended' : 'it ended before digests were kept'
  const why = wire.hash === null ? `has no digest to compare with: ${none}` : 'is not what it was when it ended'
  throw new AppError('tool_refused', `the log of turn ${turnId} ${why}`)
}

function answerWords({ failed, attempts, input_tokens, output_tokens, cost_usd }: Wire['model_calls'][number]): string {
  if (failed) return noAnswerWords(attempts)
  return `${countWords(input_tokens, 'token')} in, ${numberWords(output_tokens)} out, ${costWords(cost_usd)}`
}

function digestWords({ hash, verified, ended_at }: Wire): string {
  if (hash === null) return ended_at === null ? 'none yet' : 'none'
  return `${verified ? 'matches the log' : 'DOES NOT MATCH THE LOG'}  ${hash}`
}

function inWords(wire: Wire): string {
  const lines = [
    `turn      ${wire.turn_id}  ${wire.status}, from ${wire.door}, of ${wire.user}`,
    `time      ${wire.started_at ?? 'not started'} to ${wire.ended_at ?? 'not ended'}`,
    ...wire.model_calls.map((call) => {
      const { model, host, ms } = call
      return `model     ${model}${host === undefined ? '' : ` at ${host}`}  ${answerWords(call)}, ${durationWords(ms)}`
    }),
    ...wire.tools.map(({ name, ok, ms }) => `tool      ${name}  ${ok ? 'done' : 'failed'}, ${durationWords(ms)}`),
    ...wire.approvals.map(({ call_id, kind, decision, by, at, scope }) => {
      return `approval  ${call_id}  ${decisionWords({ kind, decision })}${scope ? ` (${scope})` : ''} by ${by}, ${at}`
    }),
    ...(wire.hosts.length > 0 ? [`hosts     ${wire.hosts.join(', ')}`] : []),
    ...(wire.secrets.length > 0 ? [`secrets   ${wire.secrets.join(', ')}`] : []),
    ...wire.notes.map(({ rule, where }) => `note      ${rule} in ${where}`),
    `cost      ${costFigure(wire.cost_usd)}`,
    `digest    ${digestWords(wire)}`,
  ]
  return lines.map((line) => printable(line)).join('\n')
}

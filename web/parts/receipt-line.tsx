// What a turn took, in one line under its reply; a click opens the panel.
import { useEffect } from 'preact/hooks'
import type { Receipt } from '#doors/web/wire/receipt.ts'
import type { Status } from '#doors/web/wire/turn.ts'
import { hostsIn } from '../lib/receipt.ts'
import { costText, countText, durationText } from '../lib/words.ts'
import { receiptOf, shownReceipt } from '../store/receipts.ts'
import { Icon } from './icon.tsx'
import './receipt-line.css'

/** A turn that is only scrolled past is not asked about. */
const settleMs = 120

/** Of a turn that has ended; `status` is how it stands as far as that is known, and whoever knows more asks again. */
export function ReceiptLine({ turnId, status }: { turnId: string; status: Status | undefined }) {
  const receipt = receiptOf(turnId)
  useEffect(() => {
    if (receipt.data.value?.ended_at) return undefined
    const timer = setTimeout(() => void receipt.load(), settleMs)
    return () => clearTimeout(timer)
  }, [turnId, status])
  const data = receipt.data.value
  if (!data?.ended_at) return <span class="receipt-line empty-line" />
  const open = shownReceipt.value === turnId
  return (
    <button
      type="button"
      class="receipt-line"
      aria-expanded={open}
      onClick={() => (shownReceipt.value = open ? undefined : turnId)}
    >
      <Icon name="receipt" />
      <span class="unseen">Receipt: </span>
      {wordsOf(data).map(({ text, wide }, at) => (
        <span key={at} class={wide ? 'receipt-bit wide' : 'receipt-bit'}>
          {at > 0 && <span class="unseen">, </span>}
          {text}
        </span>
      ))}
    </button>
  )
}

/** Tools, hosts, tokens, cost, time; the wide ones are left out on a phone. */
function wordsOf(receipt: Receipt): { text: string; wide?: true }[] {
  const { tools, started_at, ended_at } = receipt
  const hosts = hostsIn(receipt)
  const tokens = tokensOf(receipt)
  return [
    ...(tools.length > 0 ? [{ text: countText(tools.length, 'tool') }] : []),
    ...(hosts.length > 0 ? [{ text: countText(hosts.length, 'host') }] : []),
    { text: countText(tokens, 'token'), wide: true as const },
    { text: costText(receipt.cost_usd) },
    ...(started_at && ended_at
      ? [{ text: durationText(Date.parse(ended_at) - Date.parse(started_at)), wide: true as const }]
      : []),
  ]
}

export function tokensOf({ model_calls }: Receipt): number {
  return model_calls.reduce((sum, call) => sum + call.input_tokens + call.output_tokens, 0)
}

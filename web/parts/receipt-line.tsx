// A turn's receipt in one line under its reply; a click opens the panel.
import { Fragment } from 'preact'
import { useEffect } from 'preact/hooks'
import { costWords, countWords, durationWords } from '#core/words.ts'
import type { Receipt } from '#doors/web/wire/receipt.ts'
import type { Status } from '#doors/web/wire/turn.ts'
import { hostsIn } from '../lib/receipt.ts'
import { receiptOf, shownReceipt } from '../store/receipts.ts'
import { Icon } from './icon.tsx'
import './receipt-line.css'

/** Delay before loading, so that turns scrolled past are not loaded. */
const settleMs = 120

/** Empty until the turn has ended. A change of `status` loads the receipt again. */
export function ReceiptLine({ turnId, status }: { turnId: string; status: Status | undefined }) {
  const receipt = receiptOf(turnId)
  useEffect(() => {
    if (receipt.data.value?.ended_at) return undefined
    const timer = setTimeout(() => void receipt.load(), settleMs)
    return () => clearTimeout(timer)
  }, [turnId, status])
  const data = receipt.data.value
  if (!data?.ended_at) return <span class="receipt-line" />
  const open = shownReceipt.value === turnId
  return (
    <button
      type="button"
      class="receipt-line"
      aria-expanded={open}
      onClick={() => (shownReceipt.value = open ? undefined : turnId)}
    >
      <Icon name="receipt" />
      <span class="one-line">
        <span class="unseen">Receipt: </span>
        {wordsOf(data).map(({ text, wide }, at, all) => (
          <Fragment key={at}>
            {at > 0 && <wbr />}
            <span class={wide ? 'receipt-bit wide' : 'receipt-bit'}>
              {text}
              {at + 1 < all.length && <span class="said">, </span>}
            </span>
          </Fragment>
        ))}
      </span>
    </button>
  )
}

/** Tools, hosts, tokens, cost, time. Those marked `wide` are hidden on a phone. */
function wordsOf(receipt: Receipt): { text: string; wide?: true }[] {
  const { tools, started_at, ended_at } = receipt
  const hosts = hostsIn(receipt)
  const tokens = tokensOf(receipt)
  return [
    ...(tools.length > 0 ? [{ text: countWords(tools.length, 'tool') }] : []),
    ...(hosts.length > 0 ? [{ text: countWords(hosts.length, 'host') }] : []),
    { text: countWords(tokens, 'token'), wide: true as const },
    { text: costWords(receipt.cost_usd) },
    ...(started_at && ended_at
      ? [{ text: durationWords(Date.parse(ended_at) - Date.parse(started_at)), wide: true as const }]
      : []),
  ]
}

export function tokensOf({ model_calls }: Receipt): number {
  return model_calls.reduce((sum, call) => sum + call.input_tokens + call.output_tokens, 0)
}

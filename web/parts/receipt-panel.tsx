// The whole receipt of a turn, in a panel beside the page.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { lazy } from '../lazy.tsx'
import { receiptOf, shownReceipt } from '../store/receipts.ts'
import { IconButton } from './button.tsx'
import './receipt-panel.css'
import { When } from './states.tsx'

const ReceiptBody = lazy(async () => (await import('./receipt-body.tsx')).ReceiptBody)

export function ReceiptPanel({ turnId }: { turnId: string }) {
  const receipt = receiptOf(turnId)
  const panel = useRef<HTMLElement>(null)
  useEffect(() => void receipt.load(), [turnId])
  useLayoutEffect(() => {
    const opener = document.activeElement as HTMLElement | null
    panel.current?.querySelector<HTMLElement>('button')?.focus()
    return () => opener?.isConnected && opener.focus()
  }, [turnId])
  const close = (): void => {
    shownReceipt.value = undefined
  }
  return (
    <aside
      class="panel"
      aria-label="Receipt"
      ref={panel}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close()
      }}
    >
      <header class="panel-head">
        <h2>Receipt</h2>
        <IconButton icon="cross" name="Close" onClick={close} />
      </header>
      <div class="panel-body">
        <When of={receipt} what="The receipt">
          {(data) => <ReceiptBody receipt={data} />}
        </When>
      </div>
    </aside>
  )
}

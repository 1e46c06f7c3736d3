// The whole receipt of a turn, in a panel beside the page.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { useLayer } from '../layers.ts'
import { lazy } from '../lazy.tsx'
import { receiptOf, shownReceipt } from '../store/receipts.ts'
import { IconButton } from './button.tsx'
import './receipt-panel.css'
import { When } from './states.tsx'

const ReceiptBody = lazy(async () => (await import('./receipt-body.tsx')).ReceiptBody)

/** Where it `overlays` the page, a press beside it closes it: nothing under it can be used. */
export function ReceiptPanel({ turnId, overlays }: { turnId: string; overlays: boolean }) {
  const receipt = receiptOf(turnId)
  const panel = useRef<HTMLElement>(null)
  useEffect(() => void receipt.load(), [turnId])
  useLayoutEffect(() => panel.current?.querySelector<HTMLElement>('button')?.focus(), [turnId])
  // Once all is drawn: the line may be drawn as open after the panel.
  useEffect(() => {
    const opener = document.querySelector<HTMLElement>('.receipt-line[aria-expanded=true]')
    // What is under the panel cannot have the focus until the panel is gone.
    return () => requestAnimationFrame(() => document.activeElement === document.body && opener?.focus())
  }, [turnId])
  const close = (): void => {
    shownReceipt.value = undefined
  }
  useLayer(close, overlays)
  useLayoutEffect(() => {
    if (!overlays) return undefined
    const press = ({ target }: Event): void => {
      if (target instanceof Node && !panel.current?.contains(target)) close()
    }
    document.addEventListener('pointerdown', press)
    return () => document.removeEventListener('pointerdown', press)
  }, [overlays])
  return (
    <aside
      class="panel"
      aria-label="Receipt"
      tabIndex={-1}
      ref={panel}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        // The panel is gone at once: what lies below it, such as the find bar, would be closed by the same key.
        event.preventDefault()
        close()
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

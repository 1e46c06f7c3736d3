// The variants of a message: which one is shown, and the buttons that show the one before and after it.
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Variants as Shown } from '#doors/web/wire/thread.ts'
import { focusedVariant, showVariant } from '../store/variants.ts'
import { useAct } from './act.ts'
import { IconButton } from './button.tsx'
import './variants.css'

export function Variants({ variants: { seq, threads, at } }: { variants: Shown }) {
  const { busy, run } = useAct()
  const group = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const wanted = focusedVariant.value
    if (wanted?.seq !== seq) return
    focusedVariant.value = undefined
    const buttons = [...(group.current?.querySelectorAll('button') ?? [])]
    const open = buttons.filter((each) => !each.disabled)
    const same = buttons[wanted.button === 'previous' ? 0 : 1]
    ;(same && open.includes(same) ? same : open[0])?.focus()
  }, [])
  const show = (step: -1 | 1): void => {
    const next = threads[at + step]
    if (next === undefined) return
    void run(() => showVariant(next, seq, step < 0 ? 'previous' : 'next'), 'The variant could not be shown.')
  }
  return (
    <div class="variants" role="group" aria-label="Variants" ref={group}>
      <IconButton icon="left" name="Previous variant" disabled={at === 0} busy={busy.value} onClick={() => show(-1)} />
      <span class="label">
        <span class="unseen">Variant </span>
        {at + 1}
        <span aria-hidden="true">/</span>
        <span class="unseen"> of </span>
        {threads.length}
      </span>
      <IconButton
        icon="right"
        name="Next variant"
        disabled={at === threads.length - 1}
        busy={busy.value}
        onClick={() => show(1)}
      />
    </div>
  )
}

// A section of a long page with its own address. Opening the address scrolls to its heading, and keeps it in view while
// the sections above are still loading.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { route } from '../router.ts'
import './section.css'

/** Events of the reader that end the automatic scrolling. */
const userEvents = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

type Props = {
  readonly title: string
  readonly at: string
  readonly lead?: string
  readonly action?: ComponentChildren
  readonly children: ComponentChildren
}

export function Section({ title, at, lead, action, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  const here = route.value.path === at
  useLayoutEffect(() => {
    const title = heading.current
    const around = title?.closest('section')?.parentElement
    if (!here || !title || !around) return undefined
    title.focus({ preventScroll: true })
    const watch = new ResizeObserver(() => title.scrollIntoView({ block: 'start' }))
    watch.observe(around)
    const stop = (): void => {
      watch.disconnect()
      for (const event of userEvents) removeEventListener(event, stop)
    }
    for (const event of userEvents) addEventListener(event, stop, { passive: true })
    return stop
  }, [here])
  return (
    <section class="section" aria-label={title}>
      <header class="section-head">
        <div>
          <h2 ref={heading} tabIndex={-1}>
            {title}
          </h2>
          {lead && <p>{lead}</p>}
        </div>
        {action}
      </header>
      {children}
    </section>
  )
}

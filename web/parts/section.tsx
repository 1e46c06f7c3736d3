// A part of a long page, with an address of its own: whoever comes by it finds its heading in view.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { place } from '../router.ts'
import './section.css'

type Props = {
  readonly title: string
  readonly at: string
  readonly lead?: string
  readonly action?: ComponentChildren
  readonly children: ComponentChildren
}

export function Section({ title, at, lead, action, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  const here = place.value.path === at
  useEffect(() => {
    if (!here) return
    heading.current?.scrollIntoView({ block: 'start' })
    heading.current?.focus({ preventScroll: true })
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

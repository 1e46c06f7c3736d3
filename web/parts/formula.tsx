// A formula. Its source is shown until the typesetter is loaded, and where the formula is faulty.
import { useLayoutEffect, useRef } from 'preact/hooks'

type Props = {
  readonly tex: string
  /** On a line of its own. */
  readonly display: boolean
  /** Shows the source. */
  readonly plain: boolean
}

/** For another formula, give it another key: the content is not Preact's. */
export function Formula({ tex, display, plain }: Props) {
  const place = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    const { current } = place
    if (!current) return
    current.textContent = tex
    if (!plain) void typesetInto(current, tex, display)
  }, [tex, display, plain])
  return <span class={display ? 'math display' : 'math'} ref={place} />
}

async function typesetInto(place: HTMLElement, tex: string, display: boolean): Promise<void> {
  try {
    const { typeset } = await import('../lib/math.ts')
    typeset(tex, place, display)
  } catch {
    place.textContent = tex
  }
}

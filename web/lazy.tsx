// Components that are loaded at their first use.
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { Button } from './parts/button.tsx'
import { Note } from './parts/note.tsx'
import { useReconnected } from './parts/reconnected.ts'
import { Skeleton } from './parts/states.tsx'
import { loaded } from './store/loaded.ts'

/** Wraps a component in another chunk: a skeleton while it loads, a note if it cannot be loaded; nothing for a `small` one. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  small = false,
): ComponentType<Props> {
  const part = loaded(load)
  return function Lazy(props: Props) {
    useEffect(() => {
      if (!part.data.peek()) void part.load()
    }, [])
    const Page = part.data.value
    if (Page) return <Page {...props} />
    if (small) return null
    return part.fault.value === undefined ? <Skeleton /> : <NotLoaded />
  }
}

/** Chromium keeps the failure until the page is loaded again, which waits while somebody writes. */
function NotLoaded() {
  useReconnected(() => {
    if (!document.activeElement?.matches('input, textarea')) location.reload()
  })
  return (
    <Note
      kind="clay"
      title="This page could not be loaded"
      actions={
        <Button size="small" icon="retry" onClick={() => location.reload()}>
          Load again
        </Button>
      }
    >
      The connection broke, or Atrium was updated. Nothing you wrote is lost.
    </Note>
  )
}

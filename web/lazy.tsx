// Components that are loaded at their first use.
import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { Button } from './parts/button.tsx'
import { Note } from './parts/note.tsx'
import { useReconnected } from './parts/reconnected.ts'
import { Skeleton } from './parts/states.tsx'
import { hasFiles } from './store/files.ts'
import { loaded } from './store/loaded.ts'
import { isAllStored } from './store/local-storage.ts'

type Waiting = {
  /** Nothing is shown until it is there. */
  readonly small?: true
  /** Shown above the skeleton or the note. */
  readonly above?: () => ComponentChildren
}

/** Wraps a component in another chunk: a skeleton while it loads, a note if it cannot be loaded. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { small, above }: Waiting = {},
): ComponentType<Props> {
  const part = loaded(load)
  return function Lazy(props: Props) {
    useEffect(() => {
      if (!part.data.peek()) void part.load()
    }, [])
    const Page = part.data.value
    if (Page) return <Page {...props} />
    if (small) return null
    return (
      <>
        {above?.()}
        {part.fault.value === undefined ? <Skeleton /> : <NotLoaded />}
      </>
    )
  }
}

/** Chromium keeps the failure until the page is loaded again: by itself only where nothing is lost. */
function NotLoaded() {
  useReconnected(() => {
    const fields = [...document.querySelectorAll<HTMLInputElement>('input, textarea, select')]
    const writes = fields.some((field) => field.value !== '' || field === document.activeElement)
    if (!writes && !hasFiles() && isAllStored()) location.reload()
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

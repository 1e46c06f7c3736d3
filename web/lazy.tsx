// Components that are loaded at their first use.
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from './parts/button.tsx'
import { Note } from './parts/note.tsx'
import { Skeleton } from './parts/states.tsx'

type Found<Props> = { readonly page?: ComponentType<Props>; readonly failed?: true }

/** Wraps a component in another chunk: a skeleton while it loads, a note if it cannot be loaded; nothing for a `small` one. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  small = false,
): ComponentType<Props> {
  let known: ComponentType<Props> | undefined
  return function Lazy(props: Props) {
    const [{ page: Page = known, failed }, set] = useState<Found<Props>>({})
    useEffect(() => {
      if (known) return
      load().then(
        (page) => {
          known = page
          set({ page })
        },
        () => set({ failed: true }),
      )
    }, [])
    if (Page) return <Page {...props} />
    if (small) return null
    if (!failed) return <Skeleton />
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
}

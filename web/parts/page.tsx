// The frame of every page except the chat: title, one sentence, one action.
import type { ComponentChildren } from 'preact'
import './page.css'
import { moveInRows } from './row-keys.ts'
import { TopBar } from './top-bar.tsx'

type Props = {
  readonly title: string
  readonly lead: string
  /** The page's main action: right of the title, on a phone in the top bar. */
  readonly action?: ComponentChildren
  /** Filters or a search box: right of the title, on a phone below it. */
  readonly aside?: ComponentChildren
  /** The links of its rows, as a selector: keys move between them. */
  readonly rows?: string
  readonly children: ComponentChildren
}

export function Page({ title, lead, action, aside, rows, children }: Props) {
  return (
    <>
      <TopBar title={title} phoneOnly action={action} />
      <div class="page" onKeyDown={(event) => rows && moveInRows(event, rows)}>
        <header class="page-head">
          <div>
            <h1>{title}</h1>
            <p>{lead}</p>
          </div>
          {aside}
          {action && <div class="page-action">{action}</div>}
        </header>
        {children}
      </div>
    </>
  )
}

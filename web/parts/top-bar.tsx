// The bar above a page: menu button where the sidebar is hidden, title, connection state, action.
import type { ComponentChildren } from 'preact'
import { route } from '../router.ts'
import { waiting } from '../store/gates.ts'
import { folded, fold, menuOpen } from '../store/shell.ts'
import { IconButton } from './button.tsx'
import { focusSoon } from './focus.ts'
import { Icon } from './icon.tsx'
import { LinkPill } from './link-pill.tsx'
import { Dot } from './mark.tsx'
import './top-bar.css'

type Props = {
  readonly title: string
  /** Beside the title. */
  readonly aside?: ComponentChildren
  readonly action?: ComponentChildren
  /** Hidden on wide screens, where the page has its own title. Its action takes the place of "New thread". */
  readonly phoneOnly?: boolean
  /** The title is the page's `h1`. */
  readonly heading?: boolean
}

function show(): void {
  fold(false)
  focusSoon('.side-head .only-wide button')
}

export function TopBar({ title, aside, action, phoneOnly = false, heading = false }: Props) {
  const isNew = route.value.path === '/'
  return (
    <div class={phoneOnly ? 'top-bar phone-only' : 'top-bar'}>
      <span class="only-narrow">
        <IconButton icon="menu" name="Menu" onClick={() => (menuOpen.value = true)} expanded={menuOpen.value} />
        {waiting.value.length > 0 && (
          <span class="menu-sign">
            <Dot kind="sun" />
            <span class="unseen">Something waits for you</span>
          </span>
        )}
      </span>
      {folded.value && (
        <span class="only-wide">
          <IconButton icon="panel" name="Show sidebar" onClick={show} />
        </span>
      )}
      {heading ? (
        <h1 class="top-title one-line" dir="auto" title={title}>
          {title}
        </h1>
      ) : (
        <span class="top-title one-line" dir="auto" aria-hidden="true">
          {title}
        </span>
      )}
      {aside}
      <span class="top-space" />
      <LinkPill />
      {action && <div class="top-action">{action}</div>}
      {!isNew && !(phoneOnly && action) && (
        <a class="icon-button new-thread" href="/" aria-label="New thread" title="New thread">
          <Icon name="plus" />
        </a>
      )}
    </div>
  )
}

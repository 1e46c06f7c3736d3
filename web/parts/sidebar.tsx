// The sidebar: links, threads, and the service's status.
import { useLayoutEffect, useRef } from 'preact/hooks'
import { countWords, sumWords } from '#core/words.ts'
import { useLayer } from '../layers.ts'
import { links } from '../lib/links.ts'
import { route } from '../router.ts'
import { waiting } from '../store/gates.ts'
import { service } from '../store/service.ts'
import { fold, menuOpen } from '../store/shell.ts'
import { IconButton } from './button.tsx'
import { focusSoon } from './focus.ts'
import { Icon, Mark } from './icon.tsx'
import { Count, Dot } from './mark.tsx'
import './sidebar.css'
import { ThreadList } from './thread-list.tsx'

export function Sidebar() {
  return (
    <div class="sidebar">
      <header class="side-head">
        <Mark />
        <span class="side-name">Atrium</span>
        <span class="only-wide">
          <IconButton
            icon="panel"
            name="Hide sidebar"
            onClick={() => {
              fold(true)
              // This button is hidden too, so the focus must move.
              ;(document.activeElement as HTMLElement | null)?.blur()
              focusSoon('.top-bar .only-wide button', '#main')
            }}
          />
        </span>
        <span class="only-narrow">
          <IconButton icon="cross" name="Close menu" onClick={() => (menuOpen.value = false)} />
        </span>
      </header>
      <nav aria-label="Main" class="side-links">
        {links.map(({ to, name, icon }) => (
          <a key={to} href={to} class="side-row" aria-current={isAt(to) ? 'page' : undefined}>
            <Icon name={icon} />
            <span class="one-line">{name}</span>
            {to === '/waiting' && <WaitingCount />}
          </a>
        ))}
      </nav>
      <ThreadList />
      <Running />
    </div>
  )
}

/** The sidebar as a modal sheet on narrow screens. */
export function MenuSheet() {
  const sheet = useRef<HTMLDivElement>(null)
  const close = (): void => {
    menuOpen.value = false
  }
  useLayer(close)
  useLayoutEffect(() => {
    const found = sheet.current
    if (!found?.contains(document.activeElement)) found?.querySelector<HTMLElement>('.only-narrow button')?.focus()
    // By selector, since a link in the sheet may have changed the page.
    return () => focusSoon('.top-bar .only-narrow button')
  }, [])
  return (
    <div
      class="sheet"
      role="dialog"
      aria-modal="true"
      aria-label="Menu"
      ref={sheet}
      onClick={(event) => {
        if (event.target === event.currentTarget || (event.target as Element).closest('a')) close()
      }}
    >
      <Sidebar />
    </div>
  )
}

function isAt(to: string): boolean {
  const { path } = route.value
  return to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`)
}

function WaitingCount() {
  const count = waiting.value.length
  return (
    <span class="side-mark">
      <Count count={count} words={`${count} waiting for you`} />
    </span>
  )
}

/** The model, the cost of today, the number of open doors. */
function Running() {
  const status = service.data.value
  return (
    <footer class="side-foot">
      {status && (
        <>
          <div class="side-model">
            <Dot kind={status.status === 'ok' && service.fault.value === undefined ? 'verdigris' : 'clay'} />
            <span class="one-line" title={status.llm_model}>
              {status.llm_model}
            </span>
            <span class="side-cost">{sumWords(status.cost_today_usd, status.unpriced_calls_today)} today</span>
          </div>
          <div>{countWords(status.doors.length, 'door')} open</div>
        </>
      )}
    </footer>
  )
}

// Parts that the lists and details of tools, skills and MCP servers share.
import type { ComponentChildren } from 'preact'
import { go } from '../router.ts'
import { notify } from '../store/notices.ts'
import { Confirm } from './confirm.tsx'

type ListProps = { readonly name: string; readonly children: ComponentChildren }

export function ToolList({ name, children }: ListProps) {
  return (
    <section aria-label={name}>
      <h2 class="label tools-label">{name}</h2>
      <ul class="card ruled">{children}</ul>
    </section>
  )
}

type RowProps = {
  readonly name: string
  readonly address: string
  readonly words: string
  readonly shown: boolean
  /** Its state, and what switches it. */
  readonly children: ComponentChildren
}

export function ToolRow({ name, address, words, shown, children }: RowProps) {
  return (
    <li class="tool-row" aria-current={shown ? 'true' : undefined}>
      <div class="tool-words">
        <h3>
          <a class="mono covers" href={address}>
            {name}
          </a>
        </h3>
        <p class="two-lines">{words}</p>
      </div>
      {children}
    </li>
  )
}

type RemoveProps = {
  readonly name: string
  readonly remove: (name: string) => Promise<unknown>
  /** Tells what is lost. */
  readonly children: string
}

/** Removes a tool, skill or server, and leaves its page. */
export function RemoveTool({ name, remove, children }: RemoveProps) {
  const act = async (): Promise<void> => {
    await remove(name)
    go('/tools')
    notify(`${name} is removed`)
  }
  return (
    <Confirm label="Remove" of={name} icon="trash" question={`Remove ${name}?`} act={act}>
      {children}
    </Confirm>
  )
}

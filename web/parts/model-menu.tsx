// The menu of models for a thread, inside the composer. Esc and Back close it and return the focus.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { OfferedModel } from '#doors/web/wire/model.ts'
import { faultText } from '../api/client.ts'
import { useLayer } from '../layers.ts'
import { priceText } from '../lib/words.ts'
import { chooseModelFor, models } from '../store/models.ts'
import { notify } from '../store/notices.ts'
import { isOperator } from '../store/session.ts'
import { Icon } from './icon.tsx'
import { moveInMenu } from './menu.tsx'

type Props = {
  readonly threadId: string | undefined
  /** The model that is chosen; undefined for the usual one. */
  readonly chosen: string | undefined
  readonly onClose: () => void
}

const roles: Readonly<Record<OfferedModel['role'], string>> = {
  usual: 'the usual one',
  fallback: 'fallback',
  offered: '',
}

export function ModelMenu({ threadId, chosen, onClose }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const list = models.data.value?.models
  useLayer(onClose)
  useEffect(() => void models.load(), [])
  useLayoutEffect(() => {
    const first = box.current?.querySelector<HTMLElement>('[aria-checked=true]') ?? box.current?.querySelector('button')
    first?.focus()
  }, [list === undefined])
  const choose = async ({ id, name, role }: OfferedModel): Promise<void> => {
    onClose()
    try {
      await chooseModelFor(threadId, role === 'usual' ? null : id)
      notify(`This thread uses ${name} from the next message on`)
    } catch (error) {
      notify(`The model was not changed. ${faultText(error)}`)
    }
  }
  return (
    <div
      class="model-menu"
      role="menu"
      aria-label="Model for this thread"
      ref={box}
      onKeyDown={(event) => moveInMenu(event, event.currentTarget)}
    >
      {(list ?? []).map((model) => {
        const isChosen = model.role === 'usual' ? chosen === undefined : chosen === model.id
        const { input_usd, output_usd } = model
        const price = input_usd === undefined || output_usd === undefined ? '' : priceText({ input_usd, output_usd })
        return (
          <button
            key={model.id}
            type="button"
            role="menuitemradio"
            aria-checked={isChosen}
            class="menu-item"
            onClick={() => void choose(model)}
          >
            <span class="model-tick">{isChosen && <Icon name="check" />}</span>
            <span class="one-line">{model.id}</span>
            <span class="quiet one-line">{[roles[model.role], price].filter(Boolean).join(', ')}</span>
          </button>
        )
      })}
      {models.fault.value !== undefined && <p class="label">{models.fault.value}</p>}
      {isOperator.value && (
        <a class="menu-item" role="menuitem" href="/settings/model">
          <span class="model-tick">
            <Icon name="sliders" />
          </span>
          Settings
        </a>
      )}
    </div>
  )
}

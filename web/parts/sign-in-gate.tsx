// A tool that lacks its sign-in: one button, which leads to where it is done.
import { useSignal } from '@preact/signals'
import { ask, faultText } from '../api/client.ts'
import type { Waiting } from '../api/wire.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

/** The gateway answers with an address to go to, or says what to set up. */
type Begun = { readonly url?: string; readonly authorization_url?: string }

export function SignInGate({ gate }: { gate: Waiting }) {
  const busy = useSignal(false)
  const fault = useSignal<string | undefined>(undefined)
  const begin = async (): Promise<void> => {
    busy.value = true
    fault.value = undefined
    try {
      const { url, authorization_url } = await ask<Begun>('POST', `/api/tools/${encodeURIComponent(gate.name)}/auth`, {
        body: {},
      })
      const to = url ?? authorization_url
      if (to && /^https?:\/\//.test(to)) window.open(to, '_blank', 'noopener')
      else location.assign('/tools')
    } catch (error) {
      fault.value = faultText(error)
    } finally {
      busy.value = false
    }
  }
  return (
    <div class="approval-foot">
      <Button kind="primary" busy={busy.value} onClick={() => void begin()}>
        Sign in to {gate.name}
      </Button>
      {fault.value !== undefined && (
        <p class="field-fault" role="alert">
          <Icon name="triangle" />
          {fault.value}
        </p>
      )}
    </div>
  )
}

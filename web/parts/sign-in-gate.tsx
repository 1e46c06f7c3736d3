// A tool that lacks its sign-in: one button, which leads to where it is done. The turn goes on by itself afterwards.
import { useSignal } from '@preact/signals'
import type { Waiting } from '#doors/web/wire/gate.ts'
import type { ToolAuth, ToolNeeds } from '#doors/web/wire/tool.ts'
import { ask } from '../api/client.ts'
import { go } from '../router.ts'
import { useAct } from './act.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

export function SignInGate({ gate }: { gate: Waiting }) {
  const tool = gate.credential?.tool ?? gate.name
  const { busy, fault, run } = useAct()
  const away = useSignal(false)
  const begin = async (): Promise<void> => {
    await run(async () => {
      away.value = await leadTo(tool)
    })
  }
  return (
    <div class="approval-foot">
      <Button kind="primary" busy={busy.value} onClick={() => void begin()}>
        {gate.question.brief}
      </Button>
      {away.value && <span class="label">Go on in the other window. This turn goes on by itself.</span>}
      {fault.value !== undefined && (
        <p class="field-fault" role="alert">
          <Icon name="triangle" />
          {fault.value}
        </p>
      )}
    </div>
  )
}

/** To the server of the tool in another window, true then; a token or a set-up is given on the page of the tool. */
async function leadTo(tool: string): Promise<boolean> {
  const path = `/api/tools/${encodeURIComponent(tool)}/auth`
  const { auth } = await ask<ToolNeeds>('GET', path)
  const begun = auth?.how === 'oauth' ? await ask<ToolAuth>('POST', path, { body: {} }) : undefined
  if (begun?.url === undefined || !/^https?:/.test(begun.url)) {
    go(`/tools?${new URLSearchParams({ tool })}`)
    return false
  }
  window.open(begun.url, '_blank', 'noopener')
  return true
}

// A tool's sign-in and secrets. Values go to the service and are never shown again.
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { NeededSecret, ToolNeeds, ToolSignIn } from '#doors/web/wire/tool.ts'
import { whenText } from '../lib/words.ts'
import { useAct } from '../parts/act.ts'
import { ActButton } from '../parts/act-button.tsx'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Pill } from '../parts/mark.tsx'
import { Note } from '../parts/note.tsx'
import { OpenAgain, openOther } from '../parts/other-window.tsx'
import { When } from '../parts/states.tsx'
import { now } from '../store/clock.ts'
import { loaded } from '../store/loaded.ts'
import { notify } from '../store/notices.ts'
import { forgetSecret, readNeeds, setUpTool, signToolIn, tools } from '../store/tools.ts'

/** How often, and how many times, to check whether a sign-in in the other window is done. */
const lookMs = 2_000
const maxLooks = 300

export function Needs({ tool }: { tool: string }) {
  const needs = useMemo(() => loaded(() => readNeeds(tool)), [tool])
  useEffect(() => void needs.load(), [needs])
  // The pill in the list says what is still to do.
  const again = async (): Promise<void> => void (await Promise.all([needs.load(), tools.load()]))
  const found = needs.data.value
  if (found && !found.auth && found.setup.length === 0) return null
  return (
    <section class="tool-part" aria-label="Secrets">
      <When of={needs} what="What it needs" rows={1}>
        {(found: ToolNeeds) => (
          <>
            {found.auth && <SignInRow tool={tool} auth={found.auth} again={again} />}
            {found.setup.length > 0 && <SetUp tool={tool} secrets={found.setup} again={again} />}
          </>
        )}
      </When>
    </section>
  )
}

type Again = { readonly tool: string; readonly again: () => Promise<void> }

function SignInRow({ tool, auth, again }: Again & { auth: ToolSignIn }) {
  const open = useSignal(false)
  const { busy, fault, run } = useAct()
  const away = useSignal<string | undefined>(undefined)
  const name = auth.display_name ?? tool
  useEffect(() => {
    if (away.value === undefined) return undefined
    if (auth.set !== null) {
      away.value = undefined
      notify(`${name} is signed in`)
      return undefined
    }
    let looks = 0
    const timer = setInterval(() => {
      if (++looks > maxLooks) clearInterval(timer)
      else if (!document.hidden) void again()
    }, lookMs)
    return () => clearInterval(timer)
  }, [away.value, auth.set])
  const begin = async (use?: string): Promise<void> => {
    if (auth.how === 'token' && use === undefined) {
      open.value = !open.value
      return
    }
    await run(async () => {
      const answer = await signToolIn(tool, use === undefined ? {} : { use })
      if (answer.status === 'sign_in' && answer.url) away.value = openOther(answer.url)
      else await again()
    })
  }
  return (
    <>
      <div class="secret-row">
        <div>
          <strong>Sign-in</strong> <code>{auth.name}</code> <SecretState secret={auth} envVar={auth.env_var} />
        </div>
        {auth.how !== 'environment' && (
          <span class="secret-buttons">
            {auth.set === 'own' && <Forget tool={tool} secret={auth.name} again={again} />}
            <Button
              busy={busy.value}
              expanded={auth.how === 'token' ? open.value : undefined}
              onClick={() => void begin()}
            >
              {auth.set === 'own' && auth.how === 'token' ? 'Replace' : 'Sign in'}
            </Button>
          </span>
        )}
      </div>
      {auth.how !== 'environment' && auth.set === null && <Offers secret={auth} onUse={(from) => void begin(from)} />}
      {away.value !== undefined && (
        <Note kind="sun" title={`Sign in to ${name} in the other window`}>
          This page goes on by itself. <OpenAgain url={away.value} />
        </Note>
      )}
      {fault.value !== undefined && <Note kind="clay">{fault.value}</Note>}
      {open.value && (
        <SecretForm
          label={auth.token_hint ? `Token, ${auth.token_hint}` : 'Token'}
          words={auth.instructions}
          address={auth.setup_url}
          save={async (token) => {
            const { warning } = await signToolIn(tool, { token })
            notify(warning ?? `${name} is signed in`)
            open.value = false
            await again()
          }}
        />
      )}
    </>
  )
}

function SetUp({ tool, secrets, again }: Again & { secrets: readonly NeededSecret[] }) {
  const open = useSignal(false)
  const replacing = useSignal<string | undefined>(undefined)
  const unset = secrets.filter(({ set }) => set === null)
  const missing = unset.some(({ optional }) => !optional)
  return (
    <>
      {secrets.map((secret) => (
        <div key={secret.name} class="secret-row">
          <div>
            <strong>Secret</strong> <code>{secret.name}</code> <SecretState secret={secret} envVar={null} />
            {secret.optional && <span class="quiet"> optional</span>}
          </div>
          {secret.set !== null && secret.set !== 'environment' && (
            <span class="secret-buttons">
              {secret.set === 'own' && <Forget tool={tool} secret={secret.name} again={again} />}
              <Button
                expanded={replacing.value === secret.name}
                onClick={() => (replacing.value = replacing.value === secret.name ? undefined : secret.name)}
              >
                Replace<span class="unseen"> {secret.name}</span>
              </Button>
            </span>
          )}
        </div>
      ))}
      {unset.length > 0 && (
        <div>
          <Button kind={missing ? 'sun' : 'plain'} expanded={open.value} onClick={() => (open.value = !open.value)}>
            Set up
          </Button>
        </div>
      )}
      {secrets
        .filter(({ name, set }) => (set === null ? open.value : replacing.value === name))
        .map((secret) => (
          <SecretForm
            key={secret.name}
            label={secret.name}
            words={secret.prompt}
            address={null}
            save={async (value) => {
              await setUpTool(tool, { [secret.name]: value })
              notify(`${secret.name} is set`)
              replacing.value = undefined
              await again()
            }}
          />
        ))}
    </>
  )
}

function SecretState({
  secret,
  envVar,
}: {
  secret: Pick<NeededSecret, 'set' | 'set_at' | 'shared_from'>
  envVar: string | null
}) {
  if (secret.set === null) return <Pill kind="sun">Not set</Pill>
  if (secret.set === 'environment') return <Pill kind="good">Set by {envVar ?? 'the environment'}</Pill>
  if (secret.shared_from !== null) return <Pill kind="good">Shared by {secret.shared_from}</Pill>
  return <Pill kind="good">{secret.set === 'operator' ? 'Set by the operator' : setText(secret.set_at)}</Pill>
}

/** `Set 3 Nov`, `Set just now`. */
function setText(at: string | null): string {
  return at === null ? 'Set' : `Set ${whenText(at, now.value).replace('Yesterday', 'yesterday')}`
}

/** Secrets of the same name that other tools have. Each is used only after a click. */
function Offers({ secret, onUse }: { secret: Pick<NeededSecret, 'offers'>; onUse: (from: string) => void }) {
  return (
    <>
      {secret.offers.map(({ tool, hosts }) => (
        <div key={tool} class="secret-row">
          <div>
            <code>{tool}</code> has one of this name. It would go to {hosts.join(', ')}.
          </div>
          <Button size="small" onClick={() => onUse(tool)}>
            Use it<span class="unseen"> from {tool}</span>
          </Button>
        </div>
      ))}
    </>
  )
}

function Forget({ tool, secret, again }: Again & { secret: string }) {
  const forget = async (): Promise<void> => {
    await forgetSecret(tool, secret)
    notify(`${secret} is deleted`)
    await again()
  }
  return (
    <ActButton kind="clay" size="small" act={forget} failed={`${secret} was not deleted.`}>
      Delete<span class="unseen"> {secret}</span>
    </ActButton>
  )
}

type FormProps = {
  readonly label: string
  readonly words: string | null
  readonly address: string | null
  readonly save: (value: string) => Promise<void>
}

function SecretForm({ label, words, address, save }: FormProps) {
  const value = useSignal('')
  const act = useAct()
  const work = async (): Promise<void> => {
    if (value.value === '') throw new Error('Paste it first.')
    await save(value.value)
    value.value = ''
  }
  return (
    <Form look="secret-form" name={label} act={act} work={work}>
      {words !== null && <p>{words}</p>}
      {address !== null && address.startsWith('https:') && (
        <p>
          <a class="link" href={address} target="_blank" rel="noopener noreferrer">
            {address}
          </a>
        </p>
      )}
      <TextField label={label} type="password" mono autoFocus text={value} fault={act.fault.value} />
      <Button kind="primary" type="submit" busy={act.busy.value}>
        Save<span class="unseen"> {label}</span>
      </Button>
    </Form>
  )
}

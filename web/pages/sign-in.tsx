// The sign-in page: by the link that the service prints at start, by a token, or at the OIDC issuer.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ApiFault, faultText } from '../api/client.ts'
import { hasDraft } from '../store/drafts.ts'
import { route } from '../router.ts'
import { rememberReturnPath, findIssuer, signIn } from '../store/session.ts'
import { useAct } from '../parts/act.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Icon, Mark } from '../parts/icon.tsx'
import { Note } from '../parts/note.tsx'
import './sign-in.css'

export function SignIn({ ended }: { ended: boolean }) {
  const token = useSignal('')
  const issuer = useSignal<string | null>(null)
  const act = useAct()

  useEffect(() => {
    const enterByLink = (): void => {
      const code = new URLSearchParams(location.hash.slice(1)).get('code')
      if (!code) return
      // The code works once. It must not stay in the address or the history.
      history.replaceState(null, '', location.pathname + location.search)
      void act.run(() => enter({ code }))
    }
    enterByLink()
    // A link pasted into a tab that shows this page already does not load the page again.
    addEventListener('hashchange', enterByLink)
    document.title = 'Sign in · Atrium'
    document.querySelector('link[rel=icon]')?.setAttribute('href', '/icon.svg')
    void findIssuer().then((found) => (issuer.value = found))
    return () => removeEventListener('hashchange', enterByLink)
  }, [])

  return (
    <main class="sign-in">
      <Beam />
      <div class="sign-in-column">
        <Mark size={34} />
        <h1>{ended ? 'You are signed out' : 'Sign in to Atrium'}</h1>
        <p class="sign-in-lead">
          {ended
            ? 'Your session has ended. Sign in again and you are back where you were.'
            : 'Open the link printed in the terminal, or paste an access token.'}
        </p>
        {ended && <Note kind="good">{hasDraft() ? 'Your draft is kept. ' : ''}Work that was running goes on.</Note>}
        <Form look="card sign-in-card" act={act} work={() => enter({ token: token.value.trim() })}>
          <TextField
            label="Access token"
            type="password"
            mono
            placeholder="Paste it here"
            autoComplete="current-password"
            text={token}
            fault={act.fault.value}
            autoFocus
          />
          <Button kind="primary" size="large" type="submit" busy={act.busy.value}>
            Sign in
          </Button>
          {issuer.value !== null && (
            <>
              <div class="or">
                <span>or</span>
              </div>
              <a class="button large" href="/api/oidc/login" onClick={() => rememberReturnPath(route.peek().path)}>
                <Icon name="key" />
                Continue with {issuer.value}
              </a>
            </>
          )}
        </Form>
        <p class="label">
          No token? Ask whoever runs this service, or read <code>webui-token</code> in its home folder.
        </p>
      </div>
    </main>
  )
}

/** Signs in. Throws an Error with a message for the form. */
async function enter(proof: { token: string } | { code: string }): Promise<void> {
  if ('token' in proof && proof.token === '') throw new Error('Paste an access token first.')
  try {
    await signIn(proof)
  } catch (error) {
    throw new Error(wordsFor(error, 'code' in proof), { cause: error })
  }
}

function wordsFor(error: unknown, byLink: boolean): string {
  if (!(error instanceof ApiFault)) return faultText(error)
  if (error.code === 'offline') return 'Atrium was not reached. Start it, then try again.'
  if (error.status === 401) {
    return byLink
      ? 'This link was used already, or is too old. Ask for a new one, or paste a token.'
      : 'This token is not known here. It may have been revoked, or belong to another service.'
  }
  return error.message
}

/** Decoration: light that falls through an open roof. */
function Beam() {
  return (
    <svg class="beam" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      <path class="beam-soft" d="M4 0H43.5L112.6 100H37.4z" />
      <path class="beam-bright" d="M13 0H35L98 100H52.5z" />
    </svg>
  )
}

// The empty thread: a greeting and sample questions; with the built-in offline model, what it can do.
import { signal } from '@preact/signals'
import { lazy } from '../lazy.tsx'
import { service } from '../store/service.ts'
import { sessionState } from '../store/session.ts'
import { threadList } from '../store/threads.ts'
import { Icon } from './icon.tsx'
import { Button } from './button.tsx'
import './welcome.css'

const ways = ['What can you do?', 'What time is it in Tokyo?', 'What do you remember about me?']
/** The reader has dismissed the offline model's notice, until the next reload. */
const offlineIsFine = signal(false)
const connecting = signal(false)

const FirstModel = lazy(async () => (await import('../pages/first-model.tsx')).FirstModel)
const AboutYou = lazy(async () => (await import('../pages/about-you.tsx')).AboutYou)

export function Welcome({ onAsk }: { onAsk: (text: string) => void }) {
  if (service.data.value?.llm_backend === 'offline' && !offlineIsFine.value) return <Offline />
  const who = sessionState.value.type === 'in' ? sessionState.value.session.user : ''
  return (
    <div class="welcome">
      <h1>
        {greeting(new Date().getHours())}
        {who && who !== 'operator' ? `, ${who}` : ''}
      </h1>
      <p>Ask, or start from one of these.</p>
      <ul>
        {ways.map((text) => (
          <li key={text}>
            <button type="button" class="way" onClick={() => onAsk(text)}>
              {text}
              <Icon name="right" />
            </button>
          </li>
        ))}
      </ul>
      <Newcomer />
    </div>
  )
}

/** Somebody without a thread is asked who they are. */
function Newcomer() {
  return threadList.data.value?.threads.length === 0 ? <AboutYou /> : null
}

function Offline() {
  const operator = sessionState.value.type === 'in' && sessionState.value.session.operator
  return (
    <div class="welcome">
      <h1>You are talking to the built-in offline model</h1>
      <p>It needs no key and no network. It can use tools and remember, but it only understands simple requests.</p>
      <div class="welcome-acts">
        {operator && (
          <Button
            kind={connecting.value ? 'plain' : 'primary'}
            expanded={connecting.value}
            onClick={() => (connecting.value = !connecting.peek())}
          >
            Connect a model
          </Button>
        )}
        <Button kind="quiet" onClick={() => (offlineIsFine.value = true)}>
          Keep it for now
        </Button>
      </div>
      {connecting.value && <FirstModel />}
      <p class="label">
        In a terminal: <code>atrium onboard</code>
      </p>
      <Newcomer />
    </div>
  )
}

function greeting(hour: number): string {
  if (hour < 5 || hour >= 18) return 'Good evening'
  return hour < 12 ? 'Good morning' : 'Good afternoon'
}

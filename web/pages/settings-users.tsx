// Users, for the operator. Adding one shows its token once, revoking ends their access, removing erases their data.
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { maxUserNameChars } from '#core/page-limits.ts'
import type { User } from '#doors/web/wire/user.ts'
import { aheadText, exactTime, whenText } from '../lib/words.ts'
import { ActButton } from '../parts/act-button.tsx'
import { useAct } from '../parts/act.ts'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Copy } from '../parts/copy.tsx'
import { Select, TextField } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Note } from '../parts/note.tsx'
import { Icon } from '../parts/icon.tsx'
import { Section } from '../parts/section.tsx'
import { EmptyCard, When } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { now } from '../store/clock.ts'
import { notify } from '../store/notices.ts'
import { addToken, addUser, newToken, removeUser, revokeToken, revokeTokens, tokensOf, users } from '../store/users.ts'

const columns = [
  { label: 'Name' },
  { label: 'Made' },
  { label: 'Expires' },
  { label: 'Last seen' },
  { label: 'Action', unseen: true },
]

export function Users() {
  const adding = useSignal(false)
  useEffect(() => {
    void users.load()
    // A new token is shown only until the page is left.
    return () => {
      newToken.value = undefined
    }
  }, [])
  const made = newToken.value
  return (
    <Section
      title="Users"
      at="/settings/users"
      lead="Each has its own threads, memory and grants."
      action={
        <Button icon="plus" expanded={adding.value} onClick={() => (adding.value = !adding.value)}>
          Add user
        </Button>
      }
    >
      {adding.value && <Add onEnd={() => (adding.value = false)} />}
      {made && (
        <Note
          kind="good"
          icon="key"
          title={`Token for ${made.name}. It is shown only now.`}
          aside={<Copy words="plain" text={() => made.token} />}
        >
          <code class="token">{made.token}</code>
        </Note>
      )}
      <When of={users} what="The users" rows={3}>
        {(list) =>
          list.length === 0 ? (
            <EmptyCard icon="users" title="Only you so far">
              Each user has a token, threads and memory of their own.
            </EmptyCard>
          ) : (
            <Table name="Users" look="users" columns={columns}>
              {list.map((user) => (
                <Row key={user.id} user={user} />
              ))}
            </Table>
          )
        }
      </When>
    </Section>
  )
}

function Row({ user }: { user: User }) {
  const { name, created_at, tokens, expires_at, last_seen_at } = user
  const open = useSignal(false)
  return (
    <>
      <tr>
        <td class="user-name">
          <button type="button" class="user-open" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
            {name}
            <Icon name="down" />
          </button>
        </td>
        <td class="user-made" title={exactTime(created_at)}>
          {whenText(created_at, now.value)}
        </td>
        <td class="user-expires" title={expires_at === null ? undefined : exactTime(expires_at)}>
          <span class="only-phone">Expires: </span>
          {expiresText(user)}
        </td>
        <td class="user-seen" title={last_seen_at === null ? undefined : exactTime(last_seen_at)}>
          <span class="only-phone">Last seen: </span>
          {last_seen_at === null ? 'never' : whenText(last_seen_at, now.value)}
        </td>
        <td class="number row-act">
          {tokens > 0 && (
            <Confirm
              label="Revoke"
              of={name}
              question={`Revoke the access of ${name}?`}
              act={async () => {
                await revokeTokens(name)
                notify(`${name} has no token any more`)
              }}
            >
              {tokens === 1 ? 'Their token stops' : `Their ${tokens} tokens stop`} working, and who signed in with one
              is signed out. Threads, memory and grants stay.
            </Confirm>
          )}
        </td>
      </tr>
      {open.value && (
        <tr class="user-tokens">
          <td colSpan={columns.length}>
            <Access key={tokens} user={user} />
          </td>
        </tr>
      )}
    </>
  )
}

function expiresText({ tokens, expires_at, issuer }: User): string {
  if (tokens === 0) return issuer === null ? 'no token' : `signs in at ${hostOf(issuer)}`
  return expires_at === null ? 'never' : aheadText(expires_at, now.value)
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : issuer
}

/** A user's sign-in and tokens: revoke a token, add one, or remove the user. */
function Access({ user: { name, issuer } }: { user: User }) {
  const tokens = useMemo(() => tokensOf(name), [name])
  useEffect(() => void tokens.load(), [tokens])
  const reloadAfter = async (work: Promise<void>): Promise<void> => {
    await work
    await tokens.load()
  }
  return (
    <When of={tokens} what="The tokens" rows={1}>
      {(list) => (
        <ul class="tokens" aria-label={`Tokens of ${name}`}>
          {issuer !== null && <li>Signs in at {hostOf(issuer)}</li>}
          {list.map(({ id, created_at, expires_at }) => (
            <li key={id}>
              <span>
                Made {whenText(created_at, now.value)},{' '}
                {expires_at === null ? 'never expires' : `expires ${aheadText(expires_at, now.value)}`}
              </span>
              <ActButton
                kind="clay"
                size="small"
                act={() => reloadAfter(revokeToken(name, id))}
                failed="The token was not revoked."
              >
                Revoke
                <span class="unseen"> the token made {exactTime(created_at)}</span>
              </ActButton>
            </li>
          ))}
          <li>
            <ActButton size="small" icon="plus" act={() => reloadAfter(addToken(name))} failed="No token was created.">
              New token<span class="unseen"> for {name}</span>
            </ActButton>
            <Confirm
              label="Remove"
              of={name}
              question={`Remove ${name}?`}
              act={async () => {
                await removeUser(name)
                notify(`${name} is removed`)
              }}
            >
              Their tokens stop working, what runs for them ends, and their threads, memory and files are erased. This
              cannot be undone.
            </Confirm>
          </li>
        </ul>
      )}
    </When>
  )
}

const lifetimes = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]

function Add({ onEnd }: { onEnd: () => void }) {
  const name = useSignal('')
  const days = useSignal('')
  const act = useAct()
  const add = async (): Promise<void> => {
    const userName = name.value.trim()
    if (userName === '') throw new Error('Give the user a name first.')
    await addUser(userName, days.value === '' ? undefined : Number(days.value))
    onEnd()
  }
  return (
    <Form look="card add-user" name="Add user" act={act} work={add} verb="Add" onCancel={onEnd}>
      <TextField label="Name" autoFocus maxLength={maxUserNameChars} text={name} fault={act.fault.value} />
      <Select
        name="The token expires"
        value={days.value}
        options={lifetimes}
        onChange={(value) => (days.value = value)}
      />
    </Form>
  )
}

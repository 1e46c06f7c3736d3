// Grants: what may run without asking, each with a button to revoke it.
import { countWords } from '#core/words.ts'
import type { Grant } from '#doors/web/wire/gate.ts'
import { printable } from '#safety/printable.ts'
import { senderName } from '../lib/doors.ts'
import { exactTime, untilText } from '../lib/words.ts'
import { ActButton } from '../parts/act-button.tsx'
import { Section } from '../parts/section.tsx'
import { EmptyCard, When } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { now } from '../store/clock.ts'
import { grants, revokeGrant } from '../store/grants.ts'
import { useLive } from '../store/live-data.ts'
import { notify } from '../store/notices.ts'

const columns = [
  { label: 'Allowed' },
  { label: 'Where' },
  { label: 'Until' },
  { label: 'Used' },
  { label: 'Action', unseen: true },
]

export function Grants() {
  useLive(grants)
  return (
    <Section title="Grants" at="/settings/grants" lead="What may run without asking.">
      <When of={grants} what="The grants" rows={3}>
        {(list) =>
          list.length === 0 ? (
            <EmptyCard icon="shield" title="No grants yet">
              When you answer a request with “Allow for…”, the grant is listed here. Until then each such call asks.
            </EmptyCard>
          ) : (
            <Table name="Grants" look="grants" columns={columns}>
              {list.map((grant) => (
                <Row key={grant.id} grant={grant} />
              ))}
            </Table>
          )
        }
      </When>
    </Section>
  )
}

function Row({ grant }: { grant: Grant }) {
  const { tool, target, user, expires_at, created_at, uses, by, untrusted } = grant
  const sender = senderName(user)
  return (
    <tr>
      <td class="grant-tool mono">{printable(tool)}</td>
      <td class="grant-where">
        {target === null ? 'Every call of it' : printable(target)}
        {sender !== undefined && `, for ${sender}`}
        {!untrusted && <div class="grant-clean">Only while nothing from outside was read</div>}
      </td>
      <td class="grant-until" title={expires_at === null ? undefined : exactTime(expires_at)}>
        {expires_at === null ? 'Until revoked' : untilText(expires_at, now.value)}
      </td>
      <td class="grant-used" title={`Allowed ${exactTime(created_at)}, by ${by}`}>
        <span class="only-phone">Used </span>
        {uses === 0 ? 'never' : countWords(uses, 'time')}
      </td>
      <td class="number row-act">
        <Revoke grant={grant} />
      </td>
    </tr>
  )
}

function Revoke({ grant: { id, tool, target } }: { grant: Grant }) {
  const revoke = async (): Promise<void> => {
    await revokeGrant(id)
    notify(`${printable(tool)} asks again`)
  }
  return (
    <ActButton kind="clay" size="small" act={revoke} failed="The grant was not revoked.">
      Revoke
      <span class="unseen"> {printable(`${tool} ${target ?? ''}`)}</span>
    </ActButton>
  )
}

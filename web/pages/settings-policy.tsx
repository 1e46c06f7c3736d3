// Policy: which calls run unasked, ask first or are refused; apart for turns that have read text from outside.
import { useSignal } from '@preact/signals'
import type { PolicyRow, Rule } from '#doors/web/wire/settings.ts'
import { faultText } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { Select } from '../parts/field.tsx'
import { Coded } from '../parts/coded.tsx'
import { Section } from '../parts/section.tsx'
import { When } from '../parts/states.tsx'
import { tell } from '../store/notices.ts'
import { resetPolicy, setPolicy, settings } from '../store/settings.ts'

const rules: Readonly<Record<Rule, string>> = {
  allow: 'runs',
  known: 'runs if the address is known',
  ask: 'asks',
  deny: 'refused',
}

/** Only these calls go to an address that somebody may have named before. */
const toAddresses: readonly string[] = ['fetch', 'fetch-made']

export function Policy() {
  return (
    <Section
      title="Policy"
      at="/settings/policy"
      lead="Which calls run, ask first or are refused, for everybody. Grants stand above “asks”, not above “refused”."
    >
      <When of={settings} what="The policy" rows={5}>
        {({ policy }) => (
          <ul class="card setting-rows">
            {policy.map((row) => (
              <Row key={row.id} row={row} />
            ))}
          </ul>
        )}
      </When>
    </Section>
  )
}

function Row({ row }: { row: PolicyRow }) {
  const busy = useSignal(false)
  const act = async (change: () => Promise<void>): Promise<void> => {
    if (busy.value) return
    busy.value = true
    try {
      await change()
      tell('The policy is stored. The next call follows it.')
    } catch (error) {
      tell(`The policy was not changed. ${faultText(error)}`)
    } finally {
      busy.value = false
    }
  }
  const plain = row.calls.replaceAll('`', '')
  const options = (['allow', 'known', 'ask', 'deny'] as const)
    .filter((rule) => rule !== 'known' || toAddresses.includes(row.id) || row.clean === rule || row.tainted === rule)
    .map((value) => ({ value, label: rules[value] }))
  return (
    <li class="setting-row policy-row">
      <div>
        <p class="policy-calls">
          <Coded text={row.calls} />
        </p>
        {row.changed && (
          <Button kind="quiet" size="small" busy={busy.value} onClick={() => void act(() => resetPolicy(row.id))}>
            Back to its default
            <span class="unseen"> for {plain}</span>
          </Button>
        )}
      </div>
      <div class="policy-rules">
        <Select
          name={`${plain}, usually`}
          before="Usually"
          value={row.clean}
          options={options}
          onChange={(clean) => void act(() => setPolicy(row.id, { clean, tainted: row.tainted }))}
        />
        <Select
          name={`${plain}, after outside text`}
          before="After outside text"
          value={row.tainted}
          options={options}
          onChange={(tainted) => void act(() => setPolicy(row.id, { clean: row.clean, tainted }))}
        />
      </div>
    </li>
  )
}

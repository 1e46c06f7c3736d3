// Policy: which calls run, ask first or are refused, with a second rule for turns that have read text from outside.
import type { PolicyRow, Rule } from '#doors/web/wire/settings.ts'
import { useAct } from '../parts/act.ts'
import { Button } from '../parts/button.tsx'
import { Select } from '../parts/field.tsx'
import { WithCode } from '../parts/coded.tsx'
import { Section } from '../parts/section.tsx'
import { When } from '../parts/states.tsx'
import { notify } from '../store/notices.ts'
import { resetPolicy, setPolicy, settings } from '../store/settings.ts'

const rules: Readonly<Record<Rule, string>> = {
  allow: 'runs',
  known: 'runs if the address is known',
  ask: 'asks',
  deny: 'refused',
}

/** Rows that offer the rule `known`: only their calls go to an address that may be known. */
const toAddresses: readonly string[] = ['fetch', 'fetch-made']

export function Policy() {
  return (
    <Section
      title="Policy"
      at="/settings/policy"
      lead="Which calls run, ask first or are refused, for everybody. A grant overrides “asks”, never “refused”."
    >
      <When of={settings} what="The policy" rows={5}>
        {({ policy }) => (
          <ul class="card">
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
  const { busy, run } = useAct()
  const save = (change: () => Promise<void>): Promise<void> =>
    run(async () => {
      await change()
      notify('The policy is stored. The next call follows it.')
    }, 'The policy was not changed.')
  const plain = row.calls.replaceAll('`', '')
  const options = (['allow', 'known', 'ask', 'deny'] as const)
    .filter((rule) => rule !== 'known' || toAddresses.includes(row.id) || row.clean === rule || row.tainted === rule)
    .map((value) => ({ value, label: rules[value] }))
  return (
    <li class="setting-row policy-row">
      <div>
        <p class="policy-calls">
          <WithCode text={row.calls} />
        </p>
        {row.changed && (
          <Button kind="quiet" size="small" busy={busy.value} onClick={() => void save(() => resetPolicy(row.id))}>
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
          onChange={(clean) => void save(() => setPolicy(row.id, { clean, tainted: row.tainted }))}
        />
        <Select
          name={`${plain}, after outside text`}
          before="After outside text"
          value={row.tainted}
          options={options}
          onChange={(tainted) => void save(() => setPolicy(row.id, { clean: row.clean, tainted }))}
        />
      </div>
    </li>
  )
}
